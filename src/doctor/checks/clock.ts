import { isClockSet } from '../../lib/clock.ts';
import { formatSeconds } from '../../lib/units.ts';
import { fail, pass } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** Tokens and certificates still work with a clock that is so far off. */
const mostSeconds = 300;
const fix = 'sudo timedatectl set-ntp true';

/** A wrong clock makes every certificate and every sign-in look invalid. */
export async function lookAtClock(host: DoctorHost) {
  const now = host.now();
  if (!isClockSet(now.getTime())) return fail(`this device believes it is ${now.toISOString()}`, fix);
  const theirs = await host.serviceDate().catch(() => undefined);
  if (theirs === undefined) return pass(`${now.toISOString()}, with nothing to compare it with`);
  const seconds = (host.now().getTime() - theirs.getTime()) / 1000;
  if (Math.abs(seconds) <= mostSeconds) return pass(`within ${formatSeconds(Math.abs(seconds) + 1)} of the service's`);
  const how = seconds < 0 ? 'behind' : 'ahead of';
  return fail(`${formatSeconds(Math.abs(seconds))} ${how} the service's clock`, fix);
}
