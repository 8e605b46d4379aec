import type { HistoryRow } from '../../report/history.ts';
import type { StatusSource } from '../source.ts';
import { createWallClock } from './clock.ts';
import { chartSpans, findSlotStart, type Span } from './slots.ts';

/** What the ledger says since the month began, and at least as far back as the chart of hours or days looks. */
export type Past = Readonly<Record<keyof typeof chartSpans, readonly HistoryRow[]>>;

const freshMs = 60_000;

/** Reads the ledger at most once a minute; undefined where there is none, or none that can be read. @param nowMs a monotonic clock in ms */
export function createPastReader(source: StatusSource, nowMs: () => number): () => Promise<Past | undefined> {
  let past: Promise<Past | undefined> = Promise.resolve(undefined);
  let readAtMs = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<Past | undefined> => {
    const { history } = source;
    if (history === undefined) return undefined;
    const now = source.now();
    const clock = createWallClock(source.facts().timeZone);
    const readRows = (chart: Pick<Span, 'unit' | 'count'>) => {
      const sinceMs = Math.min(clock.startOfMonth(now), findSlotStart({ ...chart, now, clock }, 0));
      return history({ unit: chart.unit, sinceMs });
    };
    return { hours: await readRows(chartSpans.hours), days: await readRows(chartSpans.days) };
  };
  return () => {
    if (nowMs() - readAtMs >= freshMs) {
      readAtMs = nowMs();
      // A ledger that cannot be read is told of where it is written; the page shows the rest.
      past = read().catch(() => undefined);
    }
    return past;
  };
}
