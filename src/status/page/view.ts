import type { ServiceFigures } from '../../health/service-figures.ts';
import type { HistoryRow } from '../../report/history.ts';
import { buildStatusDocument, type StatusDocument } from '../document.ts';
import type { RecentEvent, TrafficReading } from '../recent.ts';
import type { StatusSource } from '../source.ts';
import { createWallClock, type WallClock } from './clock.ts';
import { type Comparison, compareFigures, compareSlots, pickTransfer } from './figures.ts';
import type { Past } from './past.ts';
import { chartSpans, fillSlots, isOver, type Slot } from './slots.ts';

/** Bytes a second in each direction. */
export interface Speed {
  readonly up: number;
  readonly down: number;
}

/** Everything that the page shows. */
export interface View {
  readonly now: Date;
  /** Every time that is shown goes through it. */
  readonly clock: WallClock;
  readonly version: string;
  readonly startedAt: Date;
  readonly document: StatusDocument;
  /** undefined before two readings. */
  readonly speed: Speed | undefined;
  /** Both directions together over the last minutes, the oldest first. */
  readonly speeds: readonly number[];
  readonly serviceFigures: ServiceFigures | undefined;
  /** undefined where there is no ledger. */
  readonly past: PastView | undefined;
  readonly events: readonly RecentEvent[];
  /** True where a token is configured. */
  readonly takesControl: boolean;
}

export interface PastView {
  readonly today: Comparison;
  readonly month: Comparison;
  readonly hours: readonly Slot[];
  readonly days: readonly Slot[];
}

/** A reading that is younger says too little about a speed. */
const leastSpanMs = 4_000;

export function buildView(source: StatusSource, past: Past | undefined): View {
  const now = source.now();
  const facts = source.facts();
  const { recent } = source;
  const clock = createWallClock(facts.timeZone);
  const readings = recent?.readings() ?? [];
  return {
    now,
    clock,
    version: facts.version,
    startedAt: facts.startedAt,
    document: buildStatusDocument(facts, now),
    speed: measureSpeed(readings, recent?.read(facts)),
    speeds: readings
      .slice(1)
      .map((reading, index) => computeSpeed(readings[index] ?? reading, reading))
      .map(({ up, down }) => up + down),
    serviceFigures: facts.serviceFigures,
    past: past && buildPastView(past, now, clock),
    events: recent?.events() ?? [],
    takesControl: source.pageToken !== undefined,
  };
}

/** The speed since the youngest reading that is old enough; undefined where there is none. */
export function measureSpeed(
  readings: readonly TrafficReading[],
  current: TrafficReading | undefined,
): Speed | undefined {
  if (current === undefined) return undefined;
  const before = readings.findLast(({ atMs }) => current.atMs - atMs >= leastSpanMs);
  return before && computeSpeed(before, current);
}

/** Counters that went back were made anew: then nothing is known, and nothing is shown. */
function computeSpeed(before: TrafficReading, after: TrafficReading): Speed {
  const seconds = Math.max(1, after.atMs - before.atMs) / 1000;
  return {
    up: Math.max(0, after.upBytes - before.upBytes) / seconds,
    down: Math.max(0, after.downBytes - before.downBytes) / seconds,
  };
}

function buildPastView({ hours, days }: Past, now: Date, clock: WallClock): PastView {
  const since = (rows: readonly HistoryRow[], startMs: number) => rows.filter((row) => row.startMs >= startMs);
  const startOfMonth = clock.startOfMonth(now);
  const month = compareFigures(since(hours, startOfMonth).map(pickTransfer));
  // The service tells bytes by the day, and of the running one not all.
  const ofMonth = since(days, startOfMonth).map((row) => ({ row, isWhole: isOver(row, { unit: 'day', now }) }));
  return {
    today: compareFigures(since(hours, clock.startOfDay(now, 0)).map(pickTransfer)),
    month: { here: month.here, both: month.both ?? compareSlots(ofMonth, pickTransfer).both },
    hours: fillSlots(hours, { ...chartSpans.hours, now, clock }),
    days: fillSlots(days, { ...chartSpans.days, now, clock }),
  };
}
