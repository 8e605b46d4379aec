import type { Facts } from '../health/facts.ts';
import type { Phase, PhaseReport } from '../health/phase.ts';
import { measureCounter } from './ledger-figures.ts';

/** The counters at the time of a report. */
export interface ReportTotals {
  readonly tunnelRxBytes: number;
  readonly tunnelTxBytes: number;
  readonly forwardedUpBytes: number;
  readonly forwardedDownBytes: number;
  /** For whatever reason. */
  readonly refusedPackets: number;
}

/** The one log record that a report writes; fields that are undefined are left out. */
interface ReportLine {
  readonly phase: Phase;
  /** The code of the first reason. */
  readonly reason: string | undefined;
  readonly mode: Facts['provide']['effective'];
  readonly confirmedMode: Facts['provide']['confirmed'];
  /** What grew since the last report; in the first report, all of it. */
  readonly since: ReportTotals;
  readonly total: ReportTotals;
  /** In the period of the cap. */
  readonly usageBytes: Facts['usage']['bytes'];
  /** undefined where the service said nothing yet. */
  readonly day: DayCompared | undefined;
}

/** The service's figures for 24 hours beside ours for these hours. */
interface DayCompared {
  readonly ourBytes: number | undefined;
  readonly serviceBytes: number | undefined;
  /** Ours less theirs. */
  readonly differenceBytes: number | undefined;
  readonly serviceUptimeSeconds: number | undefined;
  readonly servicePayoutUsdc: number | undefined;
}

/** `previous` is the last report's `total`; the first report counts from zero. */
export function composeReportLine(
  facts: Facts,
  { phase, reasons }: PhaseReport,
  previous?: ReportTotals,
): ReportLine {
  const total = readTotals(facts);
  return {
    phase,
    reason: reasons[0]?.code,
    mode: facts.provide.effective,
    confirmedMode: facts.provide.confirmed,
    since: previous === undefined ? total : subtractTotals(previous, total),
    total,
    usageBytes: facts.usage.bytes,
    day: compareDay(facts.serviceFigures),
  };
}

function readTotals({ tunnel, gateway }: Facts): ReportTotals {
  return {
    tunnelRxBytes: tunnel.rxBytes ?? 0,
    tunnelTxBytes: tunnel.txBytes ?? 0,
    forwardedUpBytes: gateway.forwardedBytes?.up ?? 0,
    forwardedDownBytes: gateway.forwardedBytes?.down ?? 0,
    refusedPackets: Object.values(gateway.refusedPackets ?? {}).reduce(
      (sum, packets) => sum + packets,
      0,
    ),
  };
}

function subtractTotals(before: ReportTotals, now: ReportTotals): ReportTotals {
  const grow = (name: keyof ReportTotals) => measureCounter(before[name], now[name]);
  return {
    tunnelRxBytes: grow('tunnelRxBytes'),
    tunnelTxBytes: grow('tunnelTxBytes'),
    forwardedUpBytes: grow('forwardedUpBytes'),
    forwardedDownBytes: grow('forwardedDownBytes'),
    refusedPackets: grow('refusedPackets'),
  };
}

/**
 * The service's figures for 24 hours beside ours for the same hours. The difference is ours less
 * the service's.
 */
function compareDay(figures: Facts['serviceFigures']): DayCompared | undefined {
  if (figures === undefined) return undefined;
  const { hereBytes: ourBytes, transferredBytes: serviceBytes } = figures;
  return {
    ourBytes,
    serviceBytes,
    differenceBytes:
      ourBytes === undefined || serviceBytes === undefined ? undefined : ourBytes - serviceBytes,
    serviceUptimeSeconds: figures.uptimeSeconds,
    servicePayoutUsdc: figures.payoutUsdc,
  };
}
