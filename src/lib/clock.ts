/** The beginning of 2026, UTC, in ms. The program is younger, so an earlier time is wrong. */
const earliestMs = 1_767_225_600_000;

/**
 * False for a time (ms since 1970) from a clock that was never set: a board without a clock boots
 * in 1970.
 */
export function isClockSet(nowMs: number): boolean {
  return nowMs >= earliestMs;
}
