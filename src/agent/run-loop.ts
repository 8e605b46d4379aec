import { isAbort } from '../lib/errors.ts';
import { sleep } from '../lib/sleep.ts';
import type { Wakeup } from '../lib/wakeup.ts';

/** A loop: one tick after another until the signal aborts, with a wait in between. */
export interface Loop {
  readonly name: string;
  /**
   * Resolves with the time until the next tick is due (ms). Its own failures are its own to handle.
   */
  readonly tick: (signal: AbortSignal) => Promise<number>;
  /** How long (ms) its first tick waits; undefined: not at all. */
  readonly firstAfterMs?: number | undefined;
  /** Ends the wait early; undefined: the loop waits its time. */
  readonly wakeup?: Wakeup | undefined;
  /**
   * Silent for longer (ms), the loop counts as stalled: `/livez` and the watchdog ask. undefined:
   * nothing depends on it.
   */
  readonly maxSilenceMs?: number | undefined;
}

/** Runs the loop to its end. What a tick throws is a bug and ends the agent. */
export async function runLoop(
  loop: Loop,
  signal: AbortSignal,
  heartbeats?: Heartbeats,
): Promise<void> {
  const { tick, firstAfterMs, wakeup } = loop;
  const pause = (ms: number) =>
    wakeup === undefined ? sleep(ms, signal) : wakeup.wait(ms, signal);
  if (firstAfterMs !== undefined) await pause(firstAfterMs);
  while (!signal.aborted) {
    heartbeats?.beat(loop);
    let waitMs: number;
    try {
      waitMs = await tick(signal);
    } catch (error) {
      if (isAbort(error) && signal.aborted) return;
      throw error;
    }
    heartbeats?.beat(loop);
    await pause(waitMs);
  }
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

export function createHeartbeats() {
  const beats = new Map<Loop, number>();
  return {
    /** Called before and after each tick of a loop. */
    beat: (loop: Loop) => void beats.set(loop, performance.now()),
    stalled: (): readonly string[] =>
      [...beats].flatMap(([{ name, maxSilenceMs = Number.POSITIVE_INFINITY }, atMs]) =>
        performance.now() - atMs > maxSilenceMs ? [name] : [],
      ),
  };
}
