import type { Argument, Command, Option } from 'commander';
import { listCommands, listOptions } from '../../src/cli/frame/add-command.ts';
import { toSentence } from './markdown.ts';
import { environment, exitCodes, files } from './program-ending.ts';
import { readExamples, readUsage } from './program-help.ts';

/**
 * docs/man-page.roff, tributary(1). Its heading lacks day and version, which the package fills in.
 */
export function renderManPage(program: Command): string {
  return `${[
    '.\\" Written by `npm run docs` from the commands and tools/docs: change those, not this file.',
    '.TH TRIBUTARY 1 "" "tributary" "User Commands"',
    '.SH NAME',
    `tributary \\- ${toRoff(program.description())}`,
    '.SH SYNOPSIS',
    '.B tributary',
    toRoff(readUsage(program).replace(/^tributary /, '')),
    '.SH DESCRIPTION',
    ...description.map(toRoff),
    '.SH OPTIONS',
    'Every command takes these, before or after its name.',
    ...renderOptions(program, listOptions(program).own),
    '.SH COMMANDS',
    ...listCommands(program).flatMap(renderCommand),
    '.SH EXAMPLES',
    ...renderExamples(program),
    '.SH EXIT STATUS',
    ...renderItems('B', Object.entries(exitCodes)),
    '.SH ENVIRONMENT',
    ...renderItems('B', Object.entries(environment)),
    '.SH FILES',
    ...renderItems('I', Object.entries(files)),
    '.SH SEE ALSO',
    '.BR systemctl (1),',
    '.BR journalctl (1),',
    '.BR wg (8),',
    '.BR nft (8),',
    '.BR ip\\-netns (8)',
  ].join('\n')}\n`;
}

function renderCommand(command: Command): readonly string[] {
  const own = listOptions(command).own.filter(({ long }) => long !== '--help');
  return [
    `.SS "${toRoff(readUsage(command)).replaceAll('"', '\\(dq')}"`,
    toProse(toSentence(command.description())),
    ...renderArguments(command.registeredArguments),
    ...renderOptions(command, own),
    ...renderExamples(command),
    ...listCommands(command).flatMap(renderCommand),
  ];
}

function renderArguments(taken: readonly Argument[]): readonly string[] {
  const described = taken.filter(({ description }) => description !== '');
  return renderItems(
    'I',
    described.map((argument) => [argument.name(), toSentence(argument.description)]),
  );
}

function renderOptions(command: Command, options: readonly Option[]): readonly string[] {
  const help = command.createHelp();
  return renderItems(
    'B',
    options.map((option) => [option.flags, toSentence(help.optionDescription(option))]),
  );
}

/** Names in bold or italics, each with its meaning. */
function renderItems(
  font: 'B' | 'I',
  items: readonly (readonly [name: string, meaning: string])[],
) {
  return items.flatMap(([name, meaning]) => [
    '.TP',
    `\\f${font}${toRoff(name)}\\fR`,
    toProse(meaning),
  ]);
}

function renderExamples(command: Command): readonly string[] {
  const shown = readExamples(command);
  return shown.length === 0 ? [] : ['.P', '.EX', ...shown.map(toRoff), '.EE'];
}

/** What is typed is set in bold. */
function toProse(text: string): string {
  return toRoff(text).replaceAll(/\\\(ga(.+?)\\\(ga/g, '\\fB$1\\fR');
}

/** Escapes text, so that none of it is a request or an escape of roff. */
function toRoff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '\\(ga')
    .replaceAll("'", '\\(aq')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll('…', '...')
    .replace(/^\./, '\\&.');
}

const description = [
  'Tributary registers this device with a bandwidth-sharing service, holds the WireGuard tunnel that the service issues,',
  "and forwards what arrives through it to the public Internet, as far as the owner's mode, schedule, data cap and rate",
  "limit allow. By source: connect in the configuration, it takes what arrives by the network's own protocol instead.",
  'Where its package started it as a service, one thing is left to do: sudo tributary setup.',
];
