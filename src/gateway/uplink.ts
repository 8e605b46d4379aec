import { isInAny, overlaps, parsePrefix, toNetworks } from '../lib/addresses.ts';
import type { Interface, Network, Route } from '../system/ip.ts';
import type { Way } from '../system/ways.ts';
import { specialPrefixes } from './policy.ts';
import { findWayOut, listDefaultRoutes, type Ways } from './way-out.ts';

/** The end of the link by which an agent in a namespace of its own on a host leads out. */
export const linkInside = 'uplink0';

/**
 * The interface by which the kernel sends packets to the Internet, IPv4 before IPv6, and never a
 * source's device; undefined where none gets there. Where one is `configured` (`gateway.uplink`) no
 * other is taken, but inside of a host's namespace: the name is of an interface of the host's then.
 */
export function chooseUplink(
  { routes, ways, interfaces }: Ways & Pick<Network, 'interfaces'>,
  {
    configured,
    devices,
  }: { readonly configured?: string | undefined; readonly devices: readonly string[] },
): string | undefined {
  const isUsable = (name: string | undefined) =>
    interfaces.some((own) => own.name === name && own.isUp && !devices.includes(own.name));
  const isInside = interfaces.some(({ name, kind }) => name === linkInside && kind === 'veth');
  if (configured !== undefined && configured !== linkInside && !isInside)
    return isUsable(configured) ? configured : undefined;
  // Where another program led all into a source's device, what would lead out besides is the way.
  const isAstray = ways.some((way) => devices.includes(way.interface));
  return [...ways, ...(isAstray ? listDefaultRoutes(routes) : [])]
    .toSorted((one, other) => one.family - other.family)
    .find((way) => isUsable(way.interface))?.interface;
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
 * The gateway of the uplink's IPv4 way to the Internet; undefined without one, or if the device has
 * a public address itself.
 */
export function chooseRouter(
  { routes, ways, interfaces }: Ways & Pick<Network, 'interfaces'>,
  uplink: string | undefined,
): string | undefined {
  if (listPublicAddresses(interfaces, uplink).length > 0) return undefined;
  return findWayOut({ routes, ways }, uplink, 4)?.gateway;
}

/** Networks of this machine's own interfaces but the sources' devices, as `ip` prints them. */
export function listOwnPrefixes(
  interfaces: readonly Interface[],
  devices: readonly string[],
): readonly string[] {
  const addresses = interfaces
    .filter((own) => !devices.includes(own.name) && !own.isLoopback)
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
  devices: readonly string[],
): readonly string[] {
  const addresses = interfaces
    .filter((own) => !devices.includes(own.name))
    .flatMap((own) => own.addresses);
  const isPublic = (address: string) => !isInAny(address, specialPrefixes.v6);
  const homes = addresses.filter(({ family, address }) => family === 6 && isPublic(address));
  return toNetworks(homes.map(({ address }) => `${address}/48`));
}

/**
 * Public prefixes to which this machine has another way than to the Internet: behind another
 * router of the home lies a company's or a lab's network, by a static route or by DHCP's (option
 * 121). Private ones are left out: they are refused anyway, and consumers' own addresses may lie in
 * them.
 */
export function listRoutedPrefixes(
  { routes, ways }: Ways,
  devices: readonly string[],
): readonly string[] {
  const usualWays = [...ways, ...listDefaultRoutes(routes)].map(nameWay);
  const routed = routes.filter(
    (route) =>
      route.table === 'main' &&
      route.type === 'unicast' &&
      !devices.includes(route.interface ?? '') &&
      isPublicNetwork(route.destination) &&
      // Without one interface it is by several ways, which no other route is the same as.
      (route.interface === undefined || !usualWays.includes(nameWay(route))),
  );
  return toNetworks(routed.map(({ destination }) => destination));
}

function nameWay({ family, interface: name, gateway, otherGateway }: Route | Way): string {
  return `${family} ${name} ${gateway ?? otherGateway}`;
}

/**
 * A wider prefix leads to the Internet rather than to one network: VPN programs write a default
 * route in two halves, and some routers as 2000::/3.
 */
const widest = { 4: 8, 6: 16 } as const;

function isPublicNetwork(destination: string): boolean {
  const prefix = parsePrefix(destination);
  if (prefix === undefined || prefix.length < widest[prefix.family]) return false;
  return ![...specialPrefixes.v4, ...specialPrefixes.v6].some(
    (special) =>
      overlaps(special, destination) && (parsePrefix(special)?.length ?? 0) <= prefix.length,
  );
}

/** Where this machine's own tunnels lead (6in4, GRE, IP in IP), as far as they are interfaces. */
export function listTunnelEnds(interfaces: readonly Interface[]): readonly string[] {
  return [...new Set(interfaces.flatMap(({ tunnelEnd }) => tunnelEnd ?? []))].sort();
}

/**
 * The first of a source's addresses and consumers' prefixes that overlaps with a network of this
 * machine; undefined if none does.
 */
export function findCollision(
  claimed: readonly string[],
  ownPrefixes: readonly string[],
): string | undefined {
  return claimed.find((each) => ownPrefixes.some((own) => overlaps(each, own)));
}
