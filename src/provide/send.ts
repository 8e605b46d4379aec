import type { ProvideMode } from '../service/profiles.ts';

/** What is known about the mode at the service; times in ms of one monotonic clock. */
export interface SendState {
  readonly desired: ProvideMode;
  /** What the service last answered; undefined while unknown. */
  readonly confirmed: ProvideMode | undefined;
  /**
   * The mode that was sent last, whatever was answered; undefined before the first since the start.
   */
  readonly lastSent: { readonly mode: ProvideMode; readonly atMs: number } | undefined;
  /** Nothing is sent before this time, because the service refused or a failed try has to wait. */
  readonly refusedUntilMs: number;
  readonly nowMs: number;
}

/**
 * A block of this length in which the mode changed is not scored (production-profile,
 * "Statistics").
 */
const leastMsBetweenModes = 60_000;

/**
 * Ms until the mode may be sent; undefined where it need not be. It is never sent twice in a scored
 * block, but a change to none is sent at once.
 */
export function findSendWaitMs(state: SendState): number | undefined {
  const { desired, confirmed, lastSent, refusedUntilMs, nowMs } = state;
  if (desired === confirmed) return undefined;
  if (refusedUntilMs > nowMs) return refusedUntilMs - nowMs;
  // If the service did not accept a none, sending it again is no change: repeating it at once would
  // only flood the service.
  const isChangeToNone = desired === 'none' && lastSent?.mode !== 'none';
  if (lastSent === undefined || isChangeToNone) return 0;
  return Math.max(0, lastSent.atMs + leastMsBetweenModes - nowMs);
}
