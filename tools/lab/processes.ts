import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { LabError } from './lab-error.ts';

/** A process of the lab, with its output line by line. */
export interface LabProcess {
  readonly lines: readonly string[];
  /** -1 if it could not be started, which `exited` reports. */
  readonly pid: number;
  /** The exit code; null after a signal. */
  readonly exited: Promise<number | null>;
  hasEnded(): boolean;
  /** By default SIGTERM. */
  kill(signal?: NodeJS.Signals): void;
  /**
   * Resolves with the first line that fits, even if it was printed before. Without `timeoutMs` it
   * waits for a minute.
   * @throws LabError if the process ends or takes too long
   */
  waitForLine(fits: (line: string) => boolean, timeoutMs?: number): Promise<string>;
}

export interface LabCommand {
  readonly argv: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  readonly onLine?: ((line: string) => void) | undefined;
}

/** Starts a process. Its standard output and error go into one list of lines. */
export function startProcess({ argv: [program, ...args], env, onLine }: LabCommand): LabProcess {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const lines: string[] = [];
  const news = new EventEmitter();
  let ending: string | undefined;
  const take = (line: string) => {
    lines.push(line);
    onLine?.(line);
    news.emit('line');
  };
  createInterface({ input: child.stdout }).on('line', take);
  createInterface({ input: child.stderr }).on('line', take);
  // `close` is awaited instead of `exit`, because the last lines are read by then.
  const exited = once(child, 'close').then(
    ([code]): number | null => code,
    () => null,
  );
  void exited.then((code) => {
    ending = `it ended with ${code}`;
    news.emit('line');
  });
  return {
    lines,
    pid: child.pid ?? -1,
    exited,
    hasEnded: () => ending !== undefined,
    kill: (signal = 'SIGTERM') => void child.kill(signal),
    async waitForLine(fits, timeoutMs = 60_000) {
      const patience = AbortSignal.timeout(timeoutMs);
      for (;;) {
        const line = lines.find(fits);
        if (line !== undefined) return line;
        const why =
          ending ?? (patience.aborted ? `not ready within ${timeoutMs / 1000} s` : undefined);
        const said = lines.slice(-5).join(' | ');
        if (why !== undefined) throw new LabError(`${program} ${args.join(' ')}: ${why}: ${said}`);
        await once(news, 'line', { signal: patience }).catch(() => undefined);
      }
    },
  };
}
