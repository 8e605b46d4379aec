import { dayMs, hourMs } from '../lib/units.ts';
import type { HistoryRow } from './history.ts';
import { scaleFigures } from './ledger-figures.ts';

/** When the service made its figures (ms): its own word if that can be true, otherwise now. */
export function findMoment(createdTime: string | undefined, nowMs: number): number {
  const createdMs = Date.parse(createdTime ?? '');
  return createdMs <= nowMs && createdMs > nowMs - dayMs ? createdMs : nowMs;
}

/**
 * Cuts hours to a span of time. An hour that lies only partly in it keeps that part of its counts.
 * The running hour ends at `nowMs`.
 */
export function clipHours(
  hours: readonly HistoryRow[],
  {
    sinceMs,
    untilMs,
    nowMs,
  }: { readonly sinceMs: number; readonly untilMs: number; readonly nowMs: number },
): readonly HistoryRow[] {
  return hours.flatMap((row) => {
    const wholeEndMs = row.startMs + hourMs;
    const endMs = nowMs > row.startMs ? Math.min(wholeEndMs, nowMs) : wholeEndMs;
    const insideMs = Math.min(endMs, untilMs) - Math.max(row.startMs, sinceMs);
    return insideMs <= 0
      ? []
      : [{ ...row, ...scaleFigures(row, Math.min(1, insideMs / (endMs - row.startMs))) }];
  });
}
