import { isIPv4 } from 'node:net';
import { specialPrefixes, tableName } from '../../gateway/policy.ts';
import { chooseRouter, chooseUplink, listPublicAddresses } from '../../gateway/uplink.ts';
import { isInAny } from '../../lib/addresses.ts';
import { observeNftTable } from '../../system/nft.ts';
import { type Finding, fail, findUplinkSettings, pass } from '../check.ts';
import type { DoctorHost } from '../host.ts';

/** What routers and what is behind them show most. */
const triedPorts = [22, 23, 53, 80, 443, 7547, 8080, 8443];

/** The home's public address: whether it is known, what answers there from inside, and that it is refused. */
export async function lookAtOutside(host: DoctorHost): Promise<Finding> {
  const { gateway } = (await host.configuration()).config;
  const here = await host.networkHere();
  const uplink = chooseUplink(here, await findUplinkSettings(host));
  const own = listPublicAddresses(here.interfaces, uplink);
  if (own.length > 0) return pass(`${own.join(', ')}, this device's own`);
  const named = gateway.deny_destinations.filter(isIPv4);
  const { ask_router: natPmp, upnp, stun } = gateway.public_address;
  if (!natPmp && !upnp && stun === undefined) return pass('not asked for: gateway.public_address');
  const router = chooseRouter(here, uplink);
  const { addresses } = await host.askOutside({ router, natPmp, upnp, stun });
  if (addresses.length > 0) return lookAtAddresses(host, addresses, gateway.allow_destinations);
  if (named.length > 0) return pass(`not told by ${router}; gateway.deny_destinations names ${named.join(', ')}`);
  return fail(
    `${router} does not tell the public address: consumers may reach what your router shows there`,
    "sudo tributary config set gateway.deny_destinations '[ADDRESS]'",
  );
}

async function lookAtAddresses(host: DoctorHost, addresses: readonly string[], allowed: readonly string[]) {
  const tried = addresses.flatMap((address) => triedPorts.map((port) => [address, port] as const));
  const outcomes = await Promise.all(tried.map(async (one) => ((await host.tryConnection(...one)) ? [one[1]] : [])));
  const ports = [...new Set(outcomes.flat())];
  const shown = addresses.join(', ');
  const found = ports.length === 0 ? 'nothing answers there from inside' : `answers from inside on ${ports.join(', ')}`;
  if (addresses.some((address) => isInAny(address, allowed))) {
    return pass(`${shown} ${found}; gateway.allow_destinations lets consumers reach it`);
  }
  const refused = await findRefused(host);
  if (refused === undefined || addresses.every((address) => isInAny(address, [...refused, ...specialPrefixes.v4]))) {
    const word = refused === undefined ? 'the agent refuses it' : 'it is refused';
    return pass(`${shown} ${found}; ${word} to consumers`);
  }
  return fail(`${shown} ${found}, and is not refused to consumers`, 'sudo systemctl restart tributary');
}

/** The device's own networks as the kernel has them; undefined where no agent runs, or this user may not look. */
async function findRefused(host: DoctorHost): Promise<readonly string[] | undefined> {
  if (!(await host.isNetworkAdmin())) return undefined;
  const exec = await host.inside().catch(() => undefined);
  return exec && (await observeNftTable(exec, tableName))?.sets.get('own4');
}
