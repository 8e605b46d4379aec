import type { Argument, Command, Option } from 'commander';
import { elsewhere } from '../cli/add-command.ts';
import type { CommandContext } from '../cli/context.ts';
import { createProgram } from '../cli/program.ts';
import { listCommands, listOptions } from '../cli/visible-commands.ts';
import type { Release } from './release.ts';

export interface ManPageParts extends Release {
  readonly program: Command;
  /** What no command tells: exit status, environment, files (docs/man-page-end.roff). */
  readonly ending: string;
}

/** tributary(1), written from the commands' own help: the page cannot say other than the program. */
export function renderManPage({ program, version, dateSeconds, ending }: ManPageParts): string {
  const day = new Date(dateSeconds * 1000).toISOString().slice(0, 10);
  return `${[
    `.TH TRIBUTARY 1 "${day}" "tributary ${toRoff(version)}" "User Commands"`,
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
  ].join('\n')}\n${ending}`;
}

function renderCommand(command: Command): readonly string[] {
  const own = listOptions(command).own.filter(({ long }) => long !== '--help');
  return [
    `.SS "${toRoff(readUsage(command)).replaceAll('"', '\\(dq')}"`,
    toText(command.description()),
    ...command.registeredArguments.flatMap(renderArgument),
    ...renderOptions(command, own),
    ...renderExamples(command),
    ...listCommands(command).flatMap(renderCommand),
  ];
}

/** As in the help: `tributary device share [options] <client>`. */
export function readUsage(command: Command): string {
  return command.createHelp().commandUsage(command).trim();
}

function renderOptions(command: Command, options: readonly Option[]): readonly string[] {
  const explain = (option: Option) => toText(command.createHelp().optionDescription(option));
  return options.flatMap((option) => ['.TP', `\\fB${toRoff(option.flags)}\\fR`, explain(option)]);
}

function renderArgument(argument: Argument): readonly string[] {
  const summary = argument.description;
  return summary === '' ? [] : ['.TP', `\\fI${toRoff(argument.name())}\\fR`, toText(summary)];
}

function renderExamples(command: Command): readonly string[] {
  const shown = readExamples(command);
  return shown.length === 0 ? [] : ['.P', '.EX', ...shown.map(toRoff), '.EE'];
}

/** The examples below a command's help, without its blank lines and its heading. */
export function readExamples(command: Command): readonly string[] {
  const written: string[] = [];
  command.configureOutput({ writeOut: (text) => void written.push(text) });
  command.outputHelp();
  // The help itself comes first, what was added to it after that.
  const lines = written.slice(1).join('').split('\n');
  return lines.filter((line) => !['', 'Examples:', elsewhere].includes(line.trim()));
}

function toText(text: string): string {
  return toRoff(`${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`);
}

/** No text of ours is a request or an escape of roff. */
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
  'limit allow. Where its package started it as a service, two things are left to do: naming the service in',
  '/etc/tributary/tributary.yaml, and tributary login.',
];

/** The whole command line of the program. No command is run. */
export async function readCommandLine(version: string): Promise<Command> {
  return createProgram([], { ...silent, version });
}

const silent: Omit<CommandContext, 'version'> = {
  stdout: { write: () => true },
  stderr: { write: () => true },
  columns: undefined,
  prompt: undefined,
  readStandardInput: async () => '',
  environment: {},
  paint: (_style, text) => text,
  now: () => new Date(0),
  resolvePlaces: async () => ({ socketPaths: [], onlyOf: undefined }),
  setExitCode: () => undefined,
};
