import { isClockSet } from '../lib/clock.ts';
import { startAt, unitMs } from './ledger-line.ts';

/** A clock that is so far behind the newest hour is taken for late, not for right. */
const latestMs = 48 * unitMs.hour;

/**
 * The hour that is counted in now. A clock that was never set, or is late (a board without one begins where it was switched
 * off, or in 1970), stays in the newest hour. An hour more than two days ahead of a clock that was set is a mistake, and is
 * left behind. undefined: nothing says what time it is.
 */
export function chooseHour(nowMs: number, newest: string | undefined): string | undefined {
  if (!isClockSet(nowMs)) return newest;
  const hour = startAt('hour', nowMs);
  if (newest === undefined || hour >= newest) return hour;
  return Date.parse(newest) - Date.parse(hour) <= latestMs ? newest : hour;
}

/** The last hour to be shown, for a clock that was set: what one that ran ahead left behind is not. */
export function findLastShown(nowMs: number): number {
  return nowMs + latestMs;
}
