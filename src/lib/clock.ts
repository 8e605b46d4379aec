/** The beginning of 2026, UTC. The program is younger. */
const earliestMs = 1_767_225_600_000;

/**
 * False for a time (ms since 1970) that only a clock shows which was never set: a board without one
 * boots in 1970.
 */
export function isClockSet(nowMs: number): boolean {
  return nowMs >= earliestMs;
}
