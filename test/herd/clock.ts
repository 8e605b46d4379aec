/**
 * Time as the agent's code sees it while a device is driven: `Date` is handed in, the monotonic
 * clock replaced.
 */
export interface VirtualClock {
  /** Since the devices were switched on. */
  ms: number;
}

/** Runs `work` with `performance.now` on virtual time. */
export async function onVirtualTime<T>(work: (clock: VirtualClock) => Promise<T>): Promise<T> {
  const clock: VirtualClock = { ms: 0 };
  Object.defineProperty(performance, 'now', { value: () => clock.ms, configurable: true });
  try {
    return await work(clock);
  } finally {
    Reflect.deleteProperty(performance, 'now');
  }
}

/** A small random generator (mulberry32), the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
