import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { computeBackoffMs } from '../lib/backoff.ts';
import { sleep } from '../lib/sleep.ts';

/** A program that runs as long as this process and says something now and then, a line at a time. */
export interface KeptProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly onLine: (line: string) => void;
  /** It was started again: what happened meanwhile was not said. */
  readonly onReturn: () => void;
}

export interface Kept {
  /** Resolves when the signal aborts and the program has ended. */
  readonly ended: Promise<void>;
  /** Ends the program, which is then started again. */
  restart(): void;
}

/** The one way to keep a program running; it is started again whenever it ends, and tried again where it is missing. */
export type KeepProgram = (program: KeptProgram, signal: AbortSignal) => Kept;

const again = { baseMs: 500, maxMs: 300_000 };
/** Longer than that, and its end has no lasting cause. */
const wellMs = 10_000;
/** A line is cut there; what this program says in longer ones is not needed. */
const lineLimit = 65_536;

export const keepProgram: KeepProgram = (program, signal) => {
  const running = { restart: (): void => undefined, isRestarted: false };
  const run = async () => {
    for (let failures = 0; !signal.aborted; ) {
      const startedAtMs = performance.now();
      await runOnce(program, running, signal);
      const isWell = running.isRestarted || performance.now() - startedAtMs > wellMs;
      running.isRestarted = false;
      failures = isWell ? 1 : failures + 1;
      if (await sleep(failures === 1 ? 50 : computeBackoffMs(failures, again), signal)) program.onReturn();
    }
  };
  return { ended: run(), restart: () => running.restart() };
};

/** Resolves when it has ended, however that came. */
async function runOnce(
  { program, args, onLine }: KeptProgram,
  running: { restart: () => void; isRestarted: boolean },
  signal: AbortSignal,
): Promise<void> {
  // The kernel ends it with this process, by kill -9 too: it would wait for its next line otherwise, perhaps for months.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', program, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const end = () => void child.kill('SIGKILL');
  // Its end is no failure of its own then.
  running.restart = () => {
    running.isRestarted = true;
    end();
  };
  signal.addEventListener('abort', end, { once: true });
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = (lines.pop() ?? '').slice(0, lineLimit);
    for (const line of lines) onLine(line);
  });
  await once(child, 'close').catch(() => undefined);
  signal.removeEventListener('abort', end);
}
