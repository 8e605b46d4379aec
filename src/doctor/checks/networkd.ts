import { fail, pass } from '../check.ts';
import type { DoctorHost } from '../host.ts';

const settings = '/etc/systemd/networkd.conf.d/tributary.conf';
const fence = 5181;

/** systemd-networkd deletes rules for routing that it did not make, in its own network namespace only. */
export async function lookAtNetworkd(host: DoctorHost) {
  const isThere = await host.disk.isThere('/run/systemd/netif/state');
  if (!isThere) return pass('does not run here');
  if ((await host.place()).kind === 'host') return pass("keeps to the host's namespace");
  const texts = await Promise.all(['/etc/systemd/networkd.conf', settings].map(host.disk.read));
  if (texts.some((text) => /^ManageForeignRoutingPolicyRules=(no|false|0)$/m.test(text ?? ''))) {
    return pass('leaves the rules of others');
  }
  const { rules, interfaces } = await host.network();
  const { tunnel } = (await host.configuration()).config;
  const isTunnelThere = interfaces.some(({ name }) => name === tunnel.interface);
  if (!isTunnelThere || rules.some(({ priority }) => priority === fence)) return pass('left the rules so far');
  const text = '[Network]\\nManageForeignRoutingPolicyRules=no\\n';
  return fail('systemd-networkd deletes the rules for routing', `printf '${text}' | sudo tee ${settings}`);
}
