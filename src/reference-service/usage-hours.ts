import { dayMs, hourMs } from '../lib/units.ts';

/* The hours and days by which usage is booked, in UTC. */

/** The start of the hour that contains a moment, both in ms since 1970 (UTC). */
export function toHourStart(atMs: number): number {
  return Math.floor(atMs / hourMs) * hourMs;
}

/** The start of the first of so many whole hours, of which the current one is the last. */
export function findWindowStart(nowMs: number, hours: number): number {
  return toHourStart(nowMs) - (hours - 1) * hourMs;
}

/** The day since 1970 (UTC) that contains a moment in ms since 1970. */
export function toDay(atMs: number): number {
  return Math.floor(atMs / dayMs);
}
