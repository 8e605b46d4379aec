import type { Command, CommanderError, Option } from 'commander';
import { findNearest } from '../../lib/edit-distance.ts';
import { listFlags } from '../present/tables.ts';
import {
  type AnyCommand,
  type CommandGroup,
  type CommonOptions,
  refuse,
  type Texts,
} from './command.ts';
import { findElsewhere } from './commands-elsewhere.ts';
import type { CommandContext } from './context.ts';
import { runCommand } from './run-command.ts';

/** Adds the command, and the commands below it, to commander's tree. */
export function addCommand(
  parent: Command,
  context: CommandContext,
  added: AnyCommand | CommandGroup,
): Command {
  const command = parent.command(added.usage).description(added.description);
  command.exitOverride((error) => throwUsageError(error, command));
  command.configureHelp({ ...command.configureHelp(), showGlobalOptions: false });
  if ('act' in added || 'run' in added) addAction(command, context, added);
  command.addHelpText('after', `\n${elsewhere}`);
  if (!('commands' in added)) {
    // The paths may be given before or after the command's name. The help names them once, among
    // the options of every command.
    for (const flag of [configFlag, stateFlag])
      command.addOption(takeOnce(command, command.createOption(flag).hideHelp()));
    return command;
  }
  // Commander also reads these options here when they are typed after a command of this group,
  // which gets them from `optsWithGlobals`.
  const shared = command.options.filter(({ long }) => added.shared?.includes(long ?? ''));
  for (const own of added.commands) {
    const below = addCommand(command, context, own);
    if (shared.length > 0) {
      below.configureHelp({
        ...below.configureHelp(),
        showGlobalOptions: true,
        visibleGlobalOptions: () => shared,
      });
    }
  }
  return command;
}

/** The last line of each command's help. */
export const elsewhere = 'Options of every command: tributary --help';

/** The last lines of the program's help, which lists what an owner types from day to day. */
export const further = [
  'Every other command: tributary help --all',
  'All that the service offers, by name: tributary service',
];

/**
 * The command that the scripts of `tributary completion` run at each Tab: `__complete SHELL --
 * WORDS`.
 */
export const completerName = '__complete';

/** Options of the program itself. */
export const configFlag = '--config <file>';
export const stateFlag = '--state-dir <directory>';

function addAction(command: Command, context: CommandContext, added: AnyCommand): void {
  for (const argument of command.registeredArguments) {
    const [meaning = '', ...choices] = [added.arguments?.[argument.name()] ?? []].flat();
    argument.description = meaning;
    if (choices.length > 0) argument.choices(choices);
  }
  const options = 'tables' in added ? { ...added.options, ...listFlags } : added.options;
  for (const [flags, meant] of Object.entries(options ?? {})) {
    const [meaning, complete] = typeof meant === 'string' ? [meant] : meant;
    const option = command.createOption(flags, meaning);
    command.addOption(complete?.(option) ?? takeOnce(command, option));
  }
  if (!('act' in added)) command.option('--json', 'one JSON object');
  command.addHelpText('after', renderExamples(added.examples));
  command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions>();
    await runCommand(added, { name: nameInFull(command), words: command.args, options }, context);
  });
}

/**
 * Refuses a second value of an option, because commander would use the last one and drop the
 * others. This also holds for options before the command's name.
 * @throws usage-invalid
 */
function takeOnce(command: Command, option: Option): Option {
  if (!option.required) return option;
  return option.argParser((text) => {
    if (command.optsWithGlobals()[option.attributeName()] === undefined) return text;
    throw refuse(`${option.long} was given twice`);
  });
}

/**
 * `tributary help device share` prints what `tributary device share --help` prints. For a wrong
 * word it names the nearest command. The help of the program alone lists the owner's commands, and
 * every command with `--all`.
 */
export function addHelpCommand(program: Command, owners: readonly string[]): void {
  program.helpCommand(false);
  program.configureHelp({
    ...program.configureHelp(),
    visibleCommands: (shown) =>
      shown === program
        ? shown.commands.filter((own) => owners.includes(own.name()))
        : listCommands(shown),
  });
  const help = program
    .command('help [words...]')
    .description('the same as COMMAND --help')
    .helpGroup('For the system and for development:');
  help.option('--all', 'list every command');
  help.exitOverride((error) => throwUsageError(error, help));
  help.action(() => {
    if (help.opts<{ all?: boolean }>().all === true)
      program.configureHelp({ ...program.configureHelp(), visibleCommands: listCommands });
    let command = program;
    for (const word of help.args) {
      const known = command.commands.map((own) => own.name());
      const next = command.commands.find((own) => own.name() === word);
      if (next === undefined) {
        const near = findNearest(word, known);
        const hint =
          near === undefined
            ? `commands here: ${known.join(', ') || 'none'}`
            : `did you mean ${near}?`;
        throw refuse(`there is no command ${word} here; ${hint}`);
      }
      command = next;
    }
    command.outputHelp();
  });
}

/**
 * The commands directly below this one. `help` is left out, because every command has --help, and
 * so is what only a shell calls.
 */
export function listCommands(command: Command): Command[] {
  return command.commands.filter((own) => !['help', completerName].includes(own.name()));
}

/** A command's own options as its help lists them, and the options that every command has. */
export function listOptions(command: Command): {
  readonly own: readonly Option[];
  readonly global: readonly Option[];
} {
  const help = Object.assign(command.createHelp(), { showGlobalOptions: true });
  return { own: help.visibleOptions(command), global: help.visibleGlobalOptions(command) };
}

/** The words after the program's name that lead to this command: `device add`. */
function nameInFull(command: Command): string {
  return command.parent === null
    ? ''
    : `${nameInFull(command.parent)} ${command.name()}`.trimStart();
}

/**
 * For commander: help is passed on, and a mistake in a command line becomes an error of ours.
 * @throws usage-invalid
 */
export function throwUsageError(error: CommanderError, command: Command): never {
  if (error.exitCode === 0 || error.code === 'commander.help') throw error;
  if (
    error.code === 'commander.excessArguments' &&
    ['login', 'setup'].includes(nameInFull(command))
  ) {
    const action = `Type it when you are asked: sudo tributary ${nameInFull(command)}`;
    throw refuse('an auth code is never an argument: other users could see it', {
      cause: error,
      action,
    });
  }
  if (error.code === 'commander.excessArguments' && nameInFull(command) === 'config set') {
    const [key = '', ...words] = command.args;
    const action = `Put the value in quotes: sudo tributary config set ${key} '${words.join(' ')}'`;
    throw refuse('a value of several words is one argument', { cause: error, action });
  }
  const [, word = ''] = /^error: unknown (?:command|option) '(.+)'/.exec(error.message) ?? [];
  const other = findElsewhere(word);
  if (other !== undefined) {
    const action = `Did you mean: tributary ${other}`;
    throw refuse(error.message.split('\n')[0]?.replace(/^error: /, '') ?? '', {
      cause: error,
      action,
    });
  }
  const action = `See how it is used: ${`tributary ${nameInFull(command)}`.trimEnd()} --help`;
  throw refuse(error.message.replace(/^error: /, ''), { cause: error, action });
}

/** The example lines of a command, each after what it does. */
export function renderExamples(examples: Texts): string {
  const lines = Object.entries(examples).map(([line, meaning]) => `  # ${meaning}\n  ${line}`);
  return `\nExamples:\n${lines.join('\n')}`;
}
