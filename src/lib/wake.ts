import { sleep } from './sleep.ts';

/** A doorbell between loops: `ring` ends the current or the next `wait`. Rings that come while nobody waits count once. */
export interface Wake {
  ring(): void;
  /** Waits `ms`, a ring, or the abort; resolves in each case. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createWake(): Wake {
  let isRung = false;
  let waiting: AbortController | undefined;
  return {
    ring() {
      isRung = true;
      waiting?.abort();
    },
    async wait(ms, signal) {
      if (!isRung && !signal.aborted) {
        const controller = new AbortController();
        waiting = controller;
        const onAbort = () => controller.abort();
        signal.addEventListener('abort', onAbort, { once: true });
        await sleep(ms, controller.signal);
        signal.removeEventListener('abort', onAbort);
        waiting = undefined;
      }
      isRung = false;
    },
  };
}
