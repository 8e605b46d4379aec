import type { HistoryRow } from '../../report/history.ts';
import { buildStatusDocument } from '../document.ts';
import type { TrafficReading } from '../recent.ts';
import type { StatusSource } from '../source.ts';
import { createWallClock, type WallClock } from './clock.ts';
import { compareFigures, compareSlots, pickTransfer } from './figures.ts';
import type { Past } from './past.ts';
import { chartSpans, fillSlots, isOver } from './slots.ts';

/** Everything that the page shows. */
export type View = Readonly<ReturnType<typeof buildView>>;
export type PastView = Readonly<ReturnType<typeof buildPastView>>;

/** A reading that is younger says too little about a speed. */
const leastSpanMs = 4_000;

export function buildView(source: StatusSource, past: Past | undefined) {
  const now = source.now();
  const facts = source.facts();
  const { recent } = source;
  /** Every time that is shown goes through it. */
  const clock = createWallClock(facts.timeZone);
  const readings = recent?.readings() ?? [];
  return {
    now,
    clock,
    version: facts.version,
    startedAt: facts.startedAt,
    document: buildStatusDocument(facts, now),
    /** undefined before two readings. */
    speed: measureSpeed(readings, recent?.read(facts)),
    /** Both directions together over the last minutes, in bytes a second, the oldest first. */
    speeds: readings
      .slice(1)
      .map((reading, index) => computeSpeed(readings[index] ?? reading, reading))
      .map(({ up, down }) => up + down),
    serviceFigures: facts.serviceFigures,
    /** undefined where there is no ledger. */
    past: past && buildPastView(past, now, clock),
    events: recent?.events() ?? [],
    /** True where a token is configured. */
    takesControl: source.pageToken !== undefined,
  };
}

/** Bytes a second each way since the youngest reading that is old enough; undefined where there is none. */
export function measureSpeed(readings: readonly TrafficReading[], current: TrafficReading | undefined) {
  if (current === undefined) return undefined;
  const before = readings.findLast(({ atMs }) => current.atMs - atMs >= leastSpanMs);
  return before && computeSpeed(before, current);
}

/** Counters that went back were made anew: then nothing is known, and nothing is shown. */
function computeSpeed(before: TrafficReading, after: TrafficReading) {
  const seconds = Math.max(1, after.atMs - before.atMs) / 1000;
  return {
    up: Math.max(0, after.upBytes - before.upBytes) / seconds,
    down: Math.max(0, after.downBytes - before.downBytes) / seconds,
  };
}

function buildPastView({ hours, days }: Past, now: Date, clock: WallClock) {
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
