import type { ProvideMode } from '../service/profiles.ts';

/** What is known about the mode at the service; times in ms of one monotonic clock. */
export interface SendState {
  readonly desired: ProvideMode;
  /** What the service last answered; undefined: not known. */
  readonly confirmed: ProvideMode | undefined;
  /** The last one sent, whatever came back; undefined: none since the start. */
  readonly lastSent: { readonly mode: ProvideMode; readonly atMs: number } | undefined;
  /** Not sent before that: the service refused, or a failed try waits. */
  readonly refusedUntilMs: number;
  readonly nowMs: number;
}

/**
 * A block of this length in which the mode changed is not scored (production-profile,
 * "Statistics").
 */
const leastMsBetweenModes = 60_000;

/**
 * Ms until the mode may be sent; undefined: no need. Never twice in a scored block, but a change to
 * none goes out at once.
 */
export function findSendWaitMs(state: SendState): number | undefined {
  const { desired, confirmed, lastSent, refusedUntilMs, nowMs } = state;
  if (desired === confirmed) return undefined;
  if (refusedUntilMs > nowMs) return refusedUntilMs - nowMs;
  // A none that the service did not take is no change any more: repeating it at once would only
  // hammer.
  const isChangeToNone = desired === 'none' && lastSent?.mode !== 'none';
  if (lastSent === undefined || isChangeToNone) return 0;
  return Math.max(0, lastSent.atMs + leastMsBetweenModes - nowMs);
}
