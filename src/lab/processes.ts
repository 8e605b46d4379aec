import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { TributaryError } from '../lib/errors.ts';

/** A process of the lab, its output kept line by line. */
export type LabProcess = ReturnType<typeof startProcess>;

export interface LabCommand {
  readonly argv: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Every line, as it comes. */
  readonly onLine?: ((line: string) => void) | undefined;
}

/** Starts a process; standard output and error go into the same lines. */
export function startProcess({ argv: [program, ...args], env, onLine }: LabCommand) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  const lines: string[] = [];
  const listeners = new Set<() => void>();
  const take = (line: string) => {
    lines.push(line);
    onLine?.(line);
    for (const listener of listeners) listener();
  };
  createInterface({ input: child.stdout }).on('line', take);
  createInterface({ input: child.stderr }).on('line', take);
  // close, not exit: the last lines are read by then.
  const exited = once(child, 'close').then(
    ([code]): number | null => code,
    () => null,
  );
  return {
    lines: lines as readonly string[],
    /** Exit code, or null after a signal. */
    exited,
    kill: (signal: NodeJS.Signals = 'SIGTERM') => void child.kill(signal),
    /** Resolves with the first line that fits, also one already there. @throws lab-failed when it ends or takes too long */
    waitForLine: (fits: (line: string) => boolean, timeoutMs = 30_000) =>
      new Promise<string>((resolve, reject) => {
        const fail = (why: string) => {
          stop();
          const said = lines.slice(-5).join(' | ');
          reject(new TributaryError('lab-failed', `${program} ${args.join(' ')}: ${why}: ${said}`));
        };
        const look = () => {
          const line = lines.find(fits);
          if (line === undefined) return;
          stop();
          resolve(line);
        };
        const timer = setTimeout(() => fail(`not ready within ${timeoutMs / 1000} s`), timeoutMs);
        const stop = () => {
          clearTimeout(timer);
          listeners.delete(look);
        };
        listeners.add(look);
        void exited.then((code) => (listeners.has(look) ? fail(`it ended with ${code}`) : undefined));
        look();
      }),
  };
}
