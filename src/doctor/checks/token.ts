import { hasCode } from '../../lib/errors.ts';
import { formatSeconds } from '../../lib/units.ts';
import { readClaims } from '../../service/jwt.ts';
import { fail, pass } from '../check.ts';
import type { DoctorHost } from '../host.ts';

const fix = 'sudo tributary login';

/** There, not expired, and taken by the service. */
export async function lookAtToken(host: DoctorHost) {
  const { token } = await host.state();
  if (token === undefined) {
    const { authCode } = (await host.configuration()).credentials;
    return authCode === undefined ? fail('this device is not signed in', fix) : pass('an auth code, not spent yet');
  }
  const expiresAtMs = readClaims(token)?.expiresAtMs;
  const leftSeconds = expiresAtMs === undefined ? undefined : (expiresAtMs - host.now().getTime()) / 1000;
  if (leftSeconds !== undefined && leftSeconds <= 0) {
    return fail(`the sign-in expired ${formatSeconds(-leftSeconds)} ago`, fix);
  }
  try {
    await host.clients();
  } catch (error) {
    if (!hasCode(error, 'not-authorized', 'service-refused')) throw error;
    return fail('the service no longer takes the sign-in', fix);
  }
  return pass(
    `taken by the service, ${leftSeconds === undefined ? 'without an end' : `good for ${formatSeconds(leftSeconds)}`}`,
  );
}
