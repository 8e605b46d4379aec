import { TributaryError } from '../../errors/codes.ts';
import type { Issuance } from '../../identity/registration-files.ts';

/**
 * Why a registered device has no tunnel, in the service's words, with what its owner can do;
 * undefined if a tunnel was issued.
 */
export function explainUnissued({ tunnel, unissued }: Issuance): TributaryError | undefined {
  if (tunnel !== undefined) return undefined;
  const said = unissued?.said === undefined ? '' : ` (${unissued.said})`;
  const why = unissued?.needsUpgrade
    ? "the owner's plan does not include it"
    : 'it needs proxy.country_code, a country that has providers';
  const message = `the device is registered, but the service issued no WireGuard configuration${said}: ${why}`;
  return new TributaryError('registration-incomplete', message);
}
