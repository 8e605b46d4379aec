import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { computeBackoffMs } from '../lib/backoff.ts';
import { sleep } from '../lib/sleep.ts';

/** A program that runs as long as this process and prints a line now and then. */
export interface KeptProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly onLine: (line: string) => void;
  /** Called after each restart of the program: what happened meanwhile was not reported. */
  readonly onReturn: () => void;
}

export interface Kept {
  /** Resolves when the signal aborts and the program has ended. */
  readonly ended: Promise<void>;
  /** Ends the program, which makes it start again. */
  restart(): void;
}

/**
 * The one way to keep a program running. It is started again whenever it ends, and retried where it
 * is missing.
 */
export type KeepProgram = (program: KeptProgram, signal: AbortSignal) => Kept;

const again = { baseMs: 500, maxMs: 300_000 };
/**
 * A program that ran longer than this (ms) has ended for no lasting cause, so it is restarted at
 * once.
 */
const wellMs = 10_000;
/** A line is cut at this many characters; no longer line is needed. */
const lineLimit = 65_536;

export const keepProgram: KeepProgram = ({ program, args, onLine, onReturn }, signal) => {
  let child: ChildProcess | undefined;
  let isRestarted = false;
  const end = () => void child?.kill('SIGKILL');
  const run = async () => {
    signal.addEventListener('abort', end, { once: true });
    for (let failures = 0; !signal.aborted; ) {
      const startedAtMs = performance.now();
      child = tryToStart(program, args, onLine);
      await waitForEnd(child);
      // An end that `restart` caused is no failure.
      const isWell = isRestarted || performance.now() - startedAtMs > wellMs;
      isRestarted = false;
      failures = isWell ? 1 : failures + 1;
      if (await sleep(failures === 1 ? 50 : computeBackoffMs(failures, again), signal)) onReturn();
    }
    signal.removeEventListener('abort', end);
  };
  const restart = () => {
    isRestarted = true;
    end();
  };
  return { ended: run(), restart };
};

/** undefined where the machine has no memory or descriptor left for it, which may come again. */
function tryToStart(...given: Parameters<typeof start>): ChildProcess | undefined {
  try {
    return start(...given);
  } catch {
    return undefined;
  }
}

async function waitForEnd(child: ChildProcess | undefined): Promise<void> {
  if (child !== undefined) await once(child, 'close').catch(() => undefined);
}

function start(
  program: string,
  args: readonly string[],
  onLine: KeptProgram['onLine'],
): ChildProcess {
  // The kernel ends the program with this process, after kill -9 too. Otherwise it would live until
  // its next line, perhaps for months.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', program, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // Without a descriptor there is no standard output, and what failed is told by this event.
  child.on('error', () => undefined);
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = (lines.pop() ?? '').slice(0, lineLimit);
    for (const line of lines) onLine(line);
  });
  return child;
}
