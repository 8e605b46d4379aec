import type { Command } from 'commander';
import type { CommandContext, PathOptions, Terminal } from './context.ts';
import type { OptionValues } from './option-values.ts';
import { renderJson } from './present/text.ts';
import { refuse } from './refuse.ts';
import type { Session } from './session.ts';

type Texts = Readonly<Record<string, string>>;

interface CommandHelp<Flags extends Texts> {
  /** Name and arguments as commander writes them: `share <client>`. */
  readonly usage: string;
  readonly description: string;
  /** name → meaning, of arguments whose name does not say enough. */
  readonly arguments?: Texts;
  readonly options?: Flags;
  /** Whole command lines with what each does. */
  readonly examples?: Texts;
}

/** A command that works on this machine. What it needs is loaded when it runs. */
interface LocalCommand<Flags extends Texts> extends CommandHelp<Flags> {
  act(given: Given<Flags>, context: CommandContext): Promise<void>;
}

/** A command that asks the service and shows the answer; `--json` is added to its options. */
interface ServiceCommand<View, Flags extends Texts> extends CommandHelp<Flags> {
  /** Returns what `--json` prints. Checks the command line before it sends anything. @throws usage-invalid */
  run(session: Session, given: Given<Flags>, context: CommandContext): Promise<View>;
  /** Text for people, with its last newline. */
  render(view: View, terminal: Terminal, options: OptionValues<Flags>): string | Promise<string>;
}

/** A command whose answer may be too long to hold: it writes each part as it arrives, and handles `--json` itself. */
interface StreamingCommand<Flags extends Texts> extends CommandHelp<Flags> {
  stream(session: Session, given: Given<Flags>, context: CommandContext): Promise<void>;
}

type CommandOf<View, Flags extends Texts> = LocalCommand<Flags> | ServiceCommand<View, Flags> | StreamingCommand<Flags>;

export type AnyCommand = CommandOf<unknown, Texts>;

/** The same command: what it takes and shows is read from its flags and from what its `run` returns. */
export function defineCommand<View, Flags extends Texts>(command: CommandOf<View, Flags>): AnyCommand {
  return command;
}

/** Commands below one word, such as `tributary device …`. */
export interface CommandGroup {
  readonly name: string;
  readonly description: string;
  readonly commands: readonly AnyCommand[];
}

interface Given<Flags extends Texts> {
  readonly words: readonly string[];
  readonly options: OptionValues<Flags> & CommonOptions;
}

interface CommonOptions extends PathOptions {
  readonly json?: boolean;
  /** Only of commands that cannot be undone. */
  readonly yes?: boolean;
}

export function addCommand(parent: Command, context: CommandContext, added: AnyCommand | CommandGroup): void {
  if ('commands' in added) {
    const group = parent.command(added.name).description(added.description);
    for (const below of added.commands) addCommand(group, context, below);
    return;
  }
  const command = parent.command(added.usage).description(added.description);
  for (const argument of command.registeredArguments) argument.description = added.arguments?.[argument.name()] ?? '';
  for (const [flags, meaning] of Object.entries(added.options ?? {})) command.option(flags, meaning);
  if (!('act' in added)) command.option('--json', 'one JSON object');
  if (added.examples !== undefined) command.addHelpText('after', renderExamples(added.examples));
  command.action(async () => {
    await runCommand(added, { words: command.args, options: command.optsWithGlobals<CommonOptions>() }, context);
  });
}

async function runCommand(command: AnyCommand, given: Given<Texts>, context: CommandContext): Promise<void> {
  if ('act' in command) return command.act(given, context);
  const { withSession } = await import('./session.ts');
  await withSession(given.options, context, async (session) => {
    if ('stream' in command) return command.stream(session, given, context);
    const view = await command.run(session, given, context);
    const isJson = given.options.json === true;
    context.stdout.write(isJson ? `${renderJson(view)}\n` : await command.render(view, context, given.options));
  });
}

/**
 * Asks before something that cannot be undone; `--yes` answers in advance.
 * @throws usage-invalid for a no, and without a terminal
 */
export async function confirmOrStop(question: string, { yes }: CommonOptions, { prompt }: CommandContext) {
  if (yes === true) return;
  if (prompt === undefined) throw refuse(`${question} Not running in a terminal: pass --yes to confirm`);
  if (!(await prompt.confirm(question))) throw refuse('stopped: nothing was changed');
}

function renderExamples(examples: Texts): string {
  const width = Math.max(...Object.keys(examples).map((line) => line.length));
  const lines = Object.entries(examples).map(([line, meaning]) => `  ${line.padEnd(width)}  ${meaning}`);
  return `\nExamples:\n${lines.join('\n')}\n`;
}
