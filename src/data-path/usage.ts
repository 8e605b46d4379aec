import * as z from 'zod';
import type { ForwardedTotals } from '../gateway/policy.ts';
import { isClockSet } from '../lib/clock.ts';

const count = z.int().min(0);

/** What was forwarded, as the state file keeps it. */
export const usageSchema = z.object({
  /** When the current period began, ISO 8601. */
  periodStart: z.iso.datetime(),
  /** When the count began, where that was in this period; absent: the whole period is counted. */
  countedSince: z.iso.datetime().optional(),
  /** Both directions' total when it began. */
  baseBytes: count,
  /** The period before this one, for a clock that was wrong meanwhile; absent: none. */
  former: z.object({ periodStart: z.iso.datetime(), baseBytes: count }).optional(),
  totalUpBytes: count,
  totalDownBytes: count,
  totalUpPackets: count,
  totalDownPackets: count,
});

/** Totals since the device was first set up, and where in them the current period began. */
export type Usage = Readonly<z.output<typeof usageSchema>>;

/**
 * The usage after the kernel's totals were read. A later period opens with nothing used. An earlier
 * one, of a clock that was ahead or is late, has the bytes of the one before it, or all of its own
 * where it is the former one. A clock that was never set (a board without one boots in 1970)
 * changes nothing. Totals never go back.
 */
export function rollUsage(
  usage: Usage | undefined,
  totals: ForwardedTotals,
  periodStart: Date,
): Usage {
  const counted = {
    totalUpBytes: Math.max(usage?.totalUpBytes ?? 0, totals.up.bytes),
    totalDownBytes: Math.max(usage?.totalDownBytes ?? 0, totals.down.bytes),
    totalUpPackets: Math.max(usage?.totalUpPackets ?? 0, totals.up.packets),
    totalDownPackets: Math.max(usage?.totalDownPackets ?? 0, totals.down.packets),
  };
  const start = periodStart.toISOString();
  // Without a past nothing was used before the counters began, so all of it belongs to this period.
  if (usage === undefined) return { ...counted, periodStart: start, baseBytes: 0 };
  const { periodStart: begun, baseBytes, former } = usage;
  const isEarlier = start < begun;
  if (start === begun || (isEarlier && !isClockSet(periodStart.getTime())))
    return { ...usage, ...counted };
  // What was used before the clock was set belongs to the period in which it is.
  if (!isClockSet(Date.parse(begun))) return { ...usage, ...counted, periodStart: start };
  const next = { ...counted, periodStart: start, former: { periodStart: begun, baseBytes } };
  if (former?.periodStart === start) return { ...next, baseBytes: former.baseBytes };
  return {
    ...next,
    baseBytes: isEarlier ? baseBytes : counted.totalUpBytes + counted.totalDownBytes,
  };
}

/** Where the kernel's counters begin when it has none. */
export function toForwardedTotals(usage: Usage | undefined): ForwardedTotals {
  return {
    up: { packets: usage?.totalUpPackets ?? 0, bytes: usage?.totalUpBytes ?? 0 },
    down: { packets: usage?.totalDownPackets ?? 0, bytes: usage?.totalDownBytes ?? 0 },
  };
}

/** Bytes of both directions in the current period. */
export function usedBytes(usage: Usage): number {
  return Math.max(0, usage.totalUpBytes + usage.totalDownBytes - usage.baseBytes);
}
