import type { Phase, PhaseReport } from '../health/phase.ts';

/** A change of the phase that lasted. */
export interface PhaseChange {
  readonly at: Date;
  /** undefined: the first that was noticed since the agent started. */
  readonly from: Phase | undefined;
  readonly to: PhaseReport;
}

/**
 * Notices a phase once it has lasted `settleMs`; one that is gone sooner, or that leads back to the one noticed last, is
 * no change. Stopping is none either: it lasts no longer than the agent. Looks are told by a monotonic clock in ms.
 */
export function createPhaseChanges(settleMs: number) {
  let settled: Phase | undefined;
  let coming: { readonly phase: Phase; readonly at: Date; readonly sinceMs: number } | undefined;
  return (report: PhaseReport, at: Date, nowMs: number): PhaseChange | undefined => {
    const { phase } = report;
    if (phase === settled || phase === 'stopping') coming = undefined;
    else if (coming?.phase !== phase) coming = { phase, at, sinceMs: nowMs };
    if (coming === undefined || nowMs - coming.sinceMs < settleMs) return undefined;
    const change = { at: coming.at, from: settled, to: report };
    settled = phase;
    coming = undefined;
    return change;
  };
}
