import { sleep } from './sleep.ts';

/**
 * How one loop ends another loop's wait. Several notices that come while nothing waits count as
 * one.
 */
export type Wakeup = ReturnType<typeof createWakeup>;

export function createWakeup() {
  let isNotified = false;
  let end = (): void => undefined;
  return {
    /** Ends the current or the next `wait`. */
    notify(): void {
      isNotified = true;
      end();
    },
    /** Waits `ms`, or until a notice or the abort; resolves in each case. */
    async wait(ms: number, signal: AbortSignal): Promise<void> {
      const over = new AbortController();
      const onAbort = () => over.abort();
      end = onAbort;
      if (isNotified || signal.aborted) end();
      signal.addEventListener('abort', onAbort, { once: true });
      await sleep(ms, over.signal);
      signal.removeEventListener('abort', onAbort);
      isNotified = false;
    },
  };
}
