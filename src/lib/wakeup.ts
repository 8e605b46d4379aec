import { sleep } from './sleep.ts';

/** How one loop ends another's wait. Notices that come while nothing waits count once. */
export interface Wakeup {
  /** Ends the current or the next `wait`. */
  notify(): void;
  /** Waits `ms`, a notice, or the abort; resolves in each case. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createWakeup(): Wakeup {
  let isNotified = false;
  let waiting: AbortController | undefined;
  return {
    notify() {
      isNotified = true;
      waiting?.abort();
    },
    async wait(ms, signal) {
      if (!isNotified && !signal.aborted) {
        const controller = new AbortController();
        waiting = controller;
        const onAbort = () => controller.abort();
        signal.addEventListener('abort', onAbort, { once: true });
        await sleep(ms, controller.signal);
        signal.removeEventListener('abort', onAbort);
        waiting = undefined;
      }
      isNotified = false;
    },
  };
}
