import type { Random } from './random.ts';
import {
  type DayUsage,
  dayMs,
  type HourUsage,
  hourMs,
  noUsage,
  sumUsage,
  toDay,
  toHourStart,
  type Usage,
} from './usage-unit.ts';

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

/** Whose life, and when. */
export interface LifePlan {
  readonly habit: Habit;
  /** Unix milliseconds. */
  readonly createdMs: number;
  /** Unix milliseconds. */
  readonly nowMs: number;
  /** How many days are told of, today with them. */
  readonly days: number;
  readonly consumerIds: readonly string[];
}

/** A stretch online, in Unix milliseconds. */
interface Stretch {
  readonly startMs: number;
  readonly endMs: number;
}

/** What one consumer had on a day; `lastMs` is when it was last there, in Unix milliseconds. */
interface ConsumerVisit {
  readonly day: number;
  readonly consumerId: string;
  readonly bytes: number;
  readonly sessions: number;
  readonly lastMs: number;
}

/** A simulated client's past, oldest first. Every day is the sum of its hours, where there are hours. */
export interface Life {
  readonly days: readonly DayUsage[];
  readonly hours: readonly HourUsage[];
  readonly visits: readonly ConsumerVisit[];
  /** Of the days with hours; the last one ends now where it goes on. */
  readonly stretches: readonly Stretch[];
  /** When it was last online, in Unix milliseconds; undefined: never. */
  readonly lastMs: number | undefined;
}

/**
 * So many days, today with them, are told by the hour: hours of a year would be most of the database, and questions
 * about longer times are answered from days.
 */
export const daysWithHours = 8;

/** The life of a client that never came. */
export const noLife: Life = { days: [], hours: [], visits: [], stretches: [], lastMs: undefined };

/** The life that somebody with this habit may have led. */
export function createLife(random: Random, plan: LifePlan): Life {
  const today = toDay(plan.nowMs);
  const firstDay = Math.max(today - plan.days + 1, toDay(plan.createdMs));
  const days: DayUsage[] = [];
  const hours: HourUsage[] = [];
  const visits: ConsumerVisit[] = [];
  const stretches: Stretch[] = [];
  let lastMs: number | undefined;
  for (let day = firstDay; day <= today; day += 1) {
    const stretch = toStretch(random, plan, day);
    if (stretch === undefined) continue;
    const hasHours = day > today - daysWithHours;
    const parts = hasHours ? toHours(stretch).map((part) => toHourUsage(random, plan.habit, part)) : [];
    const usage = { ...(hasHours ? sumUsage(parts) : toUsage(random, plan.habit, stretch)), day };
    days.push(usage);
    hours.push(...parts);
    visits.push(...toVisits(random, plan, { usage, stretch }));
    if (hasHours) append(stretches, stretch);
    lastMs = stretch.endMs;
  }
  return { days, hours, visits, stretches, lastMs };
}

/** When it was there on that day; undefined: not at all. */
function toStretch(random: Random, { habit, createdMs, nowMs }: LifePlan, day: number): Stretch | undefined {
  const isThere = random.chance(habit.faithfulness);
  const lateMs = habit.hours === 24 ? 0 : random.integer(0, hourMs);
  const comesMs = day * dayMs + habit.fromHour * hourMs + lateMs;
  const startMs = Math.max(comesMs, createdMs);
  const endMs = Math.min(comesMs + habit.hours * hourMs, (day + 1) * dayMs, nowMs);
  return isThere && endMs > startMs ? { startMs, endMs } : undefined;
}

interface HourPart extends Stretch {
  readonly hourMs: number;
}

/** Its parts by the hour. */
function toHours({ startMs, endMs }: Stretch): readonly HourPart[] {
  const first = toHourStart(startMs);
  return Array.from({ length: Math.ceil((endMs - first) / hourMs) }, (_, index) => {
    const start = first + index * hourMs;
    return { hourMs: start, startMs: Math.max(startMs, start), endMs: Math.min(endMs, start + hourMs) };
  });
}

function toHourUsage(random: Random, habit: Habit, part: HourPart): HourUsage {
  return { ...toUsage(random, habit, part), hourMs: part.hourMs };
}

function toUsage(random: Random, habit: Habit, { startMs, endMs }: Stretch): Usage {
  const onlineMs = endMs - startMs;
  const hours = onlineMs / hourMs;
  const bytes = Math.round((onlineMs / 1000) * habit.bytesPerSecond * habit.load * (0.5 + random.unit()));
  const searches = Math.round(hours * 4 * random.unit());
  if (bytes === 0) return { ...noUsage, onlineMs, searches };
  // Consumers mostly fetch, and what they fetch comes out of the tunnel.
  const rxBytes = Math.round(bytes * (0.8 + 0.15 * random.unit()));
  return { rxBytes, txBytes: bytes - rxBytes, onlineMs, sessions: 1 + Math.floor(hours * 2 * random.unit()), searches };
}

interface DayOfLife {
  readonly usage: DayUsage;
  readonly stretch: Stretch;
}

/** Mostly one consumer a day, who had all, to the end; a second one shares with it. */
function toVisits(random: Random, { consumerIds }: LifePlan, { usage, stretch }: DayOfLife): readonly ConsumerVisit[] {
  const { day, sessions } = usage;
  const bytes = usage.rxBytes + usage.txBytes;
  if (sessions === 0) return [];
  const visit = (lastMs: number) => ({ day, consumerId: random.pick(consumerIds), lastMs });
  const first = visit(stretch.endMs - 1);
  const isShared = sessions > 1 && random.chance(0.2);
  const second = isShared ? visit(random.integer(stretch.startMs, stretch.endMs - 1)) : undefined;
  if (second === undefined || second.consumerId === first.consumerId) return [{ ...first, bytes, sessions }];
  const half = Math.floor(bytes / 2);
  return [
    { ...first, bytes: bytes - half, sessions: sessions - 1 },
    { ...second, bytes: half, sessions: 1 },
  ];
}

/** Where one day's stretch goes on into the next, it is one. */
function append(stretches: Stretch[], stretch: Stretch): void {
  const last = stretches.at(-1);
  if (last?.endMs === stretch.startMs) stretches.splice(-1, 1, { ...last, endMs: stretch.endMs });
  else stretches.push(stretch);
}
