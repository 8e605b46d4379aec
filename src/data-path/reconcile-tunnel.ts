import { applyTunnel } from '../source/wireguard/apply.ts';
import { observeTunnel } from '../source/wireguard/observe.ts';
import { planTunnel } from '../source/wireguard/plan.ts';
import type { DesiredTunnel, ObservedTunnel } from '../source/wireguard/state.ts';
import type { Exec } from '../system/exec.ts';
import { type Interface, type Network, observeInterfaces, observeNetwork } from '../system/ip.ts';
import type { DataPathHost } from './state.ts';

/**
 * Makes the tunnel as desired, or removes it; `hasChanged` tells whether anything had to be done.
 * `beforeUp` prepares what a new interface needs before anything can come through it.
 */
export async function reconcileTunnel(
  host: Pick<DataPathHost, 'exec' | 'stateDirectory'>,
  desired: DesiredTunnel,
  {
    interfaces,
    beforeUp,
  }: { readonly interfaces: readonly Interface[]; readonly beforeUp?: () => Promise<void> },
): Promise<{ readonly tunnel: ObservedTunnel; readonly hasChanged: boolean }> {
  const observed = await observeTunnel(host, desired.interface, interfaces);
  const steps = planTunnel(desired, observed);
  if (steps.length === 0) return { tunnel: observed, hasChanged: false };
  const isNew = steps.some(({ kind }) => kind === 'create-link');
  const { setUp = [], others = [] } = Object.groupBy(steps, ({ kind }) =>
    kind === 'set-up' ? 'setUp' : 'others',
  );
  await applyTunnel(host, others);
  if (isNew) await beforeUp?.();
  await applyTunnel(host, setUp);
  const tunnel = await observeTunnel(host, desired.interface, await observeInterfaces(host.exec));
  return { tunnel, hasChanged: true };
}

/**
 * Renames the tunnel back if another program has renamed it. Resolves with the network after that.
 * @throws command-failed
 */
export async function takeNameBack(
  exec: Exec,
  desired: DesiredTunnel,
  network: Network,
): Promise<Network> {
  const name = findRenamed(desired, network);
  if (name === undefined) return network;
  const doing = `giving ${name} its name ${desired.interface} back`;
  // Older kernels only rename interfaces that are down. The pass brings it up again, behind its
  // fence.
  await exec({ program: 'ip', args: ['link', 'set', name, 'down'], doing });
  await exec({ program: 'ip', args: ['link', 'set', name, 'name', desired.interface], doing });
  return observeNetwork(exec);
}

/**
 * The tunnel is recognized by kind and address alone: no other interface can have both, or the
 * tunnel could not be made.
 */
function findRenamed(desired: DesiredTunnel, { interfaces }: Network): string | undefined {
  if (desired.kind !== 'present' || interfaces.some(({ name }) => name === desired.interface))
    return undefined;
  const ours = desired.spec.addresses.map(({ address }) => address);
  return interfaces.find(
    ({ kind, addresses }) =>
      (kind === 'wireguard' || kind === 'tun') &&
      addresses.some(
        ({ address, family, prefixLength }) =>
          prefixLength === (family === 4 ? 32 : 128) && ours.includes(address),
      ),
  )?.name;
}
