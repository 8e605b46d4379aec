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
  /** When a mode was last sent that is not narrower than the one before; undefined before that. */
  readonly lastWidenedAtMs: number | undefined;
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
 * Ms until the mode may be sent; undefined where it need not be. A narrower one is sent at once:
 * those whom it shuts out may be there already. Any other waits for a minute after the last such
 * one, and not after a narrower: a pause has cost the block already, and after its end no consumer
 * comes until the service knows.
 */
export function findSendWaitMs(state: SendState): number | undefined {
  const { desired, confirmed, lastSent, lastWidenedAtMs, refusedUntilMs, nowMs } = state;
  if (desired === confirmed) return undefined;
  if (refusedUntilMs > nowMs) return refusedUntilMs - nowMs;
  if (lastSent === undefined) return 0;
  // If the service did not take a mode, sending it again is no change: repeating it at once would
  // only flood the service.
  const isAgain = lastSent.mode === desired;
  if (!isAgain && isNarrowing(state)) return 0;
  const lastAtMs = isAgain ? lastSent.atMs : lastWidenedAtMs;
  return lastAtMs === undefined ? 0 : Math.max(0, lastAtMs + leastMsBetweenModes - nowMs);
}

/** True where the mode shuts someone out whom the one before may have let in. */
export function isNarrowing({
  desired,
  confirmed,
  lastSent,
}: Pick<SendState, 'desired' | 'confirmed' | 'lastSent'>): boolean {
  const before = confirmed ?? lastSent?.mode;
  return desired === 'none' || (before !== undefined && isWider(before, desired));
}
