import type { HistoryRow, HistoryUnit } from '../source.ts';

/** Bars of each chart. */
export const hourCount = 24;
export const dayCount = 30;

/** One bar's time; `row` is undefined where the ledger has nothing for it. */
export interface Slot {
  readonly startMs: number;
  /** How much of it is over; all of it but in the last one. */
  readonly seconds: number;
  readonly row: HistoryRow | undefined;
}

const lengthMs: Readonly<Record<HistoryUnit, number>> = { hour: 3_600_000, day: 86_400_000 };

/** The last `count` hours or days by the device's clock, the running one last. */
export function toSlots(rows: readonly HistoryRow[], unit: HistoryUnit, count: number, now: Date): readonly Slot[] {
  const firstMs = startOfSlots(unit, count, now);
  // Rounded: a day may be an hour shorter or longer, and may be counted from another midnight than ours.
  const byIndex = new Map(rows.map((row) => [Math.round((row.startMs - firstMs) / lengthMs[unit]), row]));
  return Array.from({ length: count }, (_, index) => {
    const startMs = toSlotStart(unit, firstMs, index);
    const endMs = Math.min(toSlotStart(unit, firstMs, index + 1), now.getTime());
    return { startMs, seconds: Math.max(0, (endMs - startMs) / 1000), row: byIndex.get(index) };
  });
}

/** When the first of the last `count` hours or days began, in ms. */
export function startOfSlots(unit: HistoryUnit, count: number, now: Date): number {
  if (unit === 'day') return new Date(now.getFullYear(), now.getMonth(), now.getDate() - count + 1).getTime();
  return new Date(now).setMinutes(0, 0, 0) - (count - 1) * lengthMs.hour;
}

/** When the month began by the device's clock, in ms. */
export function startOfMonth(now: Date): number {
  return new Date(now.getFullYear(), now.getMonth(), 1).getTime();
}

/** When the day began by the device's clock, in ms. */
export function startOfDay(now: Date): number {
  return startOfSlots('day', 1, now);
}

function toSlotStart(unit: HistoryUnit, firstMs: number, index: number): number {
  if (unit === 'hour') return firstMs + index * lengthMs.hour;
  const first = new Date(firstMs);
  return new Date(first.getFullYear(), first.getMonth(), first.getDate() + index).getTime();
}
