import type { Option } from 'commander';
import { TributaryError } from '../../errors/codes.ts';
import type { ListOptions, Tables } from '../present/tables.ts';
import type { CommandContext, PathOptions, Terminal } from './context.ts';
import type { Session } from './session.ts';

export type Texts = Readonly<Record<string, string>>;

/**
 * What an option means. An option with a default, or a required one, also says how commander makes
 * it so.
 */
type Flag = string | readonly [meaning: string, complete: (option: Option) => Option];
type AnyFlags = Readonly<Record<string, Flag>>;

/**
 * `{'--count <number>': …}` gives `{count?: string}`. An option that has a default or is required
 * always has a value.
 */
export type OptionValues<Flags> = {
  readonly [Flag in keyof Flags & string as Flags[Flag] extends string
    ? CamelCase<LongName<Flag>>
    : never]?: ValueOf<Flag>;
} & {
  readonly [Flag in keyof Flags & string as Flags[Flag] extends string
    ? never
    : CamelCase<LongName<Flag>>]: ValueOf<Flag>;
};

type LongName<Flag> = Flag extends `--${infer Name} ${string}`
  ? Name
  : Flag extends `--${infer Name}`
    ? Name
    : never;

type CamelCase<Name> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name & string;

/** An optional value that was left out reads as true. */
type ValueOf<Flag> = Flag extends `${string}<${string}>`
  ? string
  : Flag extends `${string}[${string}]`
    ? string | true
    : boolean;

interface CommandHelp<Flags extends AnyFlags> {
  readonly usage: string;
  readonly description: string;
  /**
   * Name → meaning, for arguments whose names do not say enough; with the possible values, if they
   * are a short list.
   */
  readonly arguments?: Readonly<
    Record<string, string | readonly [meaning: string, ...choices: string[]]>
  >;
  readonly options?: Flags;
  /** Whole command lines, with what each does. */
  readonly examples: Texts;
}

/** A command that shows its result itself. Whatever it needs is loaded when it runs. */
interface LocalCommand<Flags extends AnyFlags> extends CommandHelp<Flags> {
  act(given: Given<Flags>, context: CommandContext): Promise<void>;
}

/** A command that asks the service and shows the answer. `--json` is added to its options. */
interface ServiceCommand<View, Flags extends AnyFlags> extends CommandHelp<Flags> {
  /**
   * Returns what `--json` prints. It checks the command line before it sends anything.
   * @throws usage-invalid
   */
  run(session: Session, given: Given<Flags>, context: CommandContext): Promise<View>;
  /** The tables of the view, which the options of lists narrow. */
  tables?(view: View, options: OptionValues<Flags> & ListOptions): Tables | Promise<Tables>;
  /**
   * The text for people, with its last newline. `tables` has the texts of the tables; '' for a
   * table without rows.
   */
  render(
    view: View,
    shown: Shown,
    options: OptionValues<Flags> & ListOptions,
  ): string | Promise<string>;
}

export interface Shown extends Terminal {
  readonly tables: Readonly<Record<string, string>>;
  /** The rows of each table that the options chose; undefined otherwise. */
  readonly chosen?: Readonly<Record<string, readonly unknown[]>> | undefined;
  /** The names of the columns that each table prints. */
  readonly columnNames?: Readonly<Record<string, readonly string[]>>;
}

type CommandOf<View, Flags extends AnyFlags> = LocalCommand<Flags> | ServiceCommand<View, Flags>;

export type AnyCommand = CommandOf<unknown, AnyFlags>;

/**
 * Returns the command unchanged. Its types follow from its flags and from what its `run` returns.
 */
export function defineCommand<View, Flags extends AnyFlags>(
  command: CommandOf<View, Flags>,
): AnyCommand {
  return command;
}

/** Commands below one word, such as `tributary device …`. */
export interface CommandGroup {
  readonly usage: string;
  readonly description: string;
  readonly commands: readonly AnyCommand[];
  /** Options of its own, by their long names, that replace the program's for the commands below. */
  readonly shared?: readonly string[];
}

interface Given<Flags extends AnyFlags> {
  /** The command's words after `tributary`. */
  readonly name: string;
  readonly words: readonly string[];
  readonly options: OptionValues<Flags> & CommonOptions;
  readonly show: Show;
}

/**
 * Shows a command's result: as JSON, or as the text that `render` makes of a copy in which every
 * text is safe to show, so that no line break in an answer begins a line of the command's.
 */
export type Show = <Result>(
  result: Result,
  render: (plain: Result) => string | Promise<string>,
) => Promise<void>;

export interface CommonOptions extends PathOptions, ListOptions {
  readonly yes?: boolean;
}

export type Typed = Omit<Given<AnyFlags>, 'show'>;

/**
 * Asks before something that cannot be undone; `--yes` answers in advance.
 * @throws usage-invalid for a no, and without a terminal
 */
export async function confirmOrStop(
  question: string,
  { yes }: CommonOptions,
  { prompt }: CommandContext,
): Promise<void> {
  if (yes === true) return;
  if (prompt === undefined)
    throw refuse(`${question} Not running in a terminal: pass --yes to confirm`);
  if (await prompt.confirm(question)) return;
  throw new TributaryError('usage-invalid', 'stopped: nothing was changed', { action: '' });
}

/** What to type into a shell for the agent that was meant. A word that needs quotes gets them. */
export function renderCommand(words: readonly string[], { config, stateDir }: PathOptions): string {
  const paths = [
    ...(config ? ['--config', config] : []),
    ...(stateDir ? ['--state-dir', stateDir] : []),
  ];
  const quote = (word: string) =>
    /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  return ['tributary', ...words, ...paths].map(quote).join(' ');
}

/**
 * The error `usage-invalid`, for a command line that cannot be obeyed. Without an `action` it
 * advises reading the command's help.
 */
export function refuse(
  message: string,
  known: ConstructorParameters<typeof TributaryError>[2] = {},
): TributaryError {
  return new TributaryError('usage-invalid', message, known);
}

/** The error for a value of an option that cannot be used; `allowed` says what it has to be. */
export function refuseOption(
  option: string,
  text: string | undefined,
  allowed: string,
): TributaryError {
  return refuse(`${option} ${text}: it must be ${allowed}`);
}

/** A whole number within the bounds. @throws usage-invalid */
export function parseNumber(
  option: string,
  text: string,
  { least = 0, most }: { least?: number; most: number },
): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw refuseOption(option, text, `a whole number from ${least} to ${most}`);
}

/** A number of at most nine digits before and behind the point; undefined for any other text. */
export function parseAmount(text: string): number | undefined {
  return /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
}
