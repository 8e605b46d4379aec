/** Whether one more contract may be asked for; asking counts. */
export type MayAsk = (time: number) => boolean;

/**
 * How often the service is asked for contracts to one consumer, over all of its sequences: one that
 * begins a newer sequence with each Pack would have us ask, and give back, with each. A download at
 * a gigabit a second takes one of the largest contracts in each second.
 */
const burst = 16;
const perSecond = 2;

/** Times are those by which contracts age, in ms. */
export function createAskPace(): MayAsk {
  let left = burst;
  let filledAt: number | undefined;
  return (time) => {
    left = Math.min(burst, left + ((time - (filledAt ?? time)) * perSecond) / 1000);
    filledAt = time;
    if (left < 1) return false;
    left--;
    return true;
  };
}
