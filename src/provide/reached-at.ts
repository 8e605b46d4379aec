import { dayMs } from '../lib/units.ts';

/** How much of a cap was used, and in which time. */
export interface UsedSoFar {
  /** When the period began, or when counting began if that was later. */
  readonly since: Date;
  readonly bytes: number;
  /** undefined without a cap. */
  readonly capBytes: number | undefined;
  readonly periodEnd: Date;
}

/** A pace over less than this (ms) says little. */
const leastMs = dayMs;

/**
 * When the cap will be reached at the pace of this period; undefined where it is too early to say,
 * and where it will not be or already is reached.
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
