import { once } from 'node:events';
import { isAbort } from '../../lib/errors.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Wakeup } from '../../lib/wakeup.ts';

/** A loop: one tick after another until the signal aborts, with a wait in between. */
export interface Loop {
  readonly name: string;
  /** Resolves with the time until the next tick is due (ms). Its own failures are its own to handle. */
  readonly tick: (signal: AbortSignal) => Promise<number>;
  /** What has to be done before the first tick; undefined: nothing. */
  readonly begin?: (() => Promise<unknown>) | undefined;
  /** Ends the wait early; undefined: the loop waits its time. */
  readonly wakeup?: Wakeup | undefined;
  /** Silent for longer (ms), the loop counts as stalled: `/livez` and the watchdog ask. undefined: nothing depends on it. */
  readonly maxSilenceMs?: number | undefined;
}

/** Runs the loop to its end. What a tick throws is a bug and ends the agent. */
export async function runLoop(loop: Loop, signal: AbortSignal, heartbeats?: Heartbeats): Promise<void> {
  const { name, tick, begin, wakeup, maxSilenceMs } = loop;
  const beat = maxSilenceMs === undefined ? undefined : heartbeats?.register(name, maxSilenceMs);
  if (begin !== undefined && !signal.aborted) await Promise.race([begin(), once(signal, 'abort')]);
  while (!signal.aborted) {
    beat?.();
    let waitMs: number;
    try {
      waitMs = await tick(signal);
    } catch (error) {
      if (isAbort(error) && signal.aborted) return;
      throw error;
    }
    beat?.();
    await (wakeup === undefined ? sleep(waitMs, signal) : wakeup.wait(waitMs, signal));
  }
}

/** The tick, but for the first, which waits (ms) until the start of the agent is over. */
export function afterStart(waitMs: number, tick: Loop['tick']): Loop['tick'] {
  let isStarting = true;
  return async (signal) => {
    if (!isStarting) return tick(signal);
    isStarting = false;
    return waitMs;
  };
}

/** A tick that does the same again and again, with so long a wait (ms) in between. */
export function every(waitMs: number, work: () => unknown): Loop['tick'] {
  return async () => {
    await work();
    return waitMs;
  };
}

/** Which loops still go round; `/livez` and the watchdog ask it. */
export type Heartbeats = ReturnType<typeof createHeartbeats>;

/** @param nowMs a monotonic clock in ms, such as `() => performance.now()` */
export function createHeartbeats(nowMs: () => number) {
  const loops = new Map<string, { lastMs: number; readonly maxSilenceMs: number }>();
  return {
    /** Announces a loop that goes round at least once in `maxSilenceMs`; call the result on every tick. */
    register(loop: string, maxSilenceMs: number): () => void {
      const entry = { lastMs: nowMs(), maxSilenceMs };
      loops.set(loop, entry);
      return () => {
        entry.lastMs = nowMs();
      };
    },
    /** Names of the loops that have been silent for too long. */
    stalled(): readonly string[] {
      const now = nowMs();
      return [...loops].filter(([, { lastMs, maxSilenceMs }]) => now - lastMs > maxSilenceMs).map(([loop]) => loop);
    },
  };
}
