import { isClockSet } from '../../lib/clock.ts';
import { dayMs } from '../../lib/units.ts';
import type { HistoryQuestion, HistoryRow } from '../../report/history.ts';

/** What the service says that it paid. */
export interface EarnedSums {
  /** Of the present month of UTC; undefined where nothing is known of it. */
  readonly monthUsdc: number | undefined;
  /** Of all days that are known, and the first of them. */
  readonly total: { readonly usdc: number; readonly since: Date } | undefined;
}

type Paid = EarnedSums['total'];

/**
 * Adds up what was paid, one month at a time to save memory, because the ledger's months are hours.
 * Months that are over are read once. Undefined while the clock is not set.
 * @param lateMs how long after a day the service may still tell of it
 */
export function createEarnedSums(
  history: (question: HistoryQuestion) => Promise<readonly HistoryRow[]>,
  lateMs: number,
): (nowMs: number) => Promise<EarnedSums | undefined> {
  const kept = new Map<string, Paid>();
  return async (nowMs) => {
    if (!isClockSet(nowMs)) return undefined;
    const starts = listStarts(new Date(nowMs));
    const each: Paid[] = [];
    for (const [index, sinceMs] of starts.entries()) {
      const untilMs = starts[index + 1] ?? Number.POSITIVE_INFINITY;
      // A year begins with its first month, so that one time alone would not tell them apart.
      const span = `${sinceMs} ${untilMs}`;
      const paid = kept.has(span)
        ? kept.get(span)
        : addUp(await history({ unit: 'day', sinceMs, untilMs }));
      if (untilMs + lateMs + dayMs < nowMs) kept.set(span, paid);
      each.push(paid);
    }
    const known = each.filter((paid) => paid !== undefined);
    const [first] = known;
    const usdc = known.reduce((sum, paid) => sum + paid.usdc, 0);
    return { monthUsdc: each.at(-1)?.usdc, total: first && { usdc, since: first.since } };
  };
}

/** No device's ledger begins earlier. */
const firstYear = 2026;

/** Years, of which the ledger has days, and the months of this year and the one before it. */
function listStarts(now: Date): readonly number[] {
  const year = now.getUTCFullYear();
  const firstOfMonths = Math.max(firstYear, year - 1);
  const years = Array.from({ length: firstOfMonths - firstYear }, (_, index) =>
    Date.UTC(firstYear + index, 0),
  );
  const count = (year - firstOfMonths) * 12 + now.getUTCMonth() + 1;
  const months = Array.from({ length: count }, (_, index) => Date.UTC(firstOfMonths, index));
  return [...years, ...months];
}

function addUp(days: readonly HistoryRow[]): Paid {
  const paid = days.filter(({ servicePayoutUsdc: usdc }) => usdc !== undefined);
  const [first] = paid;
  const usdc = paid.reduce((sum, day) => sum + (day.servicePayoutUsdc ?? 0), 0);
  return first && { usdc, since: new Date(first.startMs) };
}
