import { fail, pass, skip } from '../check.ts';
import { isContainer } from '../container.ts';
import type { DoctorDoors } from '../doors.ts';

/** The one capability that the agent needs. */
export async function lookAtPrivileges(doors: DoctorDoors) {
  if (await doors.isNetworkAdmin()) return pass('CAP_NET_ADMIN is there');
  if (doors.userId !== 0) return skip('asked as an ordinary user, who sees less: sudo tributary doctor');
  const mend = (await isContainer(doors)) ? 'docker run --cap-add NET_ADMIN …' : 'sudo tributary run';
  return fail('CAP_NET_ADMIN is missing: this user 0 may not change networks', mend);
}
