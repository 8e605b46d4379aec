import { fail, pass, skip } from '../check.ts';
import { isContainer } from '../container.ts';
import type { DoctorHost } from '../host.ts';

/** The one capability that the agent needs. */
export async function lookAtPrivileges(host: DoctorHost) {
  if (await host.isNetworkAdmin()) return pass('CAP_NET_ADMIN is there');
  if (host.userId !== 0) return skip('asked as an ordinary user, who sees less: sudo tributary doctor');
  const fix = (await isContainer(host)) ? 'docker run --cap-add NET_ADMIN …' : 'sudo tributary run';
  return fail('CAP_NET_ADMIN is missing: this user 0 may not change networks', fix);
}
