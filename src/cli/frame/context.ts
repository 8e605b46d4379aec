import { styleText } from 'node:util';
import type { LoadConfigOptions, LoadedConfig } from '../../config/load.ts';
import type { Listening } from '../../status/socket-client.ts';
import type { ExitCode } from './exit-code.ts';
import type { openPrompt } from './prompt.ts';

/** Where text goes; `process.stdout` and `process.stderr` fit. */
export interface Output {
  /** False where the reader is behind: 'drain' says when it has caught up. */
  write(text: string): unknown;
  once?(event: 'drain', listener: () => void): unknown;
}

export interface CommandContext {
  readonly stdout: Output;
  /** For what is not the result: progress, hints. */
  readonly stderr: Output;
  /**
   * Columns of the terminal that standard output is; undefined for a pipe, for which nothing is
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
   * Standard input to its end, for secrets that are piped in; at most `limitBytes`. @throws
   * usage-invalid
   */
  readonly readStandardInput: (limitBytes: number) => Promise<string>;
  readonly version: string;
  readonly environment: NodeJS.ProcessEnv;
  /**
   * Where the agent that is meant may answer, whatever is wrong with its file. @throws
   * configuration-invalid: it names none
   */
  readonly resolvePlaces: (options: PathOptions) => Promise<Listening>;
  /** The exit code of a command that did its work and found something amiss. */
  readonly setExitCode: (code: ExitCode | 1) => void;
}

export type Prompt = NonNullable<ReturnType<typeof openPrompt>>;

/** What a command's text depends on. */
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
 * Where a command says what is neither its result nor its error: nowhere under --json, which prints
 * one object.
 */
export function openNotes(
  { json }: { readonly json?: boolean },
  { stderr }: Pick<CommandContext, 'stderr'>,
): Output {
  return json === true ? { write: () => undefined } : stderr;
}

/**
 * Colours for one stream: none unless it is a terminal, and none under NO_COLOR (Node looks it up).
 */
export function createPaint(stream: NodeJS.WriteStream): CommandContext['paint'] {
  return (style, text) => (stream.isTTY ? styleText(style, text, { stream }) : text);
}
