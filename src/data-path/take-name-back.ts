import type { Exec } from '../system/exec.ts';
import { type Network, observeNetwork } from '../system/ip.ts';
import type { DesiredTunnel } from '../tunnel/state.ts';

/** Gives the tunnel its name back, which another program changed: the network as it is then. @throws command-failed */
export async function takeNameBack(exec: Exec, desired: DesiredTunnel, network: Network): Promise<Network> {
  const name = findRenamed(desired, network);
  if (name === undefined) return network;
  const doing = `giving ${name} its name ${desired.interface} back`;
  // Older kernels rename only what is down; the pass brings it up behind its fence.
  await exec({ program: 'ip', args: ['link', 'set', name, 'down'], doing });
  await exec({ program: 'ip', args: ['link', 'set', name, 'name', desired.interface], doing });
  return observeNetwork(exec);
}

/** By its kind and its address alone: nothing else can have both, or the tunnel could not be made. */
function findRenamed(desired: DesiredTunnel, { interfaces }: Network): string | undefined {
  if (desired.kind !== 'present' || interfaces.some(({ name }) => name === desired.interface)) return undefined;
  const ours = desired.spec.addresses.map(({ address }) => address);
  return interfaces.find(
    ({ kind, addresses }) =>
      (kind === 'wireguard' || kind === 'tun') &&
      addresses.some(
        ({ address, family, prefixLength }) => prefixLength === (family === 4 ? 32 : 128) && ours.includes(address),
      ),
  )?.name;
}
