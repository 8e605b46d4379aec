import { dayMs } from '../../lib/units.ts';
import { type TimeZone, toInstantMs, toWallMs } from '../../provide/zone.ts';

/**
 * Times as the owner's clock shows them, in the time zone of schedule and cap, so that midnight is
 * the same everywhere.
 */
export interface WallClock {
  /** The time zone of these times: `Europe/Berlin (UTC+1)`. */
  zoneAt(now: Date): string;
  /** `14:03` */
  formatClock(time: Date): string;
  /** `14:03:05` */
  formatClockSeconds(time: Date): string;
  /** `13 Mar` */
  formatDay(time: Date): string;
  /** `14:03` for today, otherwise `13 Mar, 14:03`. */
  formatMoment(time: Date, now: Date): string;
  /** `Mar` */
  formatMonth(time: Date): string;
  /** When the day began that is `daysOn` days after today, in ms. */
  startOfDay(now: Date, daysOn: number): number;
  /** When the month began that is `monthsOn` months after this one, in ms. */
  startOfMonth(now: Date, monthsOn?: number): number;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** @param timeZone undefined for the device's own, which needs no Intl */
export function createWallClock(timeZone: TimeZone): WallClock {
  // Wall time is written as if it were UTC: `2026-03-14T14:03:05.000Z`.
  const toWall = (time: Date) => new Date(toWallMs(time.getTime(), timeZone)).toISOString();
  const toDate = (time: Date) => toWall(time).slice(0, 10);
  const formatClock = (time: Date) => toWall(time).slice(11, 16);
  const formatMonth = (time: Date) => months[Number(toDate(time).slice(5, 7)) - 1] ?? '';
  const formatDay = (time: Date) => `${Number(toDate(time).slice(8))} ${formatMonth(time)}`;
  return {
    zoneAt(now) {
      const offsetMs = toWallMs(now.getTime(), timeZone) - now.getTime();
      return `${timeZone ?? "the device's clock"} (${formatOffset(offsetMs)})`;
    },
    formatClock,
    formatClockSeconds: (time) => toWall(time).slice(11, 19),
    formatDay,
    formatMoment: (time, now) =>
      toDate(time) === toDate(now) ? formatClock(time) : `${formatDay(time)}, ${formatClock(time)}`,
    startOfDay: (now, daysOn) => toInstantMs(Date.parse(toDate(now)) + daysOn * dayMs, timeZone),
    formatMonth,
    startOfMonth(now, monthsOn = 0) {
      const [year, month] = toDate(now).split('-').map(Number);
      return toInstantMs(Date.UTC(year ?? 1970, (month ?? 1) - 1 + monthsOn), timeZone);
    },
  };
}

/** `UTC`, `UTC+5:30`, `UTC-3` */
function formatOffset(offsetMs: number): string {
  if (offsetMs === 0) return 'UTC';
  const hours = new Date(Math.abs(offsetMs)).toISOString().slice(11, 16);
  return `UTC${offsetMs < 0 ? '-' : '+'}${hours.replace(/^0|:00$/g, '')}`;
}
