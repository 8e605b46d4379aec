import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../lib/errors.ts';

/** What Linux allows for the path of a socket, less the closing zero. */
const longestBytes = 107;

/** The socket of a running service for its administrator's commands; undefined where its path would be too long. */
export function findControlPath(directory: string): string | undefined {
  const path = join(directory, 'control.sock');
  return Buffer.byteLength(path) > longestBytes ? undefined : path;
}

const pauseMs = 50;

/** Does the work; repeats it for up to `patienceMs` while another process has the database open. @throws what the work throws */
export async function waitForDatabase<T>(patienceMs: number, work: () => T | Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + patienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!hasCode(error, 'already-running') || performance.now() > deadlineMs) throw error;
    }
    await sleep(pauseMs);
  }
}
