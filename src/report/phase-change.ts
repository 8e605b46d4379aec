import type { Phase, PhaseReport } from '../health/phase.ts';

/** A change of the phase that lasted. */
export interface PhaseChange {
  /** When the new phase began. */
  readonly at: Date;
  /** undefined: the first that was told since the agent started. */
  readonly from: Phase | undefined;
  readonly to: PhaseReport;
}

/** What was told, and what may have to be told soon. */
export interface PhaseMemory {
  readonly told: Phase | undefined;
  readonly coming: { readonly phase: Phase; readonly at: Date; readonly sinceMs: number } | undefined;
}

export interface PhaseLook {
  readonly report: PhaseReport;
  readonly at: Date;
  /** Monotonic ms. */
  readonly nowMs: number;
  /** How long a phase has to last to be told. */
  readonly settleMs: number;
}

export const nothingTold: PhaseMemory = { told: undefined, coming: undefined };

/**
 * A phase is told once it has lasted; one that is gone sooner, or that leads back to the one told last, never is. Stopping
 * is not told: it lasts no longer than the agent.
 */
export function notePhase(
  { told, coming }: PhaseMemory,
  look: PhaseLook,
): { readonly memory: PhaseMemory; readonly change: PhaseChange | undefined } {
  const { report, at, nowMs, settleMs } = look;
  const { phase } = report;
  if (phase === told || phase === 'stopping') return { memory: { told, coming: undefined }, change: undefined };
  const candidate = coming?.phase === phase ? coming : { phase, at, sinceMs: nowMs };
  if (nowMs - candidate.sinceMs < settleMs) return { memory: { told, coming: candidate }, change: undefined };
  return { memory: { told: phase, coming: undefined }, change: { at: candidate.at, from: told, to: report } };
}
