import { isInAny, toNetworks } from '../lib/addresses.ts';
import type { Interface, Network } from '../system/ip.ts';
import { specialPrefixes } from './policy.ts';

/**
 * The interface of the best default route, IPv4 before IPv6, and never the tunnel; undefined where
 * no route leads to the Internet. If one is `configured` (`gateway.uplink`), no other is chosen.
 */
export function chooseUplink(
  { routes, interfaces }: Pick<Network, 'routes' | 'interfaces'>,
  {
    configured,
    tunnelInterface,
  }: { readonly configured?: string | undefined; readonly tunnelInterface: string },
): string | undefined {
  const isUsable = (name: string | undefined) =>
    name !== tunnelInterface && interfaces.some((own) => own.name === name && own.isUp);
  if (configured !== undefined) return isUsable(configured) ? configured : undefined;
  return listDefaultRoutes(routes).find((route) => isUsable(route.interface))?.interface;
}

function listDefaultRoutes(routes: Network['routes']): Network['routes'] {
  return routes
    .filter(
      ({ table, type, destination }) =>
        table === 'main' && type === 'unicast' && destination === 'default',
    )
    .sort((one, other) => one.family - other.family || one.metric - other.metric);
}

/** IPv4 addresses of an interface that are valid beyond its link. */
export function listAddresses(
  interfaces: readonly Interface[],
  name: string | undefined,
): readonly string[] {
  const own = interfaces
    .filter((candidate) => candidate.name === name)
    .flatMap(({ addresses }) => addresses);
  return own.flatMap(({ family, address }) =>
    family === 4 && !address.startsWith('169.254.') ? [address] : [],
  );
}

/** The public ones among them: the Internet sees the home under these addresses. */
export function listPublicAddresses(
  interfaces: readonly Interface[],
  name: string | undefined,
): readonly string[] {
  return listAddresses(interfaces, name).filter((address) => !isInAny(address, specialPrefixes.v4));
}

/**
 * The gateway of the uplink's best IPv4 default route; undefined without one, or if the device has
 * a public address itself.
 */
export function chooseRouter(
  { routes, interfaces }: Pick<Network, 'routes' | 'interfaces'>,
  uplink: string | undefined,
): string | undefined {
  if (listPublicAddresses(interfaces, uplink).length > 0) return undefined;
  return listDefaultRoutes(routes).find((route) => route.family === 4 && route.interface === uplink)
    ?.gateway;
}

/** Networks of the device's own interfaces, without the tunnel's, in the form that `ip` prints. */
export function listOwnPrefixes(
  interfaces: readonly Interface[],
  tunnelInterface: string,
): readonly string[] {
  const addresses = interfaces
    .filter((own) => own.name !== tunnelInterface && !own.isLoopback)
    .flatMap((own) => own.addresses)
    // An address whose network is the whole Internet does not tell what is near.
    .filter((own) => own.prefixLength > 0);
  return toNetworks(addresses.map(({ address, prefixLength }) => `${address}/${prefixLength}`));
}

/**
 * The /48 around each public IPv6 address of this device. A home gets at most a /48, so its other
 * networks and its router lie in it.
 */
export function listHomePrefixes(
  interfaces: readonly Interface[],
  tunnelInterface: string,
): readonly string[] {
  const addresses = interfaces
    .filter((own) => own.name !== tunnelInterface)
    .flatMap((own) => own.addresses);
  const isPublic = (address: string) => !isInAny(address, specialPrefixes.v6);
  const homes = addresses.filter(({ family, address }) => family === 6 && isPublic(address));
  return toNetworks(homes.map(({ address }) => `${address}/48`));
}

/**
 * The first of the tunnel's addresses that lies in a network of this device; undefined if none
 * does.
 */
export function findCollision(
  tunnelAddresses: readonly string[],
  ownPrefixes: readonly string[],
): string | undefined {
  return tunnelAddresses.find((address) => isInAny(address, ownPrefixes));
}
