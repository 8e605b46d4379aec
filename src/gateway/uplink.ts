import { isInAny, parsePrefix, toNetwork } from '../lib/addresses.ts';
import type { Interface, Network } from '../system/ip.ts';

/** What the choice of an uplink depends on, beside the network. */
export interface UplinkSettings {
  /** `gateway.uplink`: then no other is taken. */
  readonly configured: string | undefined;
  /** Never the uplink itself. */
  readonly tunnelInterface: string;
}

/** The interface of the best default route, IPv4 before IPv6; undefined where no route leads to the Internet. */
export function chooseUplink(
  { routes, interfaces }: Pick<Network, 'routes' | 'interfaces'>,
  { configured, tunnelInterface }: UplinkSettings,
): string | undefined {
  const isUsable = (name: string | undefined) =>
    name !== tunnelInterface && interfaces.some((own) => own.name === name && own.isUp);
  if (configured !== undefined) return isUsable(configured) ? configured : undefined;
  return routes
    .filter((route) => route.table === 'main' && route.type === 'unicast' && route.destination === 'default')
    .filter((route) => isUsable(route.interface))
    .sort((one, other) => one.family - other.family || one.metric - other.metric)[0]?.interface;
}

/** Networks of the device's own interfaces, the tunnel's left out; in the form that `ip` prints. */
export function listOwnPrefixes(interfaces: readonly Interface[], tunnelInterface: string): readonly string[] {
  const networks = interfaces
    .filter((own) => own.name !== tunnelInterface && !own.isLoopback)
    .flatMap((own) => own.addresses)
    // An address "of" the whole Internet says nothing about what is near.
    .filter((own) => own.prefixLength > 0)
    .flatMap((own) => parsePrefix(`${own.address}/${own.prefixLength}`) ?? [])
    .map(toNetwork);
  return [...new Set(networks)].sort();
}

/** The first of the tunnel's addresses that lies in a network of this device; undefined: none does. */
export function findCollision(tunnelAddresses: readonly string[], ownPrefixes: readonly string[]): string | undefined {
  return tunnelAddresses.find((address) => isInAny(address, ownPrefixes));
}
