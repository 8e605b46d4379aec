/**
 * How many bytes a minute something takes. All times are of one clock, in ms; a minute is one of
 * that clock.
 */
export interface MinuteRate {
  add(bytes: number, now: number): void;
  /** The last whole minute's, or this one's where more. */
  bytesPerMinute(now: number): number;
  /** What the busiest took of this minute and the four before it. */
  mostPerMinute(now: number): number;
}

const minute = 60_000;
const remembered = 4;

export function createMinuteRate(): MinuteRate {
  let startedAt = Number.NEGATIVE_INFINITY;
  let current = 0;
  /** Whole minutes, the newest first. */
  let before: readonly number[] = [];
  const turn = (now: number): void => {
    const passed = Math.floor((now - startedAt) / minute);
    if (passed < 1) return;
    const empty = new Array<number>(Math.min(passed - 1, remembered)).fill(0);
    before = [...empty, current, ...before].slice(0, remembered);
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
      return Math.max(before[0] ?? 0, current);
    },
    mostPerMinute(now) {
      turn(now);
      return Math.max(current, ...before);
    },
  };
}
