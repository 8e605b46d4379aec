import type { Network } from '../system/ip.ts';

/**
 * Why nothing leaves this machine over IPv4, where a cable or a wait mends nothing: it has IPv6
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
