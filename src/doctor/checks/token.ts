import { hasCode } from '../../lib/errors.ts';
import { formatSeconds } from '../../lib/units.ts';
import { readClaims } from '../../service/jwt.ts';
import { fail, pass } from '../check.ts';
import type { DoctorDoors } from '../doors.ts';

const mend = 'sudo tributary login';

/** There, not expired, and taken by the service. */
export async function lookAtToken(doors: DoctorDoors) {
  const { token } = await doors.state();
  if (token === undefined) {
    const { authCode } = (await doors.configuration()).credentials;
    return authCode === undefined ? fail('this device is not signed in', mend) : pass('an auth code, not spent yet');
  }
  const expiresAtMs = readClaims(token)?.expiresAtMs;
  const leftSeconds = expiresAtMs === undefined ? undefined : (expiresAtMs - doors.now().getTime()) / 1000;
  if (leftSeconds !== undefined && leftSeconds <= 0) {
    return fail(`the sign-in expired ${formatSeconds(-leftSeconds)} ago`, mend);
  }
  try {
    await doors.clients();
  } catch (error) {
    if (!hasCode(error, 'not-authorized', 'service-refused')) throw error;
    return fail('the service no longer takes the sign-in', mend);
  }
  return pass(
    `taken by the service, ${leftSeconds === undefined ? 'without an end' : `good for ${formatSeconds(leftSeconds)}`}`,
  );
}
