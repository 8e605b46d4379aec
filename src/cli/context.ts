import { styleText } from 'node:util';
import type { ExitCode } from './exit-code.ts';
import type { Output } from './print-error.ts';

/** What main.ts hands to every command. */
export interface CommandContext {
  readonly stdout: Output;
  /** Colours a line where the terminal has colours. */
  readonly paint: (style: 'green' | 'yellow' | 'red', text: string) => string;
  readonly now: () => Date;
  /** Variables that the configuration is read from. */
  readonly environment: NodeJS.ProcessEnv;
  /** The sockets where a running agent may answer, the likeliest first. */
  readonly resolveSocketPaths: (options: PathOptions) => Promise<readonly string[]>;
  /** The exit code of a command that did its work and found something amiss. */
  readonly setExitCode: (code: ExitCode | 1) => void;
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
