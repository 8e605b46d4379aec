import type { ForwardedTotals } from '../gateway/policy.ts';
import { isClockSet } from '../lib/clock.ts';
import { findPeriod, type PeriodSettings, projectReachedAt } from '../provide/period.ts';
import type { TimeZone } from '../provide/zone.ts';
import { createSeldomWriter } from '../system/seldom-writer.ts';
import { createStateFile, type StateFileOptions } from '../system/state-file.ts';
import { findSoftEnd, isUsedUp } from './cap-end.ts';
import {
  countInDoubt,
  rollUsage,
  toForwardedTotals,
  totalBytes,
  type Usage,
  usageSchema,
  usedBytes,
} from './usage.ts';
import { createReservation, leastWorthWriting } from './usage-reservation.ts';

/**
 * Forwarded bytes, counted in the kernel and kept across restarts. This is the only source for
 * them, and they never fall.
 */
export interface UsageAccounting {
  /**
   * Reads what an earlier run kept. Nothing is counted before; repeat it until it succeeds.
   * @throws state-unreadable, state-unwritable
   */
  load(): Promise<void>;
  /** Everything ever forwarded that was taken or read from the file. */
  totals(): ForwardedTotals;
  /**
   * Everything ever forwarded; undefined before this process has read the kernel's counters, which
   * may be ahead of the file.
   */
  counted(): ForwardedTotals | undefined;
  /** Takes the kernel's counters into account; undefined if there were none to read. */
  take(totals: ForwardedTotals | undefined): void;
  /**
   * Writes what was taken, but only now and then.
   * @throws state-unwritable, until a write succeeds again
   */
  keep(): Promise<void>;
  /**
   * The total of both directions, in bytes, at which the cap of the current period is used up;
   * undefined without a cap.
   */
  stopAtBytes(): number | undefined;
  /**
   * The total of both directions, in bytes, from which on only open connections go on; undefined
   * without a cap.
   */
  newUntilBytes(): number | undefined;
  /** The current period and what counts of it; undefined before the first reading. */
  current(): CurrentUsage | undefined;
  /**
   * Takes the last counters into account and writes everything that is unwritten.
   * @throws state-unreadable, state-unwritable
   */
  close(totals: ForwardedTotals | undefined): Promise<void>;
}

/** What counts of the current period, both directions. */
interface CurrentUsage {
  readonly period: { readonly start: Date; readonly end: Date };
  /** As the owner's cap counts them. */
  readonly bytes: number;
  readonly isCapReached: boolean;
  /** Only what is open goes on. */
  readonly isEnding: boolean;
  /** When the cap will be reached at the pace of this period; undefined where that is unknown. */
  readonly reachedAt: Date | undefined;
}

interface OwnersCap extends Pick<PeriodSettings, 'period'> {
  readonly bytes: number;
  readonly reset_day: number;
  readonly counts?: 'share' | 'line';
}

/**
 * What the owner allows in a period, and the time zone in which periods begin: `provide` of the
 * configuration.
 */
export interface UsageLimits {
  /** undefined without a cap. */
  readonly cap?: OwnersCap | undefined;
  readonly time_zone?: TimeZone;
}

export interface UsageAccountingOptions
  extends Pick<StateFileOptions<Usage>, 'directory' | 'onSetAside'> {
  readonly limits: () => UsageLimits;
  readonly now: () => Date;
  /** True for a reader that only looks: a broken file is not set aside then. */
  readonly isLooking?: boolean;
}

/**
 * How much a forwarded byte counts for a provider that counts both ways: it crosses the line twice,
 * once of these within WireGuard.
 */
const crossings = 2.1;

/**
 * Opens the accounting. Nothing is counted before `load`, because the file knows what an earlier
 * run used of a cap.
 */
