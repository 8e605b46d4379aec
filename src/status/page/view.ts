import type { Facts } from '../../health/facts.ts';
import { computeSpeeds, type Speed, type TrafficReading } from '../../health/speeds.ts';
import { dayMs } from '../../lib/units.ts';
import type { HistoryRow } from '../../report/history.ts';
import { buildStatusDocument, type StatusDocument } from '../document.ts';
import type { RecentEvent } from '../recent.ts';
import type { StatusSource } from '../source.ts';
import { createWallClock, type WallClock } from './clock.ts';
import { type Comparison, compareSlots, pickTransfer } from './figures.ts';
import { type Past, sumMonth } from './past.ts';
import { chartSpans, fillSlots, isOver, type Slot } from './slots.ts';

/** Everything that the page shows, as it is at one moment. */
export interface View {
  readonly now: Date;
  /** Every time on the page is written by it. */
  readonly clock: WallClock;
  readonly version: string;
  readonly startedAt: Date;
  readonly document: StatusDocument;
  /** The speed now; undefined before two readings. */
  readonly speed: Speed | undefined;
  /** The speeds of the last minutes, the oldest first. */
  readonly speeds: readonly Speed[];
  /** The mean time from one of them to the next. */
  readonly stepMs: number;
  readonly serviceFigures: Facts['serviceFigures'];
  /** undefined where there is no ledger. */
  readonly past: PastView | undefined;
  /** The newest first. */
  readonly events: readonly RecentEvent[];
  /** True where the page takes orders from those who know its token. */
  readonly takesControl: boolean;
}

/** What the ledger knows, in the slots of the charts. */
interface PastView {
  /** Until when the figures below are counted. */
  readonly readAt: Date;
  /** Bytes both ways since midnight. */
  readonly today: number;
  /** Bytes both ways since the month began. */
  readonly month: Comparison;
  readonly hours: readonly Slot[];
  readonly days: readonly Slot[];
  readonly months: readonly Slot[];
  /** When the ledger began, if that is less than a day ago: charts of days would be empty. */
  readonly youngSince: Date | undefined;
}

/** A reading younger than this (ms) says too little about a speed. */
const leastSpanMs = 4_000;

export function buildView(source: StatusSource, past: Past | undefined): View {
  const now = source.now();
  const facts = source.facts();
  const { recent } = source;
  const clock = createWallClock(facts.timeZone);
  const readings = recent?.readings() ?? [];
  const [first = { atMs: 0 }, last = first] = [readings[0], readings.at(-1)];
  return {
    now,
    clock,
    version: facts.version,
    startedAt: facts.startedAt,
    document: buildStatusDocument(facts, now),
    speed: measureSpeed(readings, recent?.read(facts)),
    speeds: computeSpeeds(readings),
    stepMs: (last.atMs - first.atMs) / Math.max(1, readings.length - 1),
    serviceFigures: facts.serviceFigures,
    past: past && buildPastView(past, facts.usage, { now, clock }),
    events: recent?.events() ?? [],
    takesControl: source.pageToken !== undefined,
  };
}

/**
 * Bytes a second each way since the youngest reading that is old enough; undefined where no reading
 * is.
 */
export function measureSpeed(
  readings: readonly TrafficReading[],
  current: TrafficReading | undefined,
): Speed | undefined {
  if (current === undefined) return undefined;
  const before = readings.findLast(({ atMs }) => current.atMs - atMs >= leastSpanMs);
  return before && computeSpeeds([before, current])[0];
}

function buildPastView(
  { readAt, hours, days, months }: Past,
  usage: Facts['usage'],
  { now, clock }: Pick<View, 'now' | 'clock'>,
): PastView {
  const since = (rows: readonly HistoryRow[], startMs: number) =>
    rows.filter((row) => row.startMs >= startMs);
  const startOfMonth = clock.startOfMonth(now);
  const sumHours = (sinceMs: number) =>
    since(hours, sinceMs).reduce((sum, row) => sum + pickTransfer(row).here, 0);
  const daysOfMonth = since(days, startOfMonth);
  // The service counts bytes by the day, and its count of the present day is incomplete.
  const ofMonth = daysOfMonth.map((row) => ({ row, isWhole: isOver(row, { unit: 'day', now }) }));
  const thisMonth = sumMonth(startOfMonth, daysOfMonth);
  // A day or month that ended before the first hour is older than it; so is the beginning of the
  // day that contains it.
  const firstMs = hours[0]?.startMs ?? now.getTime();
  const isOlder = months.length > 0 || days.some((row) => row.startMs + dayMs <= firstMs);
  // Where the cap counts the same bytes, there is one figure for them: the cap's, which is newer.
  const isCounted = usage.periodStart?.getTime() === startOfMonth && usage.counts === 'share';
  return {
    readAt,
    today: sumHours(clock.startOfDay(now, 0)),
    month: {
      here: isCounted ? usage.bytes : sumHours(startOfMonth),
      both: compareSlots(ofMonth, pickTransfer).both,
    },
    hours: fillSlots(hours, { ...chartSpans.hours, now, clock }),
    days: fillSlots(days, { ...chartSpans.days, now, clock }),
    months: fillSlots(thisMonth ? [...months, thisMonth] : months, {
      ...chartSpans.months,
      now,
      clock,
    }),
    youngSince: isOlder || now.getTime() - firstMs >= dayMs ? undefined : new Date(firstMs),
  };
}
