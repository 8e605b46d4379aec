import * as z from 'zod';
import type { ForwardedTotals } from '../gateway/policy.ts';
import { isClockSet } from '../lib/clock.ts';

const count = z.int().min(0);

/** Forwarded bytes as the state file keeps them. */
export const usageSchema = z.object({
  /** When the current period began, ISO 8601. */
  periodStart: z.iso.datetime(),
  /**
   * When counting began, if that was within this period; absent if the whole period was counted.
   */
  countedSince: z.iso.datetime().optional(),
  /** The total of both directions when the period began. */
  baseBytes: count,
  /**
   * The period before this one, in case the clock is wrong now or was then; absent for the first
   * period.
   */
  former: z.object({ periodStart: z.iso.datetime(), baseBytes: count }).optional(),
  totalUpBytes: count,
  totalDownBytes: count,
  totalUpPackets: count,
  totalDownPackets: count,
});

/** Totals since the device was first set up, and the total at which the current period began. */
export type Usage = Readonly<z.output<typeof usageSchema>>;

/**
 * The usage after the kernel's totals were read. A later period begins with nothing used. An
 * earlier period means that the clock was ahead or is late now: it gets back its own count if it is
 * the former one, and otherwise keeps the count of the present one. A clock that was never set (a
 * board without one boots in 1970) changes nothing. Totals never go back.
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
  // Without a past, nothing was used before the counters began, so all that they show belongs to
  // this period.
  if (usage === undefined) return { ...counted, periodStart: start, baseBytes: 0 };
  const { periodStart: begun, baseBytes, former } = usage;
  const isEarlier = start < begun;
  if (start === begun || (isEarlier && !isClockSet(periodStart.getTime())))
    return { ...usage, ...counted };
  // What was used before the clock was set belongs to the period in which it was set.
  if (!isClockSet(Date.parse(begun))) return { ...usage, ...counted, periodStart: start };
  const next = { ...counted, periodStart: start, former: { periodStart: begun, baseBytes } };
  if (former?.periodStart === start) return { ...next, baseBytes: former.baseBytes };
  return {
    ...next,
    baseBytes: isEarlier ? baseBytes : counted.totalUpBytes + counted.totalDownBytes,
  };
}

/** Where the forwarded counters begin if the kernel has none. */
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
