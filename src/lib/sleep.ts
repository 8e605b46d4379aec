/**
 * Waits `ms`, or until the signal aborts. Resolves with true when the time passed and with false on
 * an abort; its listener is removed again.
 */
export async function sleep(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  const { promise, resolve } = Promise.withResolvers<unknown>();
  // setTimeout takes at most 2^31-1 ms: a longer wait would end at once.
  const timer = setTimeout(resolve, Math.min(ms, 2_147_483_647));
  signal.addEventListener('abort', resolve, { once: true });
  await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', resolve);
  return !signal.aborted;
}
