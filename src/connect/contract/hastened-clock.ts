/**
 * The platform's clock beside ours, in ms, where a sandbox may hasten it. As long as nobody does,
 * both show the same.
 */
export interface HastenedClock {
  /** What it shows at a time of ours. */
  time(now: number): number;
  /** When ours is to show that, if its rate stays as it is. */
  ours(time: number): number;
  isHastened(): boolean;
  /** From now on so many of its ms pass in one of ours. */
  hasten(rate: number, now: number): void;
}

export function createHastenedClock(): HastenedClock {
  let rate = 1;
  /** A moment of our clock, and what this one showed then. */
  let [since, timeThen] = [0, 0];
  const time = (now: number): number => timeThen + (now - since) * rate;
  return {
    time,
    ours: (at) => since + (at - timeThen) / rate,
    isHastened: () => rate > 1,
    hasten(next, now) {
      [since, timeThen, rate] = [now, time(now), next];
    },
  };
}
