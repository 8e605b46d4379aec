import type { Command } from 'commander';
import { TributaryError } from '../lib/errors.ts';
import type { CommandContext, PathOptions } from './context.ts';
import { type Session, withSession } from './session.ts';

/** What stands in the help of a command. */
interface CommandWords {
  /** Name and arguments as commander writes them: `share <client>`. */
  readonly usage: string;
  readonly description: string;
  /** flags → meaning. */
  readonly options?: Readonly<Record<string, string>>;
  /** Whole command lines with what each does, for the help. */
  readonly examples: Readonly<Record<string, string>>;
}

/** A command that asks the service and shows the answer: `View` is what `--json` prints. */
export interface ServiceCommand<View, Options extends object> extends CommandWords {
  /** Words of the command line are checked before anything is sent. @throws usage-invalid */
  readonly run: (session: Session, given: Given<Options>, context: CommandContext) => Promise<View>;
  /** Text for people, with its last newline. */
  readonly render: (view: View, paper: Paper, options: Options) => string | Promise<string>;
}

/** A command whose answer may be too long to hold: it writes by itself, as the answer comes. */
export interface StreamingCommand<Options extends object> extends CommandWords {
  /** `--json` is among the options given. */
  readonly act: (session: Session, given: Given<Options>, context: CommandContext) => Promise<void>;
}

/** What stood on the command line. */
export interface Given<Options extends object> {
  readonly words: readonly string[];
  readonly options: Options & CommonOptions;
}

/** What every such command takes. */
interface CommonOptions extends PathOptions {
  readonly json?: boolean;
  /** Only where something cannot be undone. */
  readonly yes?: boolean;
}

/** What text is written on. */
export interface Paper {
  /** undefined: as wide as it gets. */
  readonly columns: number | undefined;
  readonly now: Date;
  readonly paint: CommandContext['paint'];
}

/** Adds the command, with `--json` and examples, to its group. */
export function addServiceCommand<View, Options extends object>(
  group: Command,
  context: CommandContext,
  { run, render, ...words }: ServiceCommand<View, Options>,
): void {
  addStreamingCommand<Options>(group, context, {
    ...words,
    act: async (session, given) => {
      const view = await run(session, given, context);
      const { json } = given.options;
      const text =
        json === true ? JSON.stringify(view).concat('\n') : await render(view, toPaper(context), given.options);
      context.stdout.write(text);
    },
  });
}

/** The same for a command that writes by itself. */
export function addStreamingCommand<Options extends object>(
  group: Command,
  context: CommandContext,
  { usage, description, options = {}, examples, act }: StreamingCommand<Options>,
): void {
  const added = group.command(usage).description(description);
  for (const [flags, meaning] of Object.entries(options)) added.option(flags, meaning);
  added
    .option('--json', 'one JSON object')
    .addHelpText('after', renderExamples(examples))
    .action(async (...parameters: unknown[]) => {
      const command = parameters.at(-1) as Command;
      const given = { words: command.args, options: command.optsWithGlobals<Options & CommonOptions>() };
      await withSession(given.options, context, (session) => act(session, given, context));
    });
}

/** What a command's text is written on. */
export function toPaper({ columns, now, paint }: CommandContext): Paper {
  return { columns, now: now(), paint };
}

/**
 * Asks before something that cannot be undone; `--yes` answers in advance.
 * @throws usage-invalid for a no, and where there is nobody to ask
 */
export async function confirmOrStop(
  question: string,
  options: { readonly yes?: boolean },
  { person }: CommandContext,
): Promise<void> {
  if (options.yes === true) return;
  if (person === undefined) {
    throw new TributaryError('usage-invalid', `${question} There is nobody to ask here: say --yes`);
  }
  if (!(await person.confirm(question))) throw new TributaryError('usage-invalid', 'stopped: nothing was changed');
}

function renderExamples(examples: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(examples).map((line) => line.length));
  const lines = Object.entries(examples).map(([line, meaning]) => `  ${line.padEnd(width)}  ${meaning}`);
  return `\nExamples:\n${lines.join('\n')}\n`;
}
