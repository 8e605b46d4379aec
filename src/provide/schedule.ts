import type { NodeCron } from 'node-cron';
import { dayMs, hourMs, minuteMs } from '../lib/units.ts';
import type { ProvideMode } from '../service/profiles.ts';
import type { RateLimit } from './line-limit.ts';
import { type TimeZone, toInstantMs, toWallMs } from './zone.ts';

/** A mode that begins when its cron expression fires in the owner's time zone. */
export interface ScheduleEntry {
  readonly cron: string;
  readonly mode: ProvideMode;
  readonly rate_limit?: RateLimit | undefined;
}

/** Modes and limits by the clock. */
export interface Schedule {
  /**
   * The mode of the entry that fired last; of two that fired together, the later one in the list.
   * undefined where none fired within a year. An answer is kept until its minute is over.
   */
  at(now: Date): ScheduledMode | undefined;
}

interface ScheduledMode {
  readonly mode: ProvideMode;
  /** undefined where the configured limit holds. */
  readonly rateLimit: RateLimit | undefined;
  /** When its entry fired. */
  readonly since: Date;
}

/**
 * A schedule in the owner's time zone. An answer is kept until its minute is over. Throws for a
 * cron expression that cannot be read.
 */
export async function createSchedule(
  entries: readonly ScheduleEntry[],
  timeZone: TimeZone,
): Promise<Schedule> {
  const compiled = entries.length === 0 ? [] : await compile(entries);
  let kept: { readonly minute: number; readonly mode: ScheduledMode | undefined } | undefined;
  return {
    at(now) {
      const minute = Math.floor(now.getTime() / minuteMs);
      if (kept?.minute !== minute)
        kept = { minute, mode: findScheduledMode(compiled, minute * minuteMs, timeZone) };
      return kept.mode;
    },
  };
}

/** A yearly entry holds until it fires again, so a year and a day have to be searched. */
const daysBack = 366;

/** A cron expression taken apart: days are judged by node-cron, times of day by a sorted list. */
type CompiledEntry = Awaited<ReturnType<typeof compile>>[number];

async function compile(entries: readonly ScheduleEntry[]) {
  // Loaded at the first use: most owners have no schedule.
  const { createTask, parse } = await import('node-cron');
  return entries.map(({ cron, mode, rate_limit: rateLimit }) => {
    const { month, hour, minute } = parse(cron);
    const timesMs = hour.flatMap((hours) =>
      minute.map((minutes) => hours * hourMs + minutes * minuteMs),
    );
    const fields = cron.trim().split(/\s+/).slice(2);
    const matchers = listDayFields(fields).map((days) => createDayMatcher(days, createTask));
    return {
      mode,
      rateLimit,
      // The month is checked first: that is cheap, and rules out most days of a yearly entry.
      matchesDay: (midnightWallMs: number) => {
        const midnight = new Date(midnightWallMs);
        return (
          month.includes(midnight.getUTCMonth() + 1) &&
          matchers.some((matchesDay) => matchesDay(midnight))
        );
      },
      /** Times of day in ms since midnight, sorted. */
      timesMs: timesMs.toSorted((one, other) => one - other),
    };
  });
}

/**
 * Where an entry names days of the month and days of the week, cron lets it fire on either, and
 * node-cron only on days that are both. A field that begins with a star names none, as in cron.
 */
function listDayFields([day = '*', month = '*', weekday = '*']: readonly string[]) {
  const namesBoth = [day, weekday].every((field) => !/^[*?]/.test(field));
  return namesBoth
    ? [`${day} ${month} *`, `* ${month} ${weekday}`]
    : [`${day} ${month} ${weekday}`];
}

/**
 * Where every day matches, node-cron is not asked: it would use Intl, which costs several MB of
 * memory.
 */
function createDayMatcher(
  dayFields: string,
  createTask: NodeCron['createTask'],
): (midnight: Date) => boolean {
  if (dayFields === '* * *') return () => true;
  const days = createTask(`* * ${dayFields}`, () => undefined, { timezone: 'UTC' });
  // The task is only asked and never started, so node-cron need not keep it.
  void days.destroy();
  return (midnight) => days.match(midnight);
}

/** The mode that holds; `since` is when its entry fired. */
function findScheduledMode(entries: readonly CompiledEntry[], nowMs: number, timeZone: TimeZone) {
  const wallMs = findReachedWallMs(nowMs, timeZone);
  const midnightMs = Math.floor(wallMs / dayMs) * dayMs;
  for (let day = 0; day <= daysBack && entries.length > 0; day += 1) {
    const fired = findLastOfDay(entries, midnightMs - day * dayMs, wallMs);
    if (fired === undefined) continue;
    const { mode, rateLimit } = fired.entry;
    return { mode, rateLimit, since: new Date(toInstantMs(fired.wallMs, timeZone)) };
  }
  return undefined;
}

function findLastOfDay(entries: readonly CompiledEntry[], midnightMs: number, untilWallMs: number) {
  const reached = entries.flatMap((entry) => {
    const timeMs = entry.timesMs.findLast((ms) => midnightMs + ms <= untilWallMs);
    return timeMs === undefined ? [] : [{ entry, wallMs: midnightMs + timeMs }];
  });
  const inOrder = reached.toSorted((one, other) => one.wallMs - other.wallMs);
  return inOrder.findLast(({ entry }) => entry.matchesDay(midnightMs));
}

/**
 * The latest wall time that was shown until now, so that an hour that comes twice fires once. Zones
 * change at full quarters of an hour.
 */
function findReachedWallMs(nowMs: number, timeZone: TimeZone): number {
  const quarterMs = 15 * minuteMs;
  const lastQuarterMs = Math.floor(nowMs / quarterMs) * quarterMs;
  const ends = Array.from(
    { length: 12 },
    (_, index) => lastQuarterMs - index * quarterMs - minuteMs,
  );
  return Math.max(...[nowMs, ...ends].map((instantMs) => toWallMs(instantMs, timeZone)));
}
