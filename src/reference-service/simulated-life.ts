import type { Random } from './random.ts';
import { dayMs, type HourUsage, hourMs, noUsage, toDay, toHourStart } from './usage-unit.ts';

/** How a simulated client spends its days. */
export interface Habit {
  /** When it comes, on the days on which it does; in hours since midnight (UTC). */
  readonly fromHour: number;
  /** How long it stays, until midnight at the most. */
  readonly hours: number;
  /** The share of days on which it comes, 0 to 1. */
  readonly faithfulness: number;
  /** What consumers can get out of it. */
  readonly bytesPerSecond: number;
  /** The share of that which they ask for, 0 to 1. */
  readonly load: number;
}

/** A life to be simulated; times are Unix milliseconds. */
interface LifePlan {
  readonly habit: Habit;
  readonly createdMs: number;
  readonly nowMs: number;
  /** How many days the past has, today with them. */
  readonly days: number;
}

/** A stretch online, in Unix milliseconds. */
interface Stretch {
  readonly startMs: number;
  readonly endMs: number;
}

/** One day on which the client was there; the stretch ends now where it goes on. */
export interface DayOfLife extends Stretch {
  /** Days since 1970 (UTC). */
  readonly day: number;
  readonly hasHours: boolean;
  /** By the hour where the day has hours, else one for all of it. */
  readonly parts: readonly HourUsage[];
}

/**
 * So many days, today with them, are told by the hour: hours of a year would be most of the database, and questions
 * about longer times are answered from days.
 */
export const daysWithHours = 8;

/** The past that a client of this habit may have had, oldest day first. */
export function createLife(random: Random, plan: LifePlan): readonly DayOfLife[] {
  const today = toDay(plan.nowMs);
  const firstDay = Math.max(today - plan.days + 1, toDay(plan.createdMs));
  return Array.from({ length: today - firstDay + 1 }, (_, index) => firstDay + index).flatMap((day) => {
    const stretch = chooseStretch(random, plan, day);
    if (stretch === undefined) return [];
    const hasHours = day > today - daysWithHours;
    const parts = (hasHours ? splitByHour(stretch) : [stretch]).map((part) => createUsage(random, plan.habit, part));
    return [{ ...stretch, day, hasHours, parts }];
  });
}

/** When it was there on that day; undefined: not at all. */
function chooseStretch(random: Random, { habit, createdMs, nowMs }: LifePlan, day: number): Stretch | undefined {
  const isThere = random.chance(habit.faithfulness);
  const lateMs = habit.hours === 24 ? 0 : random.integer(0, hourMs);
  const comesMs = day * dayMs + habit.fromHour * hourMs + lateMs;
  const startMs = Math.max(comesMs, createdMs);
  const endMs = Math.min(comesMs + habit.hours * hourMs, (day + 1) * dayMs, nowMs);
  return isThere && endMs > startMs ? { startMs, endMs } : undefined;
}

function splitByHour({ startMs, endMs }: Stretch): readonly Stretch[] {
  const first = toHourStart(startMs);
  return Array.from({ length: Math.ceil((endMs - first) / hourMs) }, (_, index) => ({
    startMs: Math.max(startMs, first + index * hourMs),
    endMs: Math.min(endMs, first + (index + 1) * hourMs),
  }));
}

function createUsage(random: Random, habit: Habit, { startMs, endMs }: Stretch): HourUsage {
  const onlineMs = endMs - startMs;
  const hours = onlineMs / hourMs;
  const bytes = Math.round((onlineMs / 1000) * habit.bytesPerSecond * habit.load * (0.5 + random.unit()));
  const searches = Math.round(hours * 4 * random.unit());
  const idle = { ...noUsage, hourMs: toHourStart(startMs), onlineMs, searches };
  if (bytes === 0) return idle;
  // Consumers mostly fetch, and what they fetch comes out of the tunnel.
  const rxBytes = Math.round(bytes * (0.8 + 0.15 * random.unit()));
  return { ...idle, rxBytes, txBytes: bytes - rxBytes, sessions: 1 + Math.floor(hours * 2 * random.unit()) };
}
