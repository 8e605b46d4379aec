import { dayMs } from '../../lib/units.ts';
import type { HistoryRow } from '../../report/history.ts';
import type { ReadHistory, StatusSource } from '../source.ts';
import { createWallClock } from './clock.ts';
import { type ChartName, chartSpans, findSlotStart, type Span } from './slots.ts';

/**
 * Rows since the beginning of the month or of the chart, whichever is earlier, and one row for each
 * earlier month that was read already.
 */
export type Past = Readonly<Record<ChartName, readonly HistoryRow[]>> & {
  /** What was counted until then is in the rows. */
  readonly readAt: Date;
};

const freshMs = 60_000;
const halfMonthMs = 15 * dayMs;

/**
 * Reads the ledger at most once a minute; undefined where the ledger is missing or cannot be read.
 * @param nowMs a monotonic clock in ms
 */
export function createPastReader(
  source: StatusSource,
  nowMs: () => number,
): () => Promise<Past | undefined> {
  const { history } = source;
  if (history === undefined) return async () => undefined;
  let past: Promise<Omit<Past, 'months'> | undefined> = Promise.resolve(undefined);
  let readAtMs = Number.NEGATIVE_INFINITY;
  const months = createMonthReader(history);
  const read = async () => {
    const now = source.now();
    const clock = createWallClock(source.facts().timeZone);
    const readRows = (name: 'hours' | 'days') => {
      const sinceMs = Math.min(
        clock.startOfMonth(now),
        findSlotStart({ ...chartSpans[name], now, clock }, 0),
      );
      return history({ unit: chartSpans[name].unit, sinceMs });
    };
    const rows = { readAt: now, hours: await readRows('hours'), days: await readRows('days') };
    months.catchUp({ ...chartSpans.months, now, clock });
    return rows;
  };
  return async () => {
    if (nowMs() - readAtMs >= freshMs) {
      readAtMs = nowMs();
      // The process that writes the ledger reports that it cannot be read; the page shows
      // everything else.
      past = read().catch(() => undefined);
    }
    const rows = await past;
    return rows && { ...rows, months: months.rows() };
  };
}

/**
 * Reads each month once, because a month that is over does not change. It is read after an answer,
 * not before it, and one month at a time to save memory.
 */
function createMonthReader(history: ReadHistory) {
  const read = new Map<number, HistoryRow | undefined>();
  let reading = Promise.resolve();
  let settledMs = Number.NEGATIVE_INFINITY;
  const readMonth = async (sinceMs: number, untilMs: number) => {
    read.set(sinceMs, sumMonth(sinceMs, await history({ unit: 'day', sinceMs, untilMs })));
  };
  return {
    catchUp(span: Span) {
      // The ledger's days are days of UTC, so its months are months of UTC too.
      const starts = Array.from({ length: span.count }, (_, index) =>
        toMonth(findSlotStart(span, index) + halfMonthMs),
      );
      for (const known of read.keys()) if (!starts.includes(known)) read.delete(known);
      for (const [index, startMs] of starts.slice(0, -1).entries()) {
        if (read.has(startMs) && startMs < settledMs) continue;
        reading = reading
          .then(() => readMonth(startMs, starts[index + 1] ?? 0))
          .catch(() => undefined);
      }
      // The service may report a month's last day two days later, so a month is read again until
      // then.
      settledMs = toMonth(span.now.getTime() - 2 * dayMs);
    },
    rows: () => [...read.values()].filter((row) => row !== undefined),
  };
}

function toMonth(timeMs: number): number {
  return Date.parse(new Date(timeMs).toISOString().slice(0, 7));
}

/**
 * The sum of the days from the start of a month on; undefined without any day. What the service
 * said of only some of the days is left out.
 */
export function sumMonth(startMs: number, days: readonly HistoryRow[]): HistoryRow | undefined {
  const [first] = days;
  if (first === undefined) return undefined;
  const sum = (read: (row: HistoryRow) => number) =>
    days.reduce((total, row) => total + read(row), 0);
  const sumKnown = (read: (row: HistoryRow) => number | undefined) =>
    days.every((row) => read(row) !== undefined) ? sum((row) => read(row) ?? 0) : undefined;
  return {
    ...first,
    startMs,
    upBytes: sum((row) => row.upBytes),
    downBytes: sum((row) => row.downBytes),
    providingSeconds: sum((row) => row.providingSeconds),
    refusedPackets: sum((row) => row.refusedPackets),
    serviceBytes: sumKnown((row) => row.serviceBytes),
    serviceOnlineSeconds: sumKnown((row) => row.serviceOnlineSeconds),
    serviceUntilMs: undefined,
  };
}
