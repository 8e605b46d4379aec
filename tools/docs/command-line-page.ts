import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { listCommands, listOptions } from '../../src/cli/frame/add-command.ts';
import { listFlags } from '../../src/cli/present/tables.ts';
import {
  fillPage,
  renderList,
  renderTable,
  toAnchor,
  toCell,
  toCode,
  toLine,
  toSentence,
} from './markdown.ts';
import { environment, exitCodes, files } from './program-ending.ts';
import { readUsage } from './program-help.ts';

/** docs/command-line.md: every command, from its own help. */
export function renderCommandLinePage(program: Command): string {
  const commands = listCommands(program).flatMap(listLeaves);
  const common = listCommonOptions(commands.filter((command) => !isOfSandbox(command)));
  return fillPage('command-line.md', {
    'all commands': renderOverview(program),
    'options of every command': renderList(listOptionRows(program)),
    'options of tables': renderList(common.filter(([flags]) => ofTables.has(flags))),
    'options of many commands': renderList(common.filter(([flags]) => !ofTables.has(flags))),
    commands: commands
      .filter((command) => !isOfSandbox(command))
      .map((command) => renderCommand(command, common))
      .join('\n\n'),
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

/** The commands by the heading that the help has them under, each a link to its section. */
function renderOverview(program: Command): string {
  const groups = Map.groupBy(listCommands(program), (command) => command.helpGroup());
  const rows = [...groups].map(([heading, commands]) => [
    toCell(heading.replace(/:$/, '')),
    commands
      .flatMap(listLeaves)
      .filter((command) => !isOfSandbox(command))
      .map(linkTo)
      .join(', '),
  ]);
  return renderTable(['for', 'commands'], rows);
}

function linkTo(command: Command): string {
  const name = nameOf(command);
  return `[${toCode(name.replace(/^tributary /, ''))}](#${toAnchor(name)})`;
}

/** What only a developer types is told by the page of the reference service. */
function isOfSandbox(command: Command): boolean {
  return nameOf(command).startsWith('tributary sandbox ');
}

/** An option as it is shown: two commands may have one of the same name that means other things. */
type OptionRow = readonly [flags: string, meaning: string];

/** Options that so many commands have are explained once. */
const many = 4;

function listCommonOptions(commands: readonly Command[]): readonly OptionRow[] {
  const rows = commands.flatMap(listOptionRows);
  const counts = Map.groupBy(rows, ([flags, meaning]) => `${flags} ${meaning}`);
  return [...counts.values()].flatMap((found) =>
    found.length < many || found[0] === undefined ? [] : [found[0]],
  );
}

function listOptionRows(command: Command): readonly OptionRow[] {
  const help = command.createHelp();
  return listOptions(command)
    .own.filter(({ long }) => long !== '--help')
    .map((option) => [`\`${option.flags}\``, toLine(help.optionDescription(option))]);
}

function renderCommand(command: Command, common: readonly OptionRow[]): string {
  const isCommon = ([flags, meaning]: OptionRow) =>
    common.some((other) => other[0] === flags && other[1] === meaning);
  const options = listOptionRows(command);
  const shared = options.filter(isCommon).map(([flags]) => flags);
  const named = command.registeredArguments
    .filter(({ description }) => description !== '')
    .map((argument): OptionRow => [`\`${argument.name()}\``, toLine(argument.description)]);
  const takes = [...named, ...options.filter((option) => !isCommon(option))];
  const usage = readUsage(command).replace(' [options]', '');
  return [
    `### ${nameOf(command)}`,
    `${toLine(toSentence(command.description()))}${shared.length === 0 ? '' : ` [Also](#options) ${nameShared(shared)}.`}`,
    ...(takes.length === 0 ? [] : [renderList(takes)]),
    ...(usage === nameOf(command) ? [] : [toBlock([usage])]),
  ].join('\n\n');
}

const ofTables = new Set(Object.keys(listFlags).map((flags) => `\`${flags}\``));

/** The options that the page explains once, with the options of tables as one. */
function nameShared(flags: readonly string[]): string {
  const others = flags.filter((own) => !ofTables.has(own));
  return [...(others.length < flags.length ? ['table options'] : []), ...others].join(', ');
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
