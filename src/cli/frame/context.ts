import { styleText } from 'node:util';
import type { LoadConfigOptions, LoadedConfig } from '../../config/load.ts';
import { toPlainLines } from '../../lib/plain-text.ts';
import type { Listening } from '../../status/socket-client.ts';
import type { ExitCode } from './exit-code.ts';
import type { Patience } from './patience.ts';
import type { Prompt } from './prompt.ts';

/** Where text goes; `process.stdout` and `process.stderr` fit. */
export interface Output {
  /** Returns false where the reader is slow; 'drain' follows when it has caught up. */
  write(text: string): unknown;
  once?(event: 'drain', listener: () => void): unknown;
}

export interface CommandContext {
  readonly stdout: Output;
  /**
   * Standard output without the guard of `openOutput`, for `--watch`, which moves the cursor and
   * guards its lines itself.
   */
  readonly screen: Output;
  /** For everything that is not the result: progress, hints. */
  readonly stderr: Output;
  /**
   * The width of the terminal that is standard output; undefined for a pipe, for which nothing is
   * cut.
   */
  readonly columns: number | undefined;
  readonly paint: (style: 'green' | 'yellow' | 'red', text: string) => string;
  readonly now: () => Date;
  /**
   * Asks the person who typed the command; undefined where standard input or standard error is no
   * terminal.
   */
  readonly prompt: Prompt | undefined;
  /**
   * Reads standard input to its end, at most `limitBytes`; for secrets that are piped in.
   * @throws usage-invalid
   */
  readonly readStandardInput: (limitBytes: number) => Promise<string>;
  readonly version: string;
  /** How long to wait for the service; by default as long as a person does. */
  readonly patience?: Patience | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** What was typed after the program's name, to be typed again. */
  readonly typed: readonly string[];
  /**
   * Where the intended agent may answer, even if its file has errors.
   * @throws configuration-invalid if the file names no agent
   */
  readonly resolvePlaces: (options: PathOptions) => Promise<Listening>;
  /** Sets the exit code of a command that did its work and found a problem. */
  readonly setExitCode: (code: ExitCode | 1) => void;
}

/**
 * A stream that shows what a command writes and never obeys it: whatever a command has forgotten to
 * clean, no text of a service or an agent moves the cursor or hides what is there.
 */
export function openOutput(stream: Output): Output {
  return {
    write: (text) => stream.write(toPlainLines(text)),
    once: (event, listener) => stream.once?.(event, listener),
  };
}

/** What the text of a command depends on. */
export type Terminal = Pick<CommandContext, 'columns' | 'now' | 'paint'>;

export type PathOptions = Readonly<Partial<Record<'config' | 'stateDir', string>>>;

/** The configuration that a command line names. @throws configuration-invalid */
export async function loadConfig(
  { config, stateDir }: PathOptions,
  { environment }: Pick<CommandContext, 'environment'>,
  knownProblems: LoadConfigOptions['knownProblems'] = [],
): Promise<LoadedConfig> {
  const { loadConfig: load } = await import('../../config/load.ts');
  return load({ configPath: config, stateDirectory: stateDir, environment, knownProblems });
}

/**
 * Where to write what is neither result nor error: nowhere under --json, which prints one object.
 */
export function openNotes(
  { json }: { readonly json?: boolean },
  { stderr }: Pick<CommandContext, 'stderr'>,
): Output {
  return json === true ? { write: () => undefined } : stderr;
}

/**
 * Colours for one stream. A stream that is no terminal gets none, and none are used under NO_COLOR,
 * which Node checks.
 */
export function createPaint(stream: NodeJS.WriteStream): CommandContext['paint'] {
  return (style, text) => (stream.isTTY ? styleText(style, text, { stream }) : text);
}
