import { styleText } from 'node:util';
import type { Secret } from '../lib/secret.ts';
import type { ExitCode } from './exit-code.ts';
import type { Output } from './print-error.ts';

/** What main.ts hands to every command. */
export interface CommandContext {
  readonly stdout: Output;
  /** For what is not the result: progress, hints. */
  readonly stderr: Output;
  /** Columns of the terminal that standard output is; undefined where it is none, and then nothing is cut. */
  readonly columns: number | undefined;
  /** Colours a line where the terminal has colours. */
  readonly paint: (style: 'green' | 'yellow' | 'red', text: string) => string;
  readonly now: () => Date;
  /** Whoever typed the command; undefined where nobody did, and there is nobody to ask. */
  readonly person: Person | undefined;
  /** Standard input to its end, for secrets that are piped in; at most `limitBytes`. @throws usage-invalid */
  readonly readStandardInput: (limitBytes: number) => Promise<string>;
  /** Variables that the configuration is read from. */
  readonly environment: NodeJS.ProcessEnv;
  /** The sockets where a running agent may answer, the likeliest first. */
  readonly resolveSocketPaths: (options: PathOptions) => Promise<readonly string[]>;
  /** The exit code of a command that did its work and found something amiss. */
  readonly setExitCode: (code: ExitCode | 1) => void;
}

/** Somebody at a terminal. Both questions throw usage-invalid when they are cancelled. */
export interface Person {
  /** False for no, and for nothing said. */
  confirm(question: string): Promise<boolean>;
  /** What is typed is not shown. */
  askSecret(question: string): Promise<Secret>;
}

/** The options that every command has. */
export interface PathOptions {
  readonly config?: string;
  readonly stateDir?: string;
}

/** Colours for one stream: none unless it is a terminal, and none under NO_COLOR (Node looks it up). */
export function createPaint(stream: NodeJS.WriteStream): CommandContext['paint'] {
  return (style, text) => (stream.isTTY ? styleText(style, text, { stream }) : text);
}
