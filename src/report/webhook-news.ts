import type { Facts } from '../health/facts.ts';
import type { Phase, PhaseReport } from '../health/phase.ts';
import { formatBytes, formatUsdc } from '../lib/units.ts';
import type { Notice } from './webhook-body.ts';

/** A change to a phase that has lasted. */
export interface PhaseChange extends Pick<Notice, 'at' | 'from'> {
  readonly to: PhaseReport;
}

/**
 * Notices a phase that has lasted `settleMs` and is not the one noticed last. Times are ms of a
 * monotonic clock.
 */
export function createPhaseChanges(settleMs: number) {
  let settled: Phase | undefined;
  let coming: { readonly phase: Phase; readonly at: Date; readonly sinceMs: number } | undefined;
  return (report: PhaseReport, at: Date, nowMs: number): PhaseChange | undefined => {
    const { phase } = report;
    // Stopping is not noticed, because the agent ends with it.
    if (phase === settled || phase === 'stopping') coming = undefined;
    else if (coming?.phase !== phase) coming = { phase, at, sinceMs: nowMs };
    if (coming === undefined || nowMs - coming.sinceMs < settleMs) return undefined;
    const change = { at: coming.at, from: settled, to: report };
    settled = phase;
    coming = undefined;
    return change;
  };
}

/** What the owner was told before. */
export interface Told {
  /** Start of the period that `capPercent` is about, ISO 8601. */
  readonly periodStart?: string | undefined;
  readonly capPercent: 0 | 80 | 100;
  readonly isPayoutTold: boolean;
}

/** An event that happens once in a period, or once for ever. */
export interface Milestone {
  readonly event: 'cap-80' | 'cap-100' | 'first-payout';
  readonly message: string;
  readonly told: Told;
}

/**
 * The next milestone that was reached and not told yet; undefined without one. `told` is undefined
 * if nothing was ever told.
 */
export function findMilestone(
  { usage, earned, provide }: Facts,
  told: Told | undefined,
): Milestone | undefined {
  const periodStart = usage.periodStart?.toISOString();
  const isPayoutTold = told?.isPayoutTold ?? false;
  const toldPercent = told?.periodStart === periodStart ? (told?.capPercent ?? 0) : 0;
  const share = usage.capBytes === undefined ? 0 : usage.bytes / usage.capBytes;
  const capPercent =
    share >= 1 || provide.pause?.code === 'cap-reached' ? 100 : share >= 0.8 ? 80 : 0;
  if (usage.capBytes !== undefined && capPercent > toldPercent && capPercent !== 0) {
    const used = `${formatBytes(usage.bytes)} of ${formatBytes(usage.capBytes)} are used in this period`;
    const message = `The data cap is ${capPercent === 100 ? '' : 'nearly '}reached: ${used}.`;
    return { event: `cap-${capPercent}`, message, told: { periodStart, capPercent, isPayoutTold } };
  }
  if (earned === undefined || earned.last24hUsdc <= 0 || isPayoutTold) return undefined;
  const message = `The service counts earnings of this device: ${formatUsdc(earned.last24hUsdc)} in the last 24 hours.`;
  return {
    event: 'first-payout',
    message,
    told: { periodStart, capPercent: toldPercent, isPayoutTold: true },
  };
}

/** The notice of a milestone, which has neither reason nor action, or otherwise of the phase. */
export function toNotice(
  { at, from, to }: PhaseChange,
  milestone: Milestone | undefined,
  { registration }: Facts,
): Notice {
  const why = milestone === undefined ? to.reasons[0] : undefined;
  const { event = 'phase', message = why?.message } = milestone ?? {};
  const { clientId, description } = registration ?? {};
  return {
    event,
    at,
    from,
    to: to.phase,
    reason: why?.code,
    message,
    action: why?.action,
    clientId,
    description,
  };
}
