import { dayMs } from '../lib/units.ts';
import { type TimeZone, toInstantMs, toWallMs } from './zone.ts';

/** How often a data cap begins again (`provide.cap`). */
export interface PeriodSettings {
  readonly period: 'day' | 'week' | 'month';
  /**
   * Day of the month (its last day in a shorter month), or of the week (1 is Monday, 7 Sunday). It
   * is not used for a day.
   */
  readonly resetDay: number;
}

/**
 * The period that contains `now`, from midnight to midnight in the owner's time zone; `end` is the
 * first moment after it.
 */
export function findPeriod(settings: PeriodSettings, now: Date, timeZone: TimeZone) {
  const [startWallMs, endWallMs] = findWallPeriod(settings, toWallMs(now.getTime(), timeZone));
  return {
    start: new Date(toInstantMs(startWallMs, timeZone)),
    end: new Date(toInstantMs(endWallMs, timeZone)),
  };
}

function findWallPeriod(
  { period, resetDay }: PeriodSettings,
  wallMs: number,
): readonly [number, number] {
  const midnightMs = Math.floor(wallMs / dayMs) * dayMs;
  switch (period) {
    case 'day':
      return [midnightMs, midnightMs + dayMs];
    case 'week': {
      const weekday = new Date(midnightMs).getUTCDay();
      const startMs = midnightMs - ((weekday - resetDay + 7) % 7) * dayMs;
      return [startMs, startMs + 7 * dayMs];
    }
    case 'month': {
      const date = new Date(midnightMs);
      const startOf = (monthsOn: number) =>
        findMonthStart(date.getUTCFullYear(), date.getUTCMonth() + monthsOn, resetDay);
      return startOf(0) <= midnightMs ? [startOf(0), startOf(1)] : [startOf(-1), startOf(0)];
    }
  }
}

function findMonthStart(year: number, month: number, resetDay: number): number {
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(resetDay, lastDay));
}
