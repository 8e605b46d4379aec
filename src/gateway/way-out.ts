import type { Network, Route } from '../system/ip.ts';
import type { Way } from '../system/ways.ts';

/** What the ways out of this machine follow from. */
export type Ways = Pick<Network, 'routes' | 'ways'>;

/** Main's default routes, IPv4 before IPv6, the one that the kernel prefers first. */
export function listDefaultRoutes(routes: readonly Route[]): readonly Route[] {
  return routes
    .filter(isDefault)
    .filter(({ table }) => table === 'main')
    .sort((one, other) => one.family - other.family || one.metric - other.metric);
}

function isDefault({ type, destination }: Route): boolean {
  return type === 'unicast' && destination === 'default';
}

/**
 * How packets of one family leave by the uplink: as the kernel sends them now, otherwise by a
 * default route of that interface, which another is preferred to; undefined where it has none.
 */
export function findWayOut(
  { routes, ways }: Ways,
  uplink: string | undefined,
  family: Way['family'],
): Way | undefined {
  if (uplink === undefined) return undefined;
  return [...ways, ...listDefaultRoutes(routes)]
    .map((way) => ({ ...way, interface: uplink, isOwn: way.interface === uplink }))
    .find((way) => way.isOwn && way.family === family);
}

/**
 * The ways that consumers' packets have to be given, since this machine's own routes would send
 * some of them elsewhere: by another interface than the one that the owner names, or by several in
 * turn. Empty where its own routes lead to the uplink alone.
 */
export function listDetours(network: Ways, uplink: string | undefined): readonly Way[] {
  return ([4, 6] as const).flatMap((family) => {
    const way = findWayOut(network, uplink, family);
    if (way === undefined || isOnly(network, way)) return [];
    const { interface: name, gateway, otherGateway } = way;
    const beside = otherGateway === undefined ? {} : { otherGateway };
    return [{ family, interface: name, gateway, ...beside }];
  });
}

function isOnly({ routes, ways }: Ways, { family, interface: uplink }: Way): boolean {
  const here = ways.filter((way) => way.family === family);
  const beside = routes
    .filter(isDefault)
    .filter((route) => route.family === family && route.interface === uplink)
    // A route with several next hops is listed as one for each.
    .some(({ table, metric }) =>
      routes
        .filter(isDefault)
        .some(
          (other) =>
            other.family === family &&
            other.table === table &&
            other.metric === metric &&
            other.interface !== uplink,
        ),
    );
  return here.every((way) => way.interface === uplink) && here.length > 0 && !beside;
}

/**
 * The interfaces by which packets leave where the uplink leads nowhere, so that all of consumers'
 * packets are refused there; empty where the uplink leads to the Internet.
 */
export function listStrays(network: Ways, uplink: string | undefined): readonly string[] {
  const family = network.ways.some((way) => way.family === 4) ? 4 : 6;
  if (uplink === undefined || findWayOut(network, uplink, family) !== undefined) return [];
  return [...new Set(network.ways.map(({ interface: name }) => name))];
}

/**
 * Why nothing leaves this machine over IPv4, where neither a cable nor a wait helps: it has IPv6
 * alone, or its default route is in a VRF; undefined where neither is so.
 */
export function explainNoWay({
  ways,
  routes,
  interfaces,
}: Pick<Network, 'ways' | 'routes' | 'interfaces'>): string | undefined {
  if (ways.some(({ family }) => family === 4)) return undefined;
  const vrf = interfaces.find(({ kind }) => kind === 'vrf')?.name;
  const isAside = routes.some(
    ({ family, destination, type, table }) =>
      family === 4 && destination === 'default' && type === 'unicast' && table !== 'main',
  );
  if (vrf !== undefined && isAside)
    return `its default route is in a VRF (${vrf}), which the agent does not use: give the main table a default route, too`;
  return ways.length === 0
    ? undefined
    : 'it has IPv6 alone, and the agent needs a way to the Internet over IPv4 as well';
}

/** Where a way leads on from its interface. */
export type Gateways = Pick<Way, 'gateway' | 'otherGateway'>;

/** A way in the words of `ip`; no look is taken whether a route leads to its gateway. */
export function nameWay({
  family,
  interface: device,
  gateway,
  otherGateway,
}: Gateways & { readonly family: Way['family']; readonly interface: string | undefined }): string {
  const via = gateway === undefined ? '' : ` via ${gateway}`;
  const other =
    otherGateway === undefined ? '' : ` via inet${family === 4 ? '6' : ''} ${otherGateway}`;
  const by = `${via}${other}`;
  return `${by}${device === undefined ? '' : ` dev ${device}`}${by === '' ? '' : ' onlink'}`;
}
