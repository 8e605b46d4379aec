import { type TimeZone, toInstantMs, toWallMs } from '../../provide/zone.ts';

/** Times as the owner's wall shows them: in the time zone of schedule and cap, so that midnight here is midnight there. */
export interface WallClock {
  /** Whose times these are: `Europe/Berlin (UTC+1)`. */
  zoneAt(now: Date): string;
  /** `14:03` */
  toClock(time: Date): string;
  /** `14:03:05` */
  toClockSeconds(time: Date): string;
  /** `14 Mar` */
  toDay(time: Date): string;
  /** `14:03` of today, else `13 Mar, 14:03`. */
  toMoment(time: Date, now: Date): string;
  /** When the day began that is so many days from today, in ms. */
  startOfDay(now: Date, daysOn: number): number;
  /** When the month began, in ms. */
  startOfMonth(now: Date): number;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** @param timeZone undefined: the device's own, which needs no Intl */
export function createWallClock(timeZone: TimeZone): WallClock {
  // Wall time is written as if it were UTC.
  const toWall = (time: Date) => new Date(toWallMs(time.getTime(), timeZone));
  const toInstant = (year: number, month: number, day: number) => toInstantMs(Date.UTC(year, month, day), timeZone);
  const toClock = (time: Date) => toWall(time).toISOString().slice(11, 16);
  const toDay = (time: Date) => {
    const wall = toWall(time);
    return `${wall.getUTCDate()} ${months[wall.getUTCMonth()]}`;
  };
  const startOfDay = (now: Date, daysOn: number) => {
    const wall = toWall(now);
    return toInstant(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate() + daysOn);
  };
  return {
    zoneAt(now) {
      const offset = toOffset(toWallMs(now.getTime(), timeZone) - now.getTime());
      return `${timeZone ?? "the device's clock"} (${offset})`;
    },
    toClock,
    toClockSeconds: (time) => toWall(time).toISOString().slice(11, 19),
    toDay,
    toMoment: (time, now) =>
      startOfDay(time, 0) === startOfDay(now, 0) ? toClock(time) : `${toDay(time)}, ${toClock(time)}`,
    startOfDay,
    startOfMonth(now) {
      const wall = toWall(now);
      return toInstant(wall.getUTCFullYear(), wall.getUTCMonth(), 1);
    },
  };
}

/** `UTC`, `UTC+5:30`, `UTC-3` */
function toOffset(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  if (minutes === 0) return 'UTC';
  const past = minutes % 60;
  return `UTC${offsetMs < 0 ? '-' : '+'}${Math.floor(minutes / 60)}${past === 0 ? '' : `:${String(past).padStart(2, '0')}`}`;
}
