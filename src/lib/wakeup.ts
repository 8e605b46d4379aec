import { sleep } from './sleep.ts';

/** A signal between loops: `notify` ends the current or the next `wait`. Several notices before a wait count once. */
export interface Wakeup {
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
