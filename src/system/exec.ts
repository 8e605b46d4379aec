import { TributaryError } from '../lib/errors.ts';
import type { dialects } from './dialects.ts';

/** What to run. Arguments are a list: nothing here ever reaches a shell. */
interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Given on standard input. */
  readonly input?: string;
  /** What was being done, for the error: `adding address 10.0.0.2/32`. */
  readonly doing: string;
  /** Default 15 s; the program is ended after it. */
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** True where nobody reads what it prints. */
  readonly isSilent?: boolean;
  /**
   * What the command does, in lines for a program that is kept running. `talking-exec.ts` prefers
   * it.
   */
  readonly talk?: Talk;
}

/**
 * Up to the first line that is refused. What was cut short in the middle is done again by the
 * program that the command names.
 */
export interface Talk {
  readonly to: keyof typeof dialects;
  readonly lines: readonly string[];
  /** By default these are questions, each answered in JSON. */
  readonly isChange?: boolean;
}

/** The one way to run a program: its standard output. @throws missing-program, command-failed */
export type Exec = (command: Command) => Promise<string>;

const stderrLimit = 400;

export const exec: Exec = async (command) => {
  // Loaded late: it costs as much memory as everything else in the agent, and start-up begins with
  // reading files.
  const { execa } = await import('execa');
  const { timeoutMs: timeout = 15_000 } = command;
  const result = await execa(command.program, command.args, {
    reject: false,
    stripFinalNewline: false,
    timeout,
    maxBuffer: 16 * 1024 * 1024,
    // Tools print times, errors and numbers in the owner's language otherwise.
    env: { LC_ALL: 'C', ...command.env },
    stdout: command.isSilent === true ? 'ignore' : 'pipe',
    ...(command.input === undefined ? { stdin: 'ignore' as const } : { input: command.input }),
  });
  if (!result.failed) return result.stdout ?? '';
  if (result.code === 'ENOENT') {
    throw new TributaryError(
      'missing-program',
      `${command.doing}: the program ${command.program} is not installed`,
    );
  }
  const how =
    result.exitCode === undefined
      ? `failed (${result.code ?? result.signal})`
      : `exited with ${result.exitCode}`;
  // Never standard input nor standard output: they may hold keys.
  const said = result.stderr.trim().replace(/\s+/g, ' ').slice(0, stderrLimit);
  const failure = result.timedOut
    ? `did not finish within ${timeout / 1000} s`
    : `${how}${said === '' ? '' : `: ${said}`}`;
  throw new TributaryError('command-failed', `${command.doing}: ${command.program} ${failure}`);
};
