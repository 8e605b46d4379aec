/**
 * How long frames may wait for their turn. A queue that is merely long makes every connection
 * through it slow, and where it is full at last, what it loses is missing for as long as the rest
 * of it takes: seconds of silence. So one frame is dropped while the queue is still short, and more
 * of them the longer it stays that long; TCP slows down by that. This is the rule known as CoDel.
 */
export interface Patience {
  /**
   * Whether the frame at the front is to be dropped. Asked when that frame could be sent, and again
   * after each one that was dropped.
   */
  isOver(waitedMs: number, now: number): boolean;
}

/** A wait that a burst may bring about, and that costs nobody anything. */
const usualWait = 50;
/** For so long the wait may be longer: a sender hears of a drop a round trip later. */
const period = 200;
/** A wait that comes back within so many periods goes on where the last one ended. */
const rememberedPeriods = 16;

export function createPatience(): Patience {
  /** When the wait will have been too long for a period; undefined while it is short. */
  let tooLongAt: number | undefined;
  let nextDropAt = Number.POSITIVE_INFINITY;
  /** Drops since the wait became too long, which is what the next one comes the sooner for. */
  let drops = 0;
  let isDropping = false;

  const planNext = (after: number): void => {
    nextDropAt = after + period / Math.sqrt(drops);
  };
  const begin = (now: number): void => {
    const isRemembered = now - nextDropAt < rememberedPeriods * period;
    drops = isRemembered && drops > 2 ? drops - 2 : 1;
    isDropping = true;
    planNext(now);
  };

  return {
    isOver(waitedMs, now) {
      if (waitedMs < usualWait) {
        tooLongAt = undefined;
        isDropping = false;
        return false;
      }
      tooLongAt ??= now + period;
      if (now < tooLongAt) return false;
      if (!isDropping) {
        begin(now);
        return true;
      }
      if (now < nextDropAt) return false;
      drops++;
      planNext(nextDropAt);
      return true;
    },
  };
}
