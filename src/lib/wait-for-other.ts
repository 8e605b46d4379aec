import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from './errors.ts';

const pauseMs = 50;

/** Does the work; repeats it for up to `patienceMs` while another process has what it needs. @throws what the work throws */
export async function waitForOther<T>(patienceMs: number, work: () => T | Promise<T>): Promise<T> {
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
