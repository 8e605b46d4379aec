import type { dialects } from './dialects.ts';
import { SystemError } from './errors.ts';
import { openMemoryFile } from './memory-file.ts';
import { isMissing } from './missing-program.ts';

/** A program to run. Arguments are a list, so nothing here ever reaches a shell. */
interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Text for its standard input. */
  readonly input?: string;
  /**
   * True for a program that opens its standard input by name, `/dev/stdin`: it gets a file in
   * memory, because the sockets that Node uses as pipes cannot be opened.
   */
  readonly opensInput?: boolean;
  /** What is being done, for the error: `adding address 10.0.0.2/32`. */
  readonly doing: string;
  /** In ms, 15,000 by default; the program is ended after it. */
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** True where its standard output is not needed. */
  readonly isSilent?: boolean;
  /**
   * What the command does, in lines for a program that is kept running. `talking-exec.ts` prefers
   * it.
   */
  readonly talk?: Talk;
}

/**
 * Lines for a kept program, given in order until one is refused. If the conversation breaks off,
 * the command that carries these lines is run as a program instead and does everything again.
 */
export interface Talk {
  readonly to: keyof typeof dialects;
  readonly lines: readonly string[];
  /** True for changes. By default the lines are questions, each answered in JSON. */
  readonly isChange?: boolean;
}

/**
 * The one way to run a program. Resolves with its standard output.
 * @throws missing-program, command-failed
 */
export type Exec = (command: Command) => Promise<string>;

const stderrLimit = 400;

export const exec: Exec = async (command) => {
  // Loaded at the first use: execa takes as much memory as the rest of the agent, and start-up
  // begins with reading files.
  const { execa } = await import('execa');
  const { timeoutMs: timeout = 15_000, input } = command;
  await using file =
    command.opensInput === true && input !== undefined ? await openMemoryFile(input) : undefined;
  const result = await execa(command.program, command.args, {
    reject: false,
    stripFinalNewline: false,
    timeout,
    maxBuffer: 16 * 1024 * 1024,
    // In the owner's locale, tools would translate errors and change the form of times and numbers.
    env: { LC_ALL: 'C', ...command.env },
    stdout: command.isSilent === true ? 'ignore' : 'pipe',
    ...(file !== undefined
      ? // Any number is a descriptor; the types know the first few only.
        { stdin: file.fd as 3 }
      : input === undefined
        ? { stdin: 'ignore' as const }
        : { input }),
  });
  if (!result.failed) return result.stdout ?? '';
  if (await isMissing(command.program, result.code)) {
    throw new SystemError(
      'missing-program',
      `${command.doing}: the program ${command.program} is not installed`,
    );
  }
  const how =
    result.exitCode === undefined
      ? `failed (${result.code ?? result.signal})`
      : `exited with ${result.exitCode}`;
  // Errors quote standard error alone: standard input and output may hold keys.
  const said = result.stderr.trim().replace(/\s+/g, ' ').slice(0, stderrLimit);
  const failure = result.timedOut
    ? `did not finish within ${timeout / 1000} s`
    : `${how}${said === '' ? '' : `: ${said}`}`;
  throw new SystemError('command-failed', `${command.doing}: ${command.program} ${failure}`);
};

/**
 * Runs a program that speaks with the person at the terminal itself, such as an editor, until it
 * ends; resolves with its exit code.
 * @throws missing-program
 */
export async function runAttached(program: string, args: readonly string[]): Promise<number> {
  const { execa } = await import('execa');
  const result = await execa(program, args, { reject: false, stdio: 'inherit' });
  if (await isMissing(program, result.code))
    throw new SystemError('missing-program', `the program ${program} is not installed`);
  return result.exitCode ?? 1;
}
