import * as z from 'zod';
import type { ForwardedTotals } from '../gateway/policy.ts';
import { isClockSet } from '../lib/clock.ts';

/** A count of bytes has no end: past 2^53 it is exact to a few bytes. */
const whole = z.number().refine(Number.isInteger);
const count = z.number().min(0).refine(Number.isInteger);

const periodSchema = z.object({
  periodStart: z.iso.datetime(),
  /** The first moment after it. */
  periodEnd: z.iso.datetime().optional(),
  baseBytes: whole,
});

/** Forwarded bytes as the state file keeps them. */
export const usageSchema = z.object({
  /** When the current period began, and the total of both directions then, with `baseBytes`. */
  ...periodSchema.shape,
  /**
   * When counting began, if that was within this period; absent if the whole period was counted.
   */
  countedSince: z.iso.datetime().optional(),
  /**
   * The periods before this one, the last one first, in case the clock is wrong now or was then, or
   * the owner has changed when periods begin.
   */
  formers: z.array(periodSchema).readonly().default([]),
  /**
   * The total of both directions up to which use was noted ahead of it; absent without a cap, and
   * after a stop, which notes what was used.
   */
  reservedBytes: count.optional(),
  totalUpBytes: count,
  totalDownBytes: count,
  totalUpPackets: count,
  totalDownPackets: count,
});

/** Totals since the device was first set up, and the total at which the current period began. */
export type Usage = Readonly<z.output<typeof usageSchema>>;

/** So many former periods are kept: more wrong clocks in a row than a board shows. */
const mostFormers = 12;

/** A period by the owner's calendar; `end` is the first moment after it. */
export interface Period {
  readonly start: Date;
  readonly end: Date;
}

/**
 * The usage after the kernel's totals were read. A later period begins with nothing used, one that
 * was there before goes on with its own count. An earlier one that was not means that the clock was
 * ahead or is late now, and one that begins within the present one that the owner has changed when
 * periods begin: each keeps what was used. A clock that was never set (a board without one boots in
 * 1970) changes nothing. Totals never go back.
 */
export function rollUsage(
  usage: Usage | undefined,
  totals: ForwardedTotals,
  period: Period,
): Usage {
  const counted = {
    totalUpBytes: Math.max(usage?.totalUpBytes ?? 0, totals.up.bytes),
    totalDownBytes: Math.max(usage?.totalDownBytes ?? 0, totals.down.bytes),
    totalUpPackets: Math.max(usage?.totalUpPackets ?? 0, totals.up.packets),
    totalDownPackets: Math.max(usage?.totalDownPackets ?? 0, totals.down.packets),
  };
  const dates = {
    periodStart: period.start.toISOString(),
    periodEnd: period.end.toISOString(),
  };
  // Without a past, nothing was used before the counters began, so all that they show belongs to
  // this period.
  if (usage === undefined) return { ...counted, ...dates, baseBytes: 0, formers: [] };
  const { periodStart: begun, periodEnd, baseBytes } = usage;
  if (dates.periodStart === begun) return { ...usage, ...counted, ...dates };
  if (dates.periodStart < begun && !isClockSet(period.start.getTime()))
    return { ...usage, ...counted };
  // What was used before the clock was set belongs to the period in which it was set.
  if (!isClockSet(Date.parse(begun))) return { ...usage, ...counted, ...dates };
  const known = [{ periodStart: begun, periodEnd, baseBytes }, ...usage.formers] as const;
  const total = counted.totalUpBytes + counted.totalDownBytes;
  const formers = known.filter(({ periodStart }) => periodStart !== dates.periodStart);
  return {
    ...counted,
    ...dates,
    baseBytes: chooseBase(known, dates) ?? total,
    formers: formers.slice(0, mostFormers),
  };
}

/** The total with which a period begins; undefined for a new one, in which nothing was used. */
function chooseBase(
  known: readonly [KnownPeriod, ...KnownPeriod[]],
  { periodStart, periodEnd }: { readonly periodStart: string; readonly periodEnd: string },
): number | undefined {
  const [current] = known;
  const same = known.find((one) => one.periodStart === periodStart);
  if (same !== undefined) return same.baseBytes;
  const endOf = (one: KnownPeriod) => one.periodEnd ?? one.periodStart;
  if (periodStart > current.periodStart && periodStart >= endOf(current)) return undefined;
  const shared = known.filter((one) => one.periodStart < periodEnd && endOf(one) > periodStart);
  return Math.min(...[current, ...shared].map(({ baseBytes }) => baseBytes));
}

type KnownPeriod = Readonly<z.output<typeof periodSchema>>;

/**
 * The usage as a start finds it, where the last run noted use ahead. Without the kernel's counters
 * (the power was cut) all that was noted counts as used: how much of it was is not known.
 */
export function countInDoubt(usage: Usage, totals: ForwardedTotals | undefined): Usage {
  const { reservedBytes = 0, ...rest } = usage;
  if (totals !== undefined) return rest;
  return { ...rest, baseBytes: rest.baseBytes - Math.max(0, reservedBytes - totalBytes(rest)) };
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
  return Math.max(0, totalBytes(usage) - usage.baseBytes);
}

/** Bytes of both directions since the device was first set up. */
export function totalBytes(usage: Usage): number {
  return usage.totalUpBytes + usage.totalDownBytes;
}
