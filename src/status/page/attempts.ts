/** How long a caller has to wait before the next try, in ms; 0 lets it pass and counts it. */
export type Attempts = (caller: string, nowMs: number) => number;

const callerLimit = 256;

/** At most `most` tries of each caller within `windowMs`. Of more callers than can be remembered the oldest is forgotten. */
export function createAttempts(most: number, windowMs: number): Attempts {
  const tries = new Map<string, readonly number[]>();
  return (caller, nowMs) => {
    const recent = (tries.get(caller) ?? []).filter((atMs) => nowMs - atMs < windowMs);
    const [oldest] = recent;
    if (oldest !== undefined && recent.length >= most) return oldest + windowMs - nowMs;
    // Deleted first, so that it comes last in the order of forgetting.
    tries.delete(caller);
    tries.set(caller, [...recent, nowMs]);
    const [forgotten] = tries.keys();
    if (tries.size > callerLimit && forgotten !== undefined) tries.delete(forgotten);
    return 0;
  };
}
