import type { ProvideMode } from '../service/profiles.ts';
import { isWider } from './mode-width.ts';

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
 * block, but a narrower one is sent at once: those whom it shuts out may be there already.
 */
export function findSendWaitMs(state: SendState): number | undefined {
  const { desired, confirmed, lastSent, refusedUntilMs, nowMs } = state;
  if (desired === confirmed) return undefined;
  if (refusedUntilMs > nowMs) return refusedUntilMs - nowMs;
  const before = confirmed ?? lastSent?.mode;
  const isNarrower = desired === 'none' || (before !== undefined && isWider(before, desired));
  // If the service did not take a mode, sending it again is no change: repeating it at once would
  // only flood the service.
  if (lastSent === undefined || (isNarrower && lastSent.mode !== desired)) return 0;
  return Math.max(0, lastSent.atMs + leastMsBetweenModes - nowMs);
}
