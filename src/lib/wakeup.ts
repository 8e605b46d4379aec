import { sleep } from './sleep.ts';

/**
 * How one loop ends another loop's wait. One loop waits at a time. Several notices that come while
 * nothing waits count as one.
 */
export interface Wakeup {
  /** Ends the current or the next `wait`. */
  notify(): void;
  /**
   * Waits `ms`, in the way that is given, or until a notice or the abort; resolves in each case.
   */
  wait(ms: number, signal: AbortSignal, pause?: typeof sleep): Promise<void>;
}

export function createWakeup(): Wakeup {
  let isNotified = false;
  let end = (): void => undefined;
  return {
    notify() {
      isNotified = true;
      end();
    },
    async wait(ms, signal, pause = sleep) {
      const over = new AbortController();
      const onAbort = () => over.abort();
      end = onAbort;
      if (isNotified || signal.aborted) end();
      signal.addEventListener('abort', onAbort, { once: true });
      await pause(ms, over.signal);
      signal.removeEventListener('abort', onAbort);
      isNotified = false;
    },
  };
}
