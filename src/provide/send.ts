import type { ProvideMode } from '../service/profiles.ts';

/** What is known about the mode at the service; times in ms of one monotonic clock. */
export interface SendState {
  readonly desired: ProvideMode;
  /** What the service last answered; undefined: not known. */
  readonly confirmed: ProvideMode | undefined;
  /** The last one sent, whatever came back; undefined: none since the start. */
  readonly lastSent: { readonly mode: ProvideMode; readonly atMs: number } | undefined;
  /** The service refused, or a failed try waits; undefined: it may be asked. */
  readonly refusedUntilMs: number | undefined;
  readonly nowMs: number;
}

export type SendDecision =
  | { readonly kind: 'send'; readonly mode: ProvideMode }
  | { readonly kind: 'wait'; readonly waitMs: number }
  | { readonly kind: 'nothing' };

/** A block of this length in which the mode changed is not scored (production-profile, "Statistics"). */
const leastMsBetweenModes = 60_000;

/** Whether to send the mode now: never twice in a scored block, but for a change to none, which goes out at once. */
export function decideSend(state: SendState): SendDecision {
  const { desired, confirmed, lastSent, refusedUntilMs, nowMs } = state;
  if (desired === confirmed) return { kind: 'nothing' };
  if (refusedUntilMs !== undefined && refusedUntilMs > nowMs) return { kind: 'wait', waitMs: refusedUntilMs - nowMs };
  // A none that the service did not take is no change any more: repeating it at once would only hammer.
  const isChangeToNone = desired === 'none' && lastSent?.mode !== 'none';
  if (lastSent === undefined || isChangeToNone) return { kind: 'send', mode: desired };
  const waitMs = lastSent.atMs + leastMsBetweenModes - nowMs;
  return waitMs > 0 ? { kind: 'wait', waitMs } : { kind: 'send', mode: desired };
}
