/** Wakes one loop that waits, for a time or for ever. */
export interface Bell {
  /** Ends the wait; without one, the next wait ends at once. */
  ring(): void;
  /** Resolves after so many ms, when it is rung, or when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createBell(): Bell {
  let wasRung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      wasRung = true;
      wake?.();
    },
    async wait(ms, signal) {
      if (!wasRung && !signal.aborted) await sleepUntil(ms, signal, (end) => (wake = end));
      wake = undefined;
      wasRung = false;
    },
  };
}

function sleepUntil(
  ms: number,
  signal: AbortSignal,
  give: (end: () => void) => void,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = Number.isFinite(ms) ? setTimeout(resolve, ms) : undefined;
  const abort = (): void => resolve();
  signal.addEventListener('abort', abort, { once: true });
  give(resolve);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  });
}
