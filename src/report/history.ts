import type { Silence } from '../health/facts.ts';
import { isClockSet } from '../lib/clock.ts';
import { dayMs } from '../lib/units.ts';
import { type Figures, pickFigures } from './ledger-figures.ts';
import { findNewestLine, readLines } from './ledger-files.ts';
import {
  isCounted,
  type LedgerLine,
  latestMs,
  type ServiceCount,
  startAt,
  sumByDay,
  type TimeUnit,
  unitMs,
} from './ledger-line.ts';

/**
 * An hour or a day as this device counted it, beside the service's count; undefined for what the
 * service did not count.
 */
export interface HistoryRow extends Figures, ServiceCount {
  readonly startMs: number;
}

export interface HistoryQuestion {
  readonly unit: TimeUnit;
  readonly sinceMs: number;
  /** Rows that begin at this time or later are left out; undefined leaves none out. */
  readonly untilMs?: number;
}

export interface HistoryPlace {
  readonly directory: string;
  readonly nowMs: number;
  readonly unwritten?: readonly LedgerLine[];
}

/**
 * How far back the ledger answers: 400 days and 20 years, and two days more, because a clock may be
 * late.
 */
const keptMs = { hour: 402 * dayMs, day: 20 * 366 * dayMs } as const;

/**
 * Rows of the hours or days in which an agent ran, the oldest first; days are days of UTC. Safe
 * while an agent writes.
 * @throws state-unreadable
 */
export async function readHistory(
  { unit, sinceMs, untilMs = Number.POSITIVE_INFINITY }: HistoryQuestion,
  { directory, nowMs, unwritten = [] }: HistoryPlace,
): Promise<readonly HistoryRow[]> {
  // While the clock is not set, the hour that was written last counts as the present.
  const newest = isClockSet(nowMs)
    ? undefined
    : (unwritten.at(-1) ?? (await findNewestLine(directory)));
  const shownMs = newest === undefined ? nowMs + latestMs : Date.parse(newest.start);
  const lastMs = Math.min(shownMs, untilMs - 1);
  const firstMs = Math.max(
    Math.ceil(sinceMs / unitMs[unit]) * unitMs[unit],
    shownMs - keptMs[unit],
    0,
  );
  const span = { first: startAt(unit, firstMs), last: startAt(unit, lastMs) };
  const lines = new Map(await readLines(directory, span));
  for (const hour of unwritten) {
    const start = hour.start.slice(0, span.first.length);
    if (start >= span.first && start <= span.last)
      lines.set(hour.start, { ...lines.get(hour.start), ...hour });
  }
  const rows = unit === 'hour' ? lines : sumByDay(lines);
  return [...rows.values()]
    .filter(isCounted)
    .toSorted((one, other) => (one.start < other.start ? -1 : 1))
    .map(
      ({
        start,
        serviceOnlineSeconds,
        serviceBytes,
        servicePayoutUsdc,
        serviceUntilMs,
        ...figures
      }) => {
        const service = { serviceOnlineSeconds, serviceBytes, servicePayoutUsdc, serviceUntilMs };
        return { startMs: Date.parse(start), ...pickFigures(figures), ...service };
      },
    );
}

/**
 * The silence at the end of the newest rows; undefined where none of those rows was provided in.
 */
export function measureSilence(
  rows: readonly HistoryRow[],
): Omit<Silence, 'totalBytes'> | undefined {
  const loud = rows.findLastIndex(({ upBytes, downBytes }) => upBytes + downBytes > 0);
  const silent = rows.slice(loud + 1).filter(({ providingSeconds }) => providingSeconds > 0);
  const [first] = silent;
  if (first === undefined) return undefined;
  const providingSeconds = silent.reduce((sum, row) => sum + row.providingSeconds, 0);
  return { since: new Date(first.startMs), providingSeconds };
}
