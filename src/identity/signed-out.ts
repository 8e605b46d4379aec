import { hasCode, isAbort } from '../lib/errors.ts';
import type { Secret } from '../lib/secret.ts';
import type { ServiceClient } from '../service/client.ts';

/**
 * Asks a second operation whether the token is really refused: one refusal alone signs nobody out, and an answer that
 * says nothing of the token (5xx, a time-out, a page of HTML) never does. @throws AbortError
 */
export async function confirmSignedOut(
  client: Pick<ServiceClient, 'call'>,
  token: Secret,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await client.call('clients', undefined, { token, signal, keep: () => false });
    return false;
  } catch (error) {
    if (isAbort(error)) throw error;
    return hasCode(error, 'not-authorized');
  }
}
