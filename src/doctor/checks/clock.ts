import { formatSeconds } from '../../lib/units.ts';
import { fail, pass } from '../check.ts';
import type { DoctorDoors } from '../doors.ts';

/** Before this program was written no clock can rightly be. */
const earliest = '2025-01-01';
/** Tokens and certificates bear that much. */
const mostSeconds = 300;
const mend = 'sudo timedatectl set-ntp true';

/** A clock that is wrong makes every certificate and every sign-in look so. */
export async function lookAtClock(doors: DoctorDoors) {
  const now = doors.now();
  if (now.toISOString() < earliest) return fail(`this device believes it is ${now.toISOString()}`, mend);
  const theirs = await doors.serviceDate().catch(() => undefined);
  if (theirs === undefined) return pass(`${now.toISOString()}, with nothing to compare it with`);
  const seconds = (doors.now().getTime() - theirs.getTime()) / 1000;
  if (Math.abs(seconds) <= mostSeconds) return pass(`within ${formatSeconds(Math.abs(seconds) + 1)} of the service's`);
  const how = seconds < 0 ? 'behind' : 'ahead of';
  return fail(`${formatSeconds(Math.abs(seconds))} ${how} the service's clock`, mend);
}
