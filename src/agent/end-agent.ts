import { messageOf } from '../errors/codes.ts';
import { sleep } from '../lib/sleep.ts';
import type { Logger } from '../report/logger.ts';

/** All of the end takes at most this time (ms); systemd kills five seconds later. */
export const endWithinMs = 25_000;
/** What still keeps the process alive after the end has this time (ms). */
const lingerMs = 5_000;

/** A step of the end, and what it does in words for the log. */
export interface EndStep {
  readonly doing: string;
  readonly run: () => unknown;
  /**
   * The next step begins after this time (ms) at the latest: for a step that may wait for a disk.
   * undefined: the next one needs that this one is over.
   */
  readonly patienceMs?: number;
}

export interface EndParts {
  readonly log: Pick<Logger, 'error'>;
  /** Ends the process; undefined where something else ends it. */
  readonly exit: ((code?: number) => void) | undefined;
}

/**
 * Runs every step in order, whatever became of the steps before it, and resolves with the first
 * failure. A step that does not end, or something that keeps the process alive afterwards, is cut
 * short by the end of the process: an agent that is neither running nor gone would be started again
 * by nobody.
 */
export async function endInOrder(
  steps: readonly EndStep[],
  { log, exit }: EndParts,
): Promise<unknown> {
  const beganAtMs = performance.now();
  let [failure, current]: [unknown, string] = [undefined, ''];
  const late = setTimeout(() => {
    log.error({ doing: current }, 'the end takes too long; the process ends now');
    exit?.(70);
  }, endWithinMs);
  for (const step of steps) {
    current = step.doing;
    try {
      if (!(await isOverInTime(step)))
        log.error({ doing: current }, 'a step of the end takes too long; the next one begins');
    } catch (error) {
      log.error({ doing: current, reason: messageOf(error) }, 'a step of the end failed');
      failure ??= error;
    }
  }
  clearTimeout(late);
  const leftMs = Math.max(0, endWithinMs - (performance.now() - beganAtMs));
  if (exit !== undefined) setTimeout(() => exit(), Math.min(lingerMs, leftMs)).unref();
  return failure;
}

/** Runs the step; false where its patience ended first. What it throws later is of no use. */
async function isOverInTime({ run, patienceMs }: EndStep): Promise<boolean> {
  const done = (async () => {
    await run();
    return true;
  })();
  if (patienceMs === undefined) return await done;
  const ended = new AbortController();
  const late = sleep(patienceMs, ended.signal).then(() => false);
  return await Promise.race([done, late]).finally(() => ended.abort());
}
