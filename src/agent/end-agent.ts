import { messageOf } from '../errors/codes.ts';
import type { Logger } from '../report/logger.ts';

/** All of the end takes at most this time (ms); systemd kills five seconds later. */
export const endWithinMs = 25_000;
/** What still keeps the process alive after the end has this time (ms). */
const lingerMs = 5_000;

/** A step of the end, and what it does in words for the log. */
export interface EndStep {
  readonly doing: string;
  readonly run: () => unknown;
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
  let [failure, current]: [unknown, string] = [undefined, ''];
  const late = setTimeout(() => {
    log.error({ doing: current }, 'the end takes too long; the process ends now');
    exit?.(70);
  }, endWithinMs);
  for (const { doing, run } of steps) {
    current = doing;
    try {
      await run();
    } catch (error) {
      log.error({ doing, reason: messageOf(error) }, 'a step of the end failed');
      failure ??= error;
    }
  }
  clearTimeout(late);
  if (exit !== undefined) setTimeout(() => exit(), lingerMs).unref();
  return failure;
}
