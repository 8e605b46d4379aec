/** Waits `ms`, or until the signal aborts; resolves either way, true when the time passed. One listener, removed again. */
export function sleep(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve(!signal.aborted);
    };
    // setTimeout takes at most 2^31-1 ms; a longer wait would fire at once.
    const timer = setTimeout(finish, Math.min(ms, 2_147_483_647));
    signal.addEventListener('abort', finish, { once: true });
  });
}
