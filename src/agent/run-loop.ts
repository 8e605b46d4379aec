import { createBeat } from '../lib/beat.ts';
import { isAbort } from '../lib/errors.ts';
import { sleep } from '../lib/sleep.ts';
import { createWakeup, type Wakeup } from '../lib/wakeup.ts';
import type { Failures } from './failures.ts';

/** A loop: one tick after another until the signal aborts, with a wait after each. */
export interface Loop {
  readonly name: string;
  /**
   * Does the work once. Resolves with the ms until the next tick is due. The loop itself handles
   * its failures.
   */
  tick(signal: AbortSignal): Promise<number>;
  /** How long (ms) the first tick waits; undefined for no wait. */
  readonly firstAfterMs?: number | undefined;
  /** Ends the wait early; undefined for a loop that always waits its time. */
  readonly wakeup?: Wakeup | undefined;
  /**
   * A loop without a tick for longer than this (ms) counts as stalled, for `/livez` and the
   * watchdog. undefined for a loop on which nothing depends.
   */
  readonly maxSilenceMs?: number | undefined;
  /** True for a loop without which the agent shares on: what it throws is noted, and it goes on. */
  readonly isOptional?: boolean | undefined;
  /** True where its waits may end up to `beatMs` early, together with other loops' waits. */
  readonly isOnBeat?: boolean | undefined;
}

/** What the loops report to; each is undefined where nobody asks for it. */
export interface LoopSurroundings {
  readonly heartbeats?: Heartbeats | undefined;
  readonly failures?: Pick<Failures, 'note'> | undefined;
  /** How loops wait that are on the beat; by default each for itself. */
  readonly beat?: typeof sleep | undefined;
}

/** Loops that are on the beat wake the process together, once in this time (ms) at most. */
const beatMs = 4_000;
export const createLoopBeat = () => createBeat(beatMs);

/** An optional loop that has failed goes on after this time (ms). */
const afterFailureMs = 60_000;

/**
 * Runs the loop to its end. An error of a tick is a bug, and ends the agent unless the loop is
 * optional.
 */
export async function runLoop(
  loop: Loop,
  signal: AbortSignal,
  { heartbeats, failures, beat = sleep }: LoopSurroundings = {},
): Promise<void> {
  const { tick, firstAfterMs, wakeup } = loop;
  const wait = loop.isOnBeat === true ? beat : sleep;
  const pause = (ms: number) =>
    wakeup === undefined ? wait(ms, signal) : wakeup.wait(ms, signal, wait);
  if (firstAfterMs !== undefined) await pause(firstAfterMs);
  while (!signal.aborted) {
    heartbeats?.beat(loop);
    let waitMs: number;
    try {
      waitMs = await tick(signal);
    } catch (error) {
      if (isAbort(error) && signal.aborted) return;
      if (loop.isOptional !== true || failures === undefined) throw error;
      failures.note(loop.name, error);
      waitMs = afterFailureMs;
    }
    heartbeats?.beat(loop);
    await pause(waitMs);
  }
}

/** A loop whose tick does the same each time and then waits for `waitMs`. */
export function every({
  waitMs,
  work,
  ...loop
}: Pick<Loop, 'name' | 'firstAfterMs' | 'isOptional' | 'isOnBeat'> & {
  readonly waitMs: number;
  readonly work: () => unknown;
}): Loop {
  return {
    ...loop,
    async tick() {
      await work();
      return waitMs;
    },
  };
}

/** Which loops still go round; `/livez` and the watchdog ask it. */
export interface Heartbeats {
  /** Called before and after each tick of a loop. */
  beat(loop: Loop): void;
  /** Names of the loops that were silent for longer than they may be; empty: all is well. */
  stalled(): readonly string[];
}

export function createHeartbeats(): Heartbeats {
  const beats = new Map<Loop, number>();
  return {
    beat: (loop) => void beats.set(loop, performance.now()),
    stalled: () =>
      [...beats].flatMap(([{ name, maxSilenceMs = Number.POSITIVE_INFINITY }, atMs]) =>
        performance.now() - atMs > maxSilenceMs ? [name] : [],
      ),
  };
}

/** How the loops wake each other. */
export interface Wakeups {
  readonly dataPath: Wakeup;
  readonly announce: Wakeup;
  readonly outside: Wakeup;
  readonly service: Wakeup;
}

export function createWakeups(): Wakeups {
  return {
    dataPath: createWakeup(),
    announce: createWakeup(),
    outside: createWakeup(),
    service: createWakeup(),
  };
}
