import { hasCode, isAbort } from '../lib/errors.ts';
import type { Secret } from '../lib/secret.ts';
import type { ServiceClient } from '../service/client.ts';
import { readClaims } from '../service/jwt.ts';

/**
 * Asks a second operation whether the token is really refused: one refusal alone says little, and an answer that says
 * nothing of the token (5xx, a time-out, a page of HTML) says nothing. @throws AbortError
 */
export async function confirmRefusal(
  client: Pick<ServiceClient, 'call'>,
  token: Secret,
  signal: AbortSignal,
): Promise<boolean> {
  const asked = client.call('clients', undefined, { token, signal, keep: () => false });
  const failure = await asked.catch((error: unknown) => error);
  if (isAbort(failure)) throw failure;
  return hasCode(failure, 'not-authorized');
}

/** A service that is being changed or repaired refuses everyone; a day is enough for its people to notice. */
const longestMs = 86_400_000;

/** True where a token that has been refused for so long (ms) will not be taken again: it has run out, or it was a day. */
export function isRefusedForGood(token: Secret, refusedMs: number, now: Date): boolean {
  const expiresAtMs = readClaims(token)?.expiresAtMs ?? Number.POSITIVE_INFINITY;
  return expiresAtMs <= now.getTime() || refusedMs >= longestMs;
}
