import { isClockSet } from '../lib/clock.ts';
import { measureGrowth } from './byte-window.ts';
import { type countedLayout, unitMs } from './ledger-places.ts';
import type { RecordValues } from './ledger-record.ts';

/** Counters that only grow, except where they begin anew. */
export interface LedgerTotals {
  readonly upBytes: number;
  readonly downBytes: number;
  readonly refusedPackets: number;
}

/** What an hour or a day held, and the totals up to which everything is in it or in an earlier one. */
export interface LedgerRow extends LedgerTotals {
  /** Its start in whole hours or days since 1970. */
  readonly number: number;
  readonly providingSeconds: number;
  /** The highest mean of both directions between two readings. */
  readonly peakBytesPerSecond: number;
  readonly totals: LedgerTotals;
}

/** What came about since the reading before. */
export type Growth = Omit<LedgerRow, 'number' | 'totals'>;

export const noGrowth: Growth = {
  upBytes: 0,
  downBytes: 0,
  refusedPackets: 0,
  providingSeconds: 0,
  peakBytesPerSecond: 0,
};

export function toEmptyRow(number: number, totals: LedgerTotals): LedgerRow {
  return { number, ...noGrowth, totals };
}

/** Both together; the peak is the higher of the two. */
export function addGrowth<T extends Growth>(row: T, growth: Growth): T {
  return {
    ...row,
    upBytes: row.upBytes + growth.upBytes,
    downBytes: row.downBytes + growth.downBytes,
    refusedPackets: row.refusedPackets + growth.refusedPackets,
    providingSeconds: row.providingSeconds + growth.providingSeconds,
    peakBytesPerSecond: Math.max(row.peakBytesPerSecond, growth.peakBytesPerSecond),
  };
}

/**
 * How much the counters grew. Forwarded bytes that are fewer than before go back to an older state file after a power cut:
 * what was counted beyond it is in the ledger already. Refused packets begin anew with the kernel's table.
 */
export function toTotalsGrowth(before: LedgerTotals, now: LedgerTotals): LedgerTotals {
  return {
    upBytes: Math.max(0, now.upBytes - before.upBytes),
    downBytes: Math.max(0, now.downBytes - before.downBytes),
    refusedPackets: measureGrowth(before.refusedPackets, now.refusedPackets),
  };
}

/** A row's numbers as a record keeps them. An hour has no more seconds of providing than it has. */
export function toRecordValues(
  row: LedgerRow,
  sequence: number,
  unit: keyof typeof unitMs,
): RecordValues<keyof typeof countedLayout> {
  const { totals, ...rest } = row;
  return {
    ...rest,
    sequence,
    providingSeconds: Math.min(row.providingSeconds, unitMs[unit] / 1000),
    totalUpBytes: totals.upBytes,
    totalDownBytes: totals.downBytes,
    totalRefusedPackets: totals.refusedPackets,
  };
}

export function toRow(values: RecordValues<keyof typeof countedLayout> & { readonly number: number }): LedgerRow {
  return {
    number: values.number,
    providingSeconds: values.providingSeconds ?? 0,
    upBytes: values.upBytes ?? 0,
    downBytes: values.downBytes ?? 0,
    refusedPackets: values.refusedPackets ?? 0,
    peakBytesPerSecond: values.peakBytesPerSecond ?? 0,
    totals: {
      upBytes: values.totalUpBytes ?? 0,
      downBytes: values.totalDownBytes ?? 0,
      refusedPackets: values.totalRefusedPackets ?? 0,
    },
  };
}

/** Hours that a clock may be behind the newest row and still be taken for late, not for right. */
const mostHoursBehind = 48;

/**
 * The hour that is counted in now. A clock that was never set, or has not caught up (boards without one begin where they
 * were switched off, or in 1970), stays in the newest row. A row more than two days ahead of a clock that was set is
 * taken for the mistake, and left behind. undefined: nothing says when it is.
 */
export function toFiledHour(nowMs: number, newest: number | undefined): number | undefined {
  if (!isClockSet(nowMs)) return newest;
  const hour = Math.floor(nowMs / unitMs.hour);
  if (newest === undefined || hour >= newest) return hour;
  return newest - hour <= mostHoursBehind ? newest : hour;
}

/** The newest hour that a clock which was set lets be shown: what one that ran ahead left behind is not. */
export function toNewestShown(nowMs: number): number {
  return Math.floor(nowMs / unitMs.hour) + mostHoursBehind;
}

/** The day of an hour, both counted since 1970. */
export function toDay(hour: number): number {
  return Math.floor(hour / 24);
}
