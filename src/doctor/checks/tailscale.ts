import { isInAny } from '../../lib/addresses.ts';
import { observeRoutes } from '../../system/ip.ts';
import { fail, pass } from '../check.ts';
import type { DoctorHost } from '../host.ts';

const ownRange = '100.64.0.0/10';
/** Where Tailscale keeps its routes. */
const ownTable = '52';

/** An exit node takes all traffic to the Internet, and Tailscale drops its own range where it comes from elsewhere. */
export async function lookAtTailscale(host: DoctorHost) {
  const here = await observeRoutes(host.exec, 4);
  if (here.some(({ table, destination }) => table === ownTable && destination === 'default')) {
    return fail("Tailscale's exit node takes what leaves for the Internet", 'sudo tailscale set --exit-node=');
  }
  if ((await host.place()).kind === 'host') return pass("not in the agent's namespace");
  const { interfaces } = await host.network();
  if (!interfaces.some(({ name }) => name.startsWith('tailscale'))) return pass('not beside the agent');
  const spec = await host.tunnel().catch(() => undefined);
  const clash = spec?.addresses.find(({ address }) => isInAny(address, [ownRange]));
  if (clash === undefined) return pass('beside the agent, and out of its way');
  return fail(`Tailscale drops the tunnel's range (${clash.address} is in ${ownRange})`, 'sudo tributary namespace up');
}
