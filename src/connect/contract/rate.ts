/**
 * How many bytes a minute something takes: the last whole minute's, or this one's where more. All
 * times are of one clock, in ms; a minute is one of that clock.
 */
export interface MinuteRate {
  add(bytes: number, now: number): void;
  bytesPerMinute(now: number): number;
}

const minute = 60_000;

export function createMinuteRate(): MinuteRate {
  let startedAt = Number.NEGATIVE_INFINITY;
  let current = 0;
  let last = 0;
  const turn = (now: number): void => {
    if (now - startedAt < minute) return;
    last = now - startedAt < 2 * minute ? current : 0;
    current = 0;
    startedAt = now;
  };
  return {
    add(bytes, now) {
      turn(now);
      current += bytes;
    },
    bytesPerMinute(now) {
      turn(now);
      return Math.max(last, current);
    },
  };
}
