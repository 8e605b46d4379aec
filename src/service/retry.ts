import { computeBackoffMs } from '../lib/backoff.ts';
import { isAbort } from '../lib/errors.ts';
import { sleep } from '../lib/sleep.ts';
import { hasCode, ServiceError } from './errors.ts';
import type { Operation } from './operation.ts';

/** How often a call is tried, and how long to wait between two tries. */
type RetryPolicy = Pick<Operation, 'repeat'> & {
  readonly random: () => number;
  readonly tries: number;
};

const backoff = { baseMs: 500, maxMs: 5_000 };
/** A longer wait is left to the caller, which has a loop and other things to do meanwhile. */
const longestRetryAfterSeconds = 10;

/**
 * Makes the attempts of one call, numbered from 1.
 * @throws the error of the last attempt; AbortError
 */
export async function withRetry<T>(
  policy: RetryPolicy,
  attempt: (number: number) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (error) {
      const waitMs = planRetryMs(error, number, policy);
      if (waitMs === undefined || !(await sleep(waitMs, signal))) throw tellTries(error, number);
    }
  }
}

/** A service that took the request several times and was silent each time: its error says so. */
function tellTries(error: unknown, tries: number): unknown {
  if (tries < 2 || !hasCode(error, 'service-unreachable') || error.maybeSent !== true) return error;
  const message = `${error.message}; it was tried ${tries === 2 ? 'twice' : `${tries} times`}`;
  return new ServiceError(error.code, message, { ...error, cause: error.cause });
}

/**
 * Milliseconds to wait before the try after `attempt` (counted from 1); undefined if there must be
 * none.
 */
export function planRetryMs(
  error: unknown,
  attempt: number,
  policy: RetryPolicy,
): number | undefined {
  if (attempt >= policy.tries || isAbort(error)) return undefined;
  if (!hasCode(error, 'service-unreachable', 'service-failed', 'answer-truncated', 'rate-limited'))
    return undefined;
  if (policy.repeat === 'unsent' && error.maybeSent !== false) return undefined;
  const jitterMs = computeBackoffMs(attempt, backoff, policy.random);
  if (error.retryAfterSeconds !== undefined) {
    return error.retryAfterSeconds > longestRetryAfterSeconds
      ? undefined
      : error.retryAfterSeconds * 1000 + jitterMs;
  }
  // If the service names no time, asking again soon only makes it worse: each rejected login makes
  // the wait longer.
  return error.code === 'rate-limited' ? undefined : jitterMs;
}
