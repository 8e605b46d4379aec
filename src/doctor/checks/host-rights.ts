import { findOwner, userNamespaceFile } from '../../namespace/owner.ts';
import { type Finding, fail, pass, skip } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** Stopped, and not restarted: a restart keeps the namespace. */
const makeAnew = 'sudo systemctl stop tributary && sudo systemctl start tributary';
const allow = `echo user.max_user_namespaces=4096 | sudo tee /etc/sysctl.d/90-tributary.conf && sudo sysctl --system && ${makeAnew}`;
const consequence = 'an agent that was taken over could reach the network of this host';

/** Whether the agent's right over its network is one over the host's network, too. */
export async function lookAtHostRights(host: DoctorHost): Promise<Finding> {
  const place = await host.place();
  if (place.kind === 'own') {
    const map = (await host.disk.read('/proc/self/uid_map')) ?? '';
    return hasAllUsers(map)
      ? pass("in a container, a right over its network is one over its host's (docs/security.md)")
      : pass("none: this user namespace is not the host's");
  }
  if (place.inside === undefined) return skip('the namespace is not there yet');
  if (await host.disk.isThere(userNamespaceFile))
    return pass("none: the namespace belongs to the agent's user");
  if (findOwner((await host.disk.read('/etc/passwd')) ?? '') === undefined)
    return skip('the agent has no user of its own here, because it is no package');
  const most = (await host.disk.read('/proc/sys/user/max_user_namespaces'))?.trim();
  return most === '0'
    ? fail(`user namespaces are switched off here: ${consequence}`, allow)
    : fail(`the namespace was made without its own user namespace: ${consequence}`, makeAnew);
}

/** True for the map of the host's own user namespace: every user is who it is outside. */
function hasAllUsers(map: string): boolean {
  return /^\s*0\s+0\s+4294967295\s*$/.test(map);
}
