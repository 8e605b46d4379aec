import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { listCommands, listOptions } from '../../src/cli/frame/add-command.ts';
import { fillPage, renderTable, toAnchor, toCell, toCode, toSentence } from './markdown.ts';
import { environment, exitCodes, files } from './program-ending.ts';
import { readExamples, readUsage } from './program-help.ts';

/** docs/command-line.md: every command, from its own help. */
export function renderCommandLinePage(program: Command): string {
  const commands = listCommands(program).flatMap(listLeaves);
  return fillPage('command-line.md', {
    'all commands': renderOverview(commands),
    'options of every command': renderOptions(program),
    commands: commands.map(renderCommand).join('\n\n'),
    'exit codes': renderTable(['code', 'meaning'], Object.entries(exitCodes)),
    environment: renderTable(['name', 'what it is'], toRows(environment)),
    status: readPrinted('status-providing.txt'),
    'stats of a device': readPrinted('cli-stats-device-80.txt'),
    files: renderTable(['file', 'what it is'], toRows(files)),
  });
}

/** What a command really printed: a test compares the file with it. */
function readPrinted(name: string): string {
  return readFileSync(join(import.meta.dirname, 'printed', name), 'utf8').trimEnd();
}

/** The commands at or below this one that do something; a group alone does nothing. */
function listLeaves(command: Command): readonly Command[] {
  const below = listCommands(command).flatMap(listLeaves);
  const isGroup =
    below.length > 0 && listOptions(command).own.every(({ long }) => long === '--help');
  return isGroup ? below : [command, ...below];
}

function renderOverview(commands: readonly Command[]): string {
  const rows = commands.map((command) => {
    const name = nameOf(command);
    return [
      `[${toCode(name.replace(/^tributary /, ''))}](#${toAnchor(name)})`,
      toCell(toSentence(command.description())),
    ];
  });
  return renderTable(['`tributary …`', 'what it does'], rows);
}

function renderCommand(command: Command): string {
  const help = command.createHelp();
  const takes = [
    ...command.registeredArguments
      .filter(({ description }) => description !== '')
      .map((argument) => [toCode(argument.name()), toCell(argument.description)]),
    ...listOptions(command)
      .own.filter(({ long }) => long !== '--help')
      .map((option) => [toCode(option.flags), toCell(help.optionDescription(option))]),
  ];
  const examples = readExamples(command);
  return [
    `### ${nameOf(command)}`,
    toCell(toSentence(command.description())),
    toBlock([readUsage(command)]),
    ...(takes.length === 0 ? [] : [renderTable(['argument or option', 'what it is'], takes)]),
    ...(examples.length === 0 ? [] : [toBlock(examples.map((line) => line.replace(/^ {2}/, '')))]),
  ].join('\n\n');
}

function renderOptions(program: Command): string {
  const help = program.createHelp();
  const rows = listOptions(program).own.map((option) => [
    toCode(option.flags),
    toCell(help.optionDescription(option)),
  ]);
  return renderTable(['option', 'what it is'], rows);
}

function toRows(entries: Readonly<Record<string, string>>): readonly (readonly string[])[] {
  return Object.entries(entries).map(([name, meaning]) => [toCode(name), meaning]);
}

/** `tributary device share`. */
function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

function toBlock(lines: readonly string[]): string {
  return ['```text', ...lines, '```'].join('\n');
}
