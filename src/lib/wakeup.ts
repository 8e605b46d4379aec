import { sleep } from './sleep.ts';

/** How one loop ends another's wait. Notices that come while nothing waits count once. */
export type Wakeup = ReturnType<typeof createWakeup>;

export function createWakeup() {
  let isNotified = false;
  let waiting: AbortController | undefined;
  return {
    /** Ends the current or the next `wait`. */
    notify(): void {
      isNotified = true;
      waiting?.abort();
    },
    /** Waits `ms`, a notice, or the abort; resolves in each case. */
    async wait(ms: number, signal: AbortSignal): Promise<void> {
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
