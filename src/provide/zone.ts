import { dayMs, minuteMs } from '../lib/units.ts';

// Wall time is what the owner's clock shows, written as if it were UTC, so that calendar arithmetic
// needs no time zone.

/** The owner's time zone; undefined for the system's. */
export type TimeZone = string | undefined;

/** The wall time at an instant; both in ms since 1970. */
export function toWallMs(instantMs: number, timeZone: TimeZone): number {
  return instantMs + findOffsetMs(instantMs, timeZone);
}

/**
 * The first instant (ms since 1970) at which the wall shows this time; where the clock skips the
 * time, the instant of the change.
 */
export function toInstantMs(wallMs: number, timeZone: TimeZone): number {
  const before = findOffsetMs(wallMs - dayMs, timeZone);
  const after = findOffsetMs(wallMs + dayMs, timeZone);
  if (findOffsetMs(wallMs - before, timeZone) === before) return wallMs - before;
  if (findOffsetMs(wallMs - after, timeZone) === after) return wallMs - after;
  // The clock was put forward over this time. Zones change at full minutes.
  const latestMs = wallMs - Math.min(before, after);
  let changeMs = Math.ceil((wallMs - Math.max(before, after)) / minuteMs) * minuteMs;
  while (changeMs < latestMs && findOffsetMs(changeMs, timeZone) !== after) changeMs += minuteMs;
  return Math.min(changeMs, latestMs);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function findOffsetMs(instantMs: number, timeZone: TimeZone): number {
  // The system's zone needs no Intl, which costs several MB of memory as soon as it is used.
  if (timeZone === undefined) return -new Date(instantMs).getTimezoneOffset() * minuteMs;
  // The text is like `1/15/2026, GMT+05:30`, or only `GMT`.
  const [, sign, hours, minutes] =
    /([+-])(\d+):(\d+)/.exec(findFormat(timeZone).format(instantMs)) ?? [];
  return (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -minuteMs : minuteMs);
}

function findFormat(timeZone: string): Intl.DateTimeFormat {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  formats.set(timeZone, format);
  return format;
}
