/*
 * Wall time is what a clock on the owner's wall shows, written as if it were UTC: calendar arithmetic on it needs no
 * zone. Only the way from and to real time knows about zones and their changes.
 */

/** The owner's time zone; undefined: the system's. */
export type TimeZone = string | undefined;

/** What the wall shows at an instant; both in ms since 1970. */
export function toWallMs(instantMs: number, timeZone: TimeZone): number {
  return instantMs + findOffsetMs(instantMs, timeZone);
}

/**
 * The first instant (ms since 1970) at which the wall shows that time or, where the clock is put forward over it, a
 * later one.
 */
export function toInstantMs(wallMs: number, timeZone: TimeZone): number {
  const before = findOffsetMs(wallMs - dayMs, timeZone);
  const after = findOffsetMs(wallMs + dayMs, timeZone);
  if (findOffsetMs(wallMs - before, timeZone) === before) return wallMs - before;
  if (findOffsetMs(wallMs - after, timeZone) === after) return wallMs - after;
  return findChange(wallMs - Math.max(before, after), wallMs - Math.min(before, after), timeZone);
}

const dayMs = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** The first instant of `(earlyMs, lateMs]` with the offset of `lateMs`, to the second. */
function findChange(earlyMs: number, lateMs: number, timeZone: TimeZone): number {
  const offset = findOffsetMs(lateMs, timeZone);
  let early = earlyMs;
  let late = lateMs;
  while (late - early > 1000) {
    const middle = Math.floor((early + late) / 2000) * 1000;
    if (middle <= early) break;
    if (findOffsetMs(middle, timeZone) === offset) late = middle;
    else early = middle;
  }
  return late;
}

function findOffsetMs(instantMs: number, timeZone: TimeZone): number {
  // The system's zone needs no Intl, which costs several MB of memory as soon as it is touched.
  if (timeZone === undefined) return -new Date(instantMs).getTimezoneOffset() * 60_000;
  const parts = new Map(
    toFormat(timeZone)
      .formatToParts(instantMs)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const wallMs = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return wallMs - Math.floor(instantMs / 1000) * 1000;
}

function toFormat(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}
