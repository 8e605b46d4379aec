/** What was used of a cap, and in which time. */
export interface UsedSoFar {
  /** When the period began, or the count if that was later. */
  readonly since: Date;
  readonly bytes: number;
  /** undefined: there is no cap. */
  readonly capBytes: number | undefined;
  readonly periodEnd: Date;
}

/** A pace over less says little. */
const leastMs = 86_400_000;

/**
 * When the cap will be reached at the pace of this period; undefined where it is too early to say,
 * or it will not be, or is already.
 */
export function projectReachedAt(
  { since, bytes, capBytes, periodEnd }: UsedSoFar,
  now: Date,
): Date | undefined {
  const elapsedMs = now.getTime() - since.getTime();
  if (capBytes === undefined || bytes <= 0 || bytes >= capBytes || elapsedMs < leastMs)
    return undefined;
  const reachedMs = since.getTime() + elapsedMs * (capBytes / bytes);
  return reachedMs < periodEnd.getTime() ? new Date(reachedMs) : undefined;
}
