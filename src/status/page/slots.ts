import type { HistoryRow } from '../../report/history.ts';
import type { TimeUnit } from '../../report/ledger-line.ts';
import type { WallClock } from './clock.ts';

/** Bars of each chart. */
export const hourCount = 24;
export const dayCount = 30;

/** One bar's time; `row` is undefined where the ledger has nothing for it. */
export interface Slot {
  readonly startMs: number;
  /** How much of it is over; all of it but in the last one. */
  readonly seconds: number;
  readonly row: HistoryRow | undefined;
  /** False for the row of a time that runs: what the service said of it is not the whole. */
  readonly isWhole: boolean;
}

/** The last `count` hours or days, the running one last. */
export interface Span {
  readonly unit: TimeUnit;
  readonly count: number;
  readonly now: Date;
  readonly clock: WallClock;
}

const lengthMs: Readonly<Record<TimeUnit, number>> = { hour: 3_600_000, day: 86_400_000 };

/** The rows in their places. Hours are those of UTC, as the ledger counts them; days begin at the owner's midnight. */
export function toSlots(rows: readonly HistoryRow[], span: Span): readonly Slot[] {
  const { unit, count, now } = span;
  const firstMs = startOfSlots(span);
  // Rounded: a day may be an hour shorter or longer, and is counted from another midnight than the owner's.
  const byIndex = new Map(rows.map((row) => [Math.round((row.startMs - firstMs) / lengthMs[unit]), row]));
  return Array.from({ length: count }, (_, index) => {
    const startMs = toSlotStart(span, index);
    const endMs = Math.min(toSlotStart(span, index + 1), now.getTime());
    const row = byIndex.get(index);
    const isWhole = row !== undefined && isOver(row, unit, now);
    return { startMs, seconds: Math.max(0, (endMs - startMs) / 1000), row, isWhole };
  });
}

/** True where nothing more can come to it. */
export function isOver({ startMs }: HistoryRow, unit: TimeUnit, now: Date): boolean {
  return startMs + lengthMs[unit] <= now.getTime();
}

/** When the first of them began, in ms. */
export function startOfSlots(span: Span): number {
  return toSlotStart(span, 0);
}

function toSlotStart({ unit, count, now, clock }: Span, index: number): number {
  if (unit === 'day') return clock.startOfDay(now, index - count + 1);
  return (Math.floor(now.getTime() / lengthMs.hour) - count + 1 + index) * lengthMs.hour;
}
