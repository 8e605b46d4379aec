import type { Command } from 'commander';
import { TributaryError } from '../lib/errors.ts';
import type { CommandContext, PathOptions, Terminal } from './context.ts';
import { renderJson } from './present/json.ts';
import type { Session } from './session.ts';

/** The help of a command. */
interface CommandHelp {
  /** Name and arguments as commander writes them: `share <client>`. */
  readonly usage: string;
  readonly description: string;
  /** flags → meaning. */
  readonly options?: Readonly<Record<string, string>>;
  /** Whole command lines with what each does. */
  readonly examples: Readonly<Record<string, string>>;
}

/** A command that asks the service and shows the answer. */
export interface ServiceCommand<View, Options extends object = object> extends CommandHelp {
  /** Returns what `--json` prints. Checks the command line before it sends anything. @throws usage-invalid */
  run(session: Session, given: Given<Options>, context: CommandContext): Promise<View>;
  /** Text for people, with its last newline. */
  render(view: View, terminal: Terminal, options: Options): string | Promise<string>;
}

/** A command whose answer may be too long to hold: it writes each part as it arrives, and handles `--json` itself. */
export interface StreamingCommand<Options extends object = object> extends CommandHelp {
  stream(session: Session, given: Given<Options>, context: CommandContext): Promise<void>;
}

/** One of them, whatever it shows and takes. */
export type AnyServiceCommand = ServiceCommand<unknown> | StreamingCommand;

/** Commands below one word, such as `tributary device …`. */
export interface CommandGroup {
  readonly name: string;
  readonly description: string;
  readonly commands: readonly AnyServiceCommand[];
}

/** The arguments and options of one command line. */
export interface Given<Options extends object> {
  readonly words: readonly string[];
  readonly options: Options & CommonOptions;
}

/** What every such command takes. */
interface CommonOptions extends PathOptions {
  readonly json?: boolean;
  /** Only for what cannot be undone. */
  readonly yes?: boolean;
}

/** Adds the group's word and its commands. */
export function addCommandGroup(program: Command, context: CommandContext, group: CommandGroup): void {
  const added = program.command(group.name).description(group.description);
  for (const command of group.commands) addServiceCommand(added, context, command);
}

/** Adds the command with `--json` and its examples. What it needs to reach the service is loaded when it runs. */
export function addServiceCommand(parent: Command, context: CommandContext, command: AnyServiceCommand): void {
  const added = parent.command(command.usage).description(command.description);
  for (const [flags, meaning] of Object.entries(command.options ?? {})) added.option(flags, meaning);
  added
    .option('--json', 'one JSON object')
    .addHelpText('after', renderExamples(command.examples))
    .action(async () => {
      const { withSession } = await import('./session.ts');
      const given = { words: added.args, options: added.optsWithGlobals<CommonOptions>() };
      await withSession(given.options, context, async (session) => {
        if ('stream' in command) return command.stream(session, given, context);
        const view = await command.run(session, given, context);
        const isJson = given.options.json === true;
        context.stdout.write(isJson ? `${renderJson(view)}\n` : await command.render(view, context, given.options));
      });
    });
}

/**
 * Asks before something that cannot be undone; `--yes` answers in advance.
 * @throws usage-invalid for a no, and without a terminal
 */
export async function confirmOrStop(
  question: string,
  options: { readonly yes?: boolean },
  { prompt }: CommandContext,
): Promise<void> {
  if (options.yes === true) return;
  if (prompt === undefined) {
    throw new TributaryError('usage-invalid', `${question} There is nobody to ask here: say --yes`);
  }
  if (!(await prompt.confirm(question))) throw new TributaryError('usage-invalid', 'stopped: nothing was changed');
}

function renderExamples(examples: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(examples).map((line) => line.length));
  const lines = Object.entries(examples).map(([line, meaning]) => `  ${line.padEnd(width)}  ${meaning}`);
  return `\nExamples:\n${lines.join('\n')}\n`;
}
