import type { HistoryRow, StatusSource } from '../source.ts';
import { dayCount, hourCount, startOfMonth, startOfSlots } from './slots.ts';

/** What the ledger says, as far back as the page looks. */
export interface Past {
  /** Since the month began, and at least as long as the chart of hours is. */
  readonly hours: readonly HistoryRow[];
  readonly days: readonly HistoryRow[];
}

const freshMs = 60_000;

/** Reads the ledger at most once a minute; undefined where there is none, or none that can be read. @param nowMs a monotonic clock in ms */
export function createPastReader({ history, now }: StatusSource, nowMs: () => number): () => Promise<Past | undefined> {
  let past: Promise<Past | undefined> = Promise.resolve(undefined);
  let readAtMs = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<Past | undefined> => {
    if (history === undefined) return undefined;
    const sinceHours = Math.min(startOfMonth(now()), startOfSlots('hour', hourCount, now()));
    return {
      hours: await history({ unit: 'hour', sinceMs: sinceHours }),
      days: await history({ unit: 'day', sinceMs: startOfSlots('day', dayCount, now()) }),
    };
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
