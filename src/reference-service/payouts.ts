import type { DatabaseSync } from 'node:sqlite';
import { dayMs } from '../lib/units.ts';
import { readPlatformTime } from './platform/platform-clock.ts';
import { queryOn, sql } from './statements.ts';
import { toDay } from './usage-hours.ts';

/** What a network's devices provided since it was made, in bytes of both directions. */
interface Provided {
  /** What was provided before the last payout, where the network has a wallet for it. */
  readonly paidBytes: number;
  readonly unpaidBytes: number;
}

/** What is paid out, and when: on Sundays at midnight (UTC), everything until then. */
export interface Payouts {
  /** What consumers download is part of it, whatever the statistics of providers count. */
  sum(networkId: string): Provided;
  /** What was paid each Sunday, the latest first, as if the network always had a wallet. */
  list(networkId: string): readonly Payment[];
}

/** What was provided in one week, and paid on the Sunday after it. */
export interface Payment {
  readonly bytes: number;
  /** In ms since 1970. */
  readonly paidMs: number;
}

export interface PayoutsOptions {
  /** In ms since 1970. */
  readonly now: () => number;
  /** Whether the usage book has what consumers download by contracts. */
  readonly countsCompanions: boolean;
}

export function createPayouts(
  database: DatabaseSync,
  { now, countsCompanions }: PayoutsOptions,
): Payouts {
  const { readNumber, listRows } = queryOn(database);

  /** What the usage book leaves out. */
  const countDownloads = (networkId: string, sinceMs: number): number =>
    countsCompanions
      ? 0
      : readNumber`select coalesce(sum(paid_bytes), 0) from contract
          where payee_id = ${networkId} and is_companion = 1 and paid_bytes > 0 and closed_ms >= ${sinceMs}`;

  return {
    sum(networkId) {
      const network = sql`from network where network_id = ${networkId}`;
      const booked = readNumber`select coalesce(sum(provided_bytes), 0) ${network}`;
      const allBytes = booked + countDownloads(networkId, 0);
      if (readNumber`select count(payout_wallet_id) ${network}` === 0)
        return { paidBytes: 0, unpaidBytes: allBytes };
      const since = toDay(findLastSunday(now()));
      const bookedSince = readNumber`select coalesce(sum(rx_bytes + tx_bytes), 0)
        from client join usage_day on usage_day.client = client.sequence
        where network_id = ${networkId} and day >= ${since}`;
      const unpaidBytes =
        bookedSince + countDownloads(networkId, findLastSunday(readPlatformTime(database, now)));
      return { paidBytes: allBytes - unpaidBytes, unpaidBytes };
    },
    list(networkId) {
      const untilMs = findLastSunday(now());
      const downloads = sql`select cast(closed_ms / ${dayMs} as integer) as day, paid_bytes as bytes from contract
        where payee_id = ${networkId} and is_companion = 1 and paid_bytes > 0 and closed_ms < ${untilMs}`;
      const booked = sql`select day, rx_bytes + tx_bytes as bytes
        from client join usage_day on usage_day.client = client.sequence
        where network_id = ${networkId} and day < ${toDay(untilMs)}`;
      const all = countsCompanions ? booked : sql`${booked} union all ${downloads}`;
      // 1970 began on a Thursday, so the week that holds day 0 began four days before it.
      const weeks = listRows<{ readonly week: number; readonly bytes: number }>`
        select (day + 4) / 7 as week, sum(bytes) as bytes from (${all}) group by week having sum(bytes) > 0
        order by week desc`;
      return weeks.map(({ week, bytes }) => ({ bytes, paidMs: (7 * (week + 1) - 4) * dayMs }));
    },
  };
}

/** The last Sunday at midnight (UTC), in ms since 1970, as `atMs` is. */
export function findLastSunday(atMs: number): number {
  // 1970 began on a Thursday.
  const daysSinceSunday = (toDay(atMs) + 4) % 7;
  return (toDay(atMs) - daysSinceSunday) * dayMs;
}
