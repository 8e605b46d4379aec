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
export function findPeriod(
  settings: PeriodSettings,
  now: Date,
  timeZone: TimeZone,
): { readonly start: Date; readonly end: Date } {
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

/** How much of a cap was used, and in which time. */
export interface UsedSoFar {
  /** When the period began, or when counting began if that was later. */
  readonly since: Date;
  readonly bytes: number;
  /** undefined without a cap. */
  readonly capBytes: number | undefined;
  readonly periodEnd: Date;
}

/** A pace over less than this (ms) says little. */
const leastMs = dayMs;

/**
 * When the cap will be reached at the pace of this period; undefined where it is too early to say,
 * and where it will not be or already is reached.
 */
export function projectReachedAt(
  { since, bytes, capBytes, periodEnd }: UsedSoFar,
  now: Date,
): Date | undefined {
  const elapsedMs = now.getTime() - since.getTime();
  if (capBytes === undefined || bytes <= 0 || bytes >= capBytes || elapsedMs < leastMs)
    return undefined;
  const reachedMs = since.getTime() + elapsedMs * (capBytes / bytes);
  return reachedMs < periodEnd.getTime() ? new Date(reachedMs) : undefined;
}
