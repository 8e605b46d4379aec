import { dayMs, hourMs } from '../../lib/units.ts';
import type { HistoryQuestion, HistoryRow } from '../../report/history.ts';
import type { WallClock } from './clock.ts';

/**
 * The usual length of each unit in ms. A day of the owner's may differ by an hour, and a month by
 * days.
 */
const slotMs = { hour: hourMs, day: dayMs, month: 2_629_746_000 } as const;
/** The spans of the page's charts; `labels` is the most labels below the bars. */
export const chartSpans = {
  hours: { unit: 'hour', count: 24, title: '24 hours', labels: 6 },
  days: { unit: 'day', count: 30, title: '30 days', labels: 5 },
  months: { unit: 'month', count: 12, title: '12 months', labels: 12 },
} as const;

export type ChartName = keyof typeof chartSpans;
export const chartNames = Object.keys(chartSpans) as readonly ChartName[];

/** The time of one bar. */
export interface Slot {
  readonly startMs: number;
  /** How many seconds of it are over: all of them except in the last slot. */
  readonly seconds: number;
  /** undefined where the ledger has nothing for this time. */
  readonly row: HistoryRow | undefined;
  /** False for a time that is not over: the service's count of it is incomplete. */
  readonly isWhole: boolean;
}

/** The last `count` hours, days or months, the running one last. */
export interface Span {
  readonly unit: HistoryQuestion['unit'] | 'month';
  readonly count: number;
  readonly now: Date;
  readonly clock: WallClock;
}

/**
 * Puts the rows into the slots of the span. Hours are hours of UTC, as the ledger counts them; days
 * and months begin at the owner's midnight.
 */
export function fillSlots(rows: readonly HistoryRow[], span: Span): readonly Slot[] {
  const { unit, count, now } = span;
  const firstMs = findSlotStart(span, 0);
  // The index is rounded, because a day may be an hour shorter or longer and a month has 28 to 31
  // days, while rows begin at midnight in UTC.
  const byIndex = new Map(
    rows.map((row) => [Math.round((row.startMs - firstMs) / slotMs[unit]), row]),
  );
  return Array.from({ length: count }, (_, index) => {
    const startMs = findSlotStart(span, index);
    const endMs = Math.min(findSlotStart(span, index + 1), now.getTime());
    const row = byIndex.get(index);
    return {
      startMs,
      seconds: Math.max(0, (endMs - startMs) / 1000),
      row,
      isWhole: row !== undefined && isOver(row, span),
    };
  });
}

/** True where the time is over and the service's count of it was made later. */
export function isOver(row: HistoryRow, { unit, now }: Pick<Span, 'unit' | 'now'>): boolean {
  const endMs = row.startMs + slotMs[unit];
  return endMs <= now.getTime() && endMs <= (row.serviceUntilMs ?? endMs);
}

/** When the slot of this index began or will begin, in ms. */
export function findSlotStart({ unit, count, now, clock }: Span, index: number): number {
  const ago = count - 1 - index;
  if (unit === 'month') return clock.startOfMonth(now, -ago);
  if (unit === 'day') return clock.startOfDay(now, -ago);
  return (Math.floor(now.getTime() / hourMs) - ago) * hourMs;
}
