import type { Command, CommanderError } from 'commander';
import { TributaryError } from '../lib/errors.ts';
import type { AnyCommand, CommandGroup, CommonOptions, Show, Texts, Typed } from './command.ts';
import type { CommandContext } from './context.ts';
import { listFlags } from './present/tables.ts';
import { renderJson } from './present/text.ts';

/** Makes the command, and those below it, part of commander's tree. */
export function addCommand(parent: Command, context: CommandContext, added: AnyCommand | CommandGroup): Command {
  const command = parent.command(added.usage).description(added.description);
  command.exitOverride((error) => throwUsageError(error, command));
  if ('act' in added || 'run' in added) addAction(command, context, added);
  if (!('commands' in added)) {
    // The paths may stand before or after the command's name; the help names them once, among the options of every command.
    for (const flag of [configFlag, stateFlag]) command.addOption(command.createOption(flag).hideHelp());
    return command;
  }
  // Commander reads these here also where they stand behind a command below, which has them from `optsWithGlobals`.
  const shared = command.options.filter(({ long }) => added.shared?.includes(long ?? ''));
  for (const own of added.commands) {
    const below = addCommand(command, context, own);
    if (shared.length > 0) below.configureHelp({ ...below.configureHelp(), visibleGlobalOptions: () => shared });
  }
  return command;
}

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
    command.addOption(complete?.(option) ?? option);
  }
  if (!('act' in added)) command.option('--json', 'one JSON object');
  if (added.examples !== undefined) command.addHelpText('after', renderExamples(added.examples));
  if (added.example !== undefined) command.addHelpText('after', `\nExample:\n  ${added.example}\n`);
  command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions>();
    await runCommand(added, { name: nameInFull(command), words: command.args, options }, context);
  });
}

/** `device add`: the words behind the program's name that lead to this command. */
function nameInFull(command: Command): string {
  return command.parent === null ? '' : `${nameInFull(command.parent)} ${command.name()}`.trimStart();
}

/** For commander: help goes on as it is, what is wrong with a command line becomes an error of ours. @throws usage-invalid */
export function throwUsageError(error: CommanderError, command: Command): never {
  if (error.exitCode === 0 || error.code === 'commander.help') throw error;
  const action = `See how it is used: ${`tributary ${nameInFull(command)}`.trimEnd()} --help`;
  throw new TributaryError('usage-invalid', error.message.replace(/^error: /, ''), { cause: error, action });
}

/** Runs a command whose command line has been read, and shows its result. What it throws says what to do about it. */
export function runCommand(command: AnyCommand, typed: Typed, context: CommandContext): Promise<void> {
  return runAndShow(command, typed, context).catch(async (error: unknown) => {
    const { advise } = await import('./advice.ts');
    throw await advise(error, typed, context);
  });
}

async function runAndShow(command: AnyCommand, typed: Typed, context: CommandContext): Promise<void> {
  const show: Show = async (result, render) => {
    context.stdout.write(typed.options.json === true ? `${renderJson(result)}\n` : await render());
  };
  const given = { ...typed, show };
  if ('act' in command) return command.act(given, context);
  const { openSession } = await import('./session.ts');
  await using session = await openSession(given.options, context);
  const run = () => command.run(session, given, context);
  if (command.tables !== undefined) {
    const { showTables } = await import('./present/show-tables.ts');
    return showTables({ ...command, tables: command.tables, run }, given.options, context);
  }
  const view = await run();
  await given.show(view, () => command.render(view, { ...context, tables: {} }, given.options));
}

function renderExamples(examples: Texts): string {
  const width = Math.max(...Object.keys(examples).map((line) => line.length));
  const lines = Object.entries(examples).map(([line, meaning]) => `  ${line.padEnd(width)}  ${meaning}`);
  return `\nExamples:\n${lines.join('\n')}\n`;
}
