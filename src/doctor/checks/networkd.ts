import { fail, pass } from '../check.ts';
import type { DoctorDoors } from '../doors.ts';

const settings = '/etc/systemd/networkd.conf.d/tributary.conf';
const fence = 5181;

/** systemd-networkd deletes rules for routing that it did not make, in its own network namespace only. */
export async function lookAtNetworkd(doors: DoctorDoors) {
  const isThere = await doors.disk.isThere('/run/systemd/netif/state');
  if (!isThere) return pass('does not run here');
  if ((await doors.place()).kind === 'host') return pass("keeps to the host's namespace");
  const texts = await Promise.all(['/etc/systemd/networkd.conf', settings].map(doors.disk.read));
  if (texts.some((text) => /^ManageForeignRoutingPolicyRules=(no|false|0)$/m.test(text ?? ''))) {
    return pass('leaves the rules of others');
  }
  const { rules, interfaces } = await doors.network();
  const { tunnel } = (await doors.configuration()).config;
  const isTunnelThere = interfaces.some(({ name }) => name === tunnel.interface);
  if (!isTunnelThere || rules.some(({ priority }) => priority === fence)) return pass('left the rules so far');
  const text = '[Network]\\nManageForeignRoutingPolicyRules=no\\n';
  return fail('systemd-networkd deletes the rules for routing', `printf '${text}' | sudo tee ${settings}`);
}
