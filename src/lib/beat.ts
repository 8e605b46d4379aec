import { sleep } from './sleep.ts';

/** A timer can hold no longer wait (ms). */
const longestMs = 2 ** 31 - 1;

/**
 * Waits as `sleep` does, except that several waits end in one moment: at the last beat before their
 * time is over, so up to `beatMs` early. Whenever a process at rest wakes, its caches are cold,
 * which costs more than what it does then. A wait shorter than a beat lasts its own time.
 */
export function createBeat(beatMs: number): typeof sleep {
  const waiting = new Map<number, Set<() => void>>();
  let timer: NodeJS.Timeout | undefined;
  const arm = () => {
    clearTimeout(timer);
    if (waiting.size === 0) return;
    const restMs = Math.min(...waiting.keys()) * beatMs - performance.now();
    // A timer may come a moment early. The next wait would then end a whole beat early.
    timer = setTimeout(ring, Math.min(restMs + 2, longestMs));
  };
  const ring = () => {
    const present = Math.floor(performance.now() / beatMs);
    for (const [beat, ends] of waiting) {
      if (beat > present) continue;
      waiting.delete(beat);
      for (const end of ends) end();
    }
    arm();
  };
  return async (ms, signal) => {
    if (ms < beatMs || signal.aborted) return sleep(ms, signal);
    const beat = Math.floor((performance.now() + ms) / beatMs);
    const ends = waiting.get(beat) ?? new Set();
    waiting.set(beat, ends);
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    ends.add(end);
    arm();
    signal.addEventListener('abort', end, { once: true });
    await promise;
    signal.removeEventListener('abort', end);
    ends.delete(end);
    if (ends.size === 0 && waiting.get(beat) === ends) {
      waiting.delete(beat);
      arm();
    }
    return !signal.aborted;
  };
}
