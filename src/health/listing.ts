import type { ConsumerSums, MarketReport, MinuteWindow } from '../source/source-report.ts';

/** What became of the bytes that a source carried, both ways. */
interface CarriedSplit {
  readonly carriedBytes: number;
  /**
   * Paid for, or to be paid for: all that nothing else is known of. What was not reported yet is
   * part of it.
   */
  readonly paidBytes: number;
  readonly bridgedBytes: number;
  readonly unpaidBytes: number;
  readonly doubtfulBytes: number;
  /** Not part of what was carried. */
  readonly overheadBytes: number;
}

export function splitCarried(sums: ConsumerSums): CarriedSplit {
  const { bridgedBytes, unpaidBytes, doubtfulBytes, overheadBytes } = sums;
  const carriedBytes = sums.upBytes + sums.downBytes;
  const paidBytes = Math.max(0, carriedBytes - bridgedBytes - unpaidBytes - doubtfulBytes);
  return { carriedBytes, paidBytes, bridgedBytes, unpaidBytes, doubtfulBytes, overheadBytes };
}

/** 1 where consumers find the device; undefined where the owner's mode does not want that. */
export function toListed(standing: MarketReport['standing']): 0 | 1 | undefined {
  switch (standing) {
    case 'listed':
    case 'at-risk':
      return 1;
    case 'waiting':
    case 'dropped':
    case 'offline':
      return 0;
    case 'own-network':
    case 'nobody':
      return undefined;
    default:
      return standing satisfies never;
  }
}

/** The share of valid minutes, of those that are known, by window. */
export function toShares(
  market: Pick<MarketReport, 'minutes'> | undefined,
): Readonly<Partial<Record<string, number>>> {
  if (market === undefined) return {};
  const windows = Object.entries(market.minutes) as [
    MinuteWindow,
    MarketReport['minutes']['hour'],
  ][];
  return Object.fromEntries(
    windows.flatMap(([window, { valid, known }]) =>
      known === 0 ? [] : [[labels[window], valid / known]],
    ),
  );
}

const labels: Readonly<Record<MinuteWindow, string>> = {
  hour: '1h',
  halfDay: '12h',
  week: '7d',
};
