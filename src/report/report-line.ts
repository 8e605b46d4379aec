import type { Facts } from '../health/facts.ts';
import type { PhaseReport } from '../health/phase.ts';
import { toGrowth } from './byte-window.ts';

/** The counters as the last report saw them. */
export interface ReportTotals {
  readonly tunnelRxBytes: number;
  readonly tunnelTxBytes: number;
  readonly forwardedUpBytes: number;
  readonly forwardedDownBytes: number;
  readonly refusedPackets: number;
}

export interface ReportInput {
  readonly facts: Facts;
  readonly report: PhaseReport;
  /** undefined for the first report of this process: it counts from zero. */
  readonly previous: ReportTotals | undefined;
  /** Forwarded here in the last 24 hours; undefined while that is not known. */
  readonly dayBytes: number | undefined;
}

/** The fields of the one log record that a report writes; what is not known is left out. */
export function toReportLine({ facts, report, previous, dayBytes }: ReportInput) {
  const total = toReportTotals(facts);
  return {
    phase: report.phase,
    reason: report.reasons[0]?.code,
    mode: facts.provide.effective,
    confirmedMode: facts.provide.confirmed,
    // Since the last report.
    since: previous === undefined ? total : toDifference(previous, total),
    total,
    usageBytes: facts.usage.bytes,
    day: compareDay(facts, dayBytes),
  };
}

/** To be kept for the next report. */
export function toReportTotals({ tunnel, gateway }: Facts): ReportTotals {
  return {
    tunnelRxBytes: tunnel.rxBytes ?? 0,
    tunnelTxBytes: tunnel.txBytes ?? 0,
    forwardedUpBytes: gateway.forwardedBytes?.up ?? 0,
    forwardedDownBytes: gateway.forwardedBytes?.down ?? 0,
    refusedPackets: Object.values(gateway.refusedPackets ?? {}).reduce((sum, packets) => sum + packets, 0),
  };
}

function toDifference(before: ReportTotals, now: ReportTotals): ReportTotals {
  return {
    tunnelRxBytes: toGrowth(before.tunnelRxBytes, now.tunnelRxBytes),
    tunnelTxBytes: toGrowth(before.tunnelTxBytes, now.tunnelTxBytes),
    forwardedUpBytes: toGrowth(before.forwardedUpBytes, now.forwardedUpBytes),
    forwardedDownBytes: toGrowth(before.forwardedDownBytes, now.forwardedDownBytes),
    refusedPackets: toGrowth(before.refusedPackets, now.refusedPackets),
  };
}

/** The service's figures for 24 hours beside ours; the difference is ours less theirs. */
function compareDay({ serviceFigures }: Facts, ourBytes: number | undefined) {
  if (serviceFigures === undefined && ourBytes === undefined) return undefined;
  const serviceBytes = serviceFigures?.transferredBytes;
  return {
    ourBytes,
    serviceBytes,
    differenceBytes: ourBytes === undefined || serviceBytes === undefined ? undefined : ourBytes - serviceBytes,
    serviceUptimeSeconds: serviceFigures?.uptimeSeconds,
    servicePayoutUsdc: serviceFigures?.payoutUsdc,
  };
}
