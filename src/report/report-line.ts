import type { Facts } from '../health/facts.ts';
import type { PhaseReport } from '../health/phase.ts';
import { measureCounter } from './ledger-figures.ts';

/** The counters at the time of a report. */
export type ReportTotals = Readonly<ReturnType<typeof readTotals>>;

/**
 * The fields of the one log record that a report writes; unknown ones are left out. `previous` is
 * the last report's `total`; the first report counts from zero.
 */
export function composeReportLine(
  facts: Facts,
  { phase, reasons }: PhaseReport,
  previous?: ReportTotals,
) {
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

function readTotals({ tunnel, gateway }: Facts) {
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
  const names = Object.keys(now) as (keyof ReportTotals)[];
  return Object.fromEntries(
    names.map((name) => [name, measureCounter(before[name], now[name])]),
  ) as ReportTotals;
}

/**
 * The service's figures for 24 hours beside ours for the same hours. The difference is ours less
 * the service's.
 */
function compareDay(figures: Facts['serviceFigures']) {
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
