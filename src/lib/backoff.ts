/** Bounds of a growing delay, in ms. */
export interface BackoffBounds {
  readonly baseMs: number;
  readonly maxMs: number;
}

/**
 * Delay before try `attempt` (1-based, counts failures so far) in ms: full jitter, at most `maxMs`.
 */
export function computeBackoffMs(
  attempt: number,
  bounds: BackoffBounds,
  random: () => number = Math.random,
): number {
  const ceiling = Math.min(bounds.maxMs, bounds.baseMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(random() * ceiling);
}