export function openUsageAccounting(options: UsageAccountingOptions): UsageAccounting {
  const { directory, onSetAside, now, limits, isLooking } = options;
  const file = createStateFile<Usage>({
    directory,
    name: 'usage',
    schema: usageSchema,
    onSetAside,
  });
  const writer = createSeldomWriter(file);
  let usage: Usage | undefined;
  let isLoaded = false;
  let hasLooked = false;
  const reserve = createReservation();
  let isCounting = false;
  const periodAt = (instant: Date) => {
    const { cap, time_zone: timeZone } = limits();
    return findPeriod(
      { period: cap?.period ?? 'month', resetDay: cap?.reset_day ?? 1 },
      instant,
      timeZone,
    );
  };
  /** The cap and its soft end in forwarded bytes, and how much each of them counts. */
  const readCap = () => {
    const { cap } = limits();
    const factor = cap?.counts === 'line' ? crossings : 1;
    const capBytes = cap && Math.floor(cap.bytes / factor);
    return { factor, capBytes, softEndBytes: capBytes && findSoftEnd(capBytes) };
  };
  /** The total of both directions at which this many bytes of the current period are forwarded. */
  const toTotal = (bytes: number | undefined) => {
    const { baseBytes } = rollUsage(usage, toForwardedTotals(usage), periodAt(now()));
    return bytes === undefined ? undefined : baseBytes + bytes;
  };
  const load = async () => {
    if (isLoaded) return;
    // With a cap, a broken file is not set aside: counting would begin again, and more than the
    // owner allows would pass.
    usage = await (isLooking === true || limits().cap !== undefined
      ? file.peek()
      : file.readOrSetAside());
    isLoaded = true;
  };
  const take = (totals: ForwardedTotals | undefined) => {
    if (isLoaded && !hasLooked && usage !== undefined) usage = countInDoubt(usage, totals);
    hasLooked ||= isLoaded;
    if (totals === undefined) return;
    const instant = now();
    const rolled = rollUsage(usage, totals, periodAt(instant));
    const isFirst = usage === undefined || !isClockSet(Date.parse(usage.periodStart));
    const next =
      isFirst && isClockSet(instant.getTime())
        ? { ...rolled, countedSince: instant.toISOString() }
        : rolled;
    if (usage === undefined || JSON.stringify(next) !== JSON.stringify(usage)) usage = next;
    isCounting = true;
  };
  return {
    load,
    totals: () => toForwardedTotals(usage),
    counted: () => (isCounting ? toForwardedTotals(usage) : undefined),
    take,
    async keep() {
      if (usage === undefined) return;
      const { capBytes } = readCap();
      const written = writer.written();
      if (capBytes !== undefined) {
        const { value, isDue } = reserve(usage, { written, capBytes });
        return await writer.keep(value, { isTrifle: true, isDue });
      }
      const unwritten = countUnwrittenBytes(written, usage);
      await writer.keep(usage, { isTrifle: unwritten < leastWorthWriting(capBytes) });
    },
    stopAtBytes: () => toTotal(readCap().capBytes),
    newUntilBytes: () => toTotal(readCap().softEndBytes),
    current() {
      if (usage === undefined) return undefined;
      const { factor, capBytes, softEndBytes } = readCap();
      const used = usedBytes(usage);
      const isCapReached = capBytes !== undefined && isUsedUp(capBytes - used, capBytes);
      const isEnding = softEndBytes !== undefined && used >= softEndBytes;
      // A clock that went back must neither open nor show an earlier period.
      const instant = new Date(Math.max(now().getTime(), Date.parse(usage.periodStart)));
      const period = periodAt(instant);
      const since = new Date(usage.countedSince ?? usage.periodStart);
      const reachedAt = projectReachedAt(
        { since, bytes: used, capBytes, periodEnd: period.end },
        instant,
      );
      return { period, bytes: Math.round(used * factor), isCapReached, isEnding, reachedAt };
    },
    async close(totals: ForwardedTotals | undefined) {
      await load();
      take(totals);
      if (usage !== undefined) await writer.write(usage);
    },
  };
}

/** The beginning of a new period is worth writing however little was used in it. */
function countUnwrittenBytes(written: Usage | undefined, usage: Usage): number {
  if (written === undefined || written.periodStart !== usage.periodStart)
    return Number.POSITIVE_INFINITY;
  return totalBytes(usage) - totalBytes(written);
}
