import { TributaryError } from '../errors/codes.ts';
import { linkInside } from '../gateway/uplink.ts';
import { overlaps } from '../lib/addresses.ts';

export const namespaceName = 'tributary';
/** The two ends of the link between host and namespace. */
export const hostSide = 'tributary-host';
export const namespaceSide: string = linkInside;
export const hostTableName = 'tributary_host';
/** Where `ip netns exec` and the unit find the /etc/resolv.conf that is shown inside. */
export const resolvConfFolder = `/etc/netns/${namespaceName}`;

/**
 * Networks for the link, from the range set aside for benchmarks (RFC 2544): no home network uses
 * it.
 */
const candidates = ['198.18.213.0/30', '198.19.213.0/30', '198.18.87.0/30', '198.19.87.0/30'];

/** The network between host and namespace. */
export interface Link {
  /** A prefix of length 30. */
  readonly network: string;
  readonly hostAddress: string;
  readonly namespaceAddress: string;
}

/**
 * A network for the link that does not overlap with any network of the host.
 * @throws gateway-failed
 */
export function chooseLink(ownPrefixes: readonly string[]): Link {
  const free = candidates.find(
    (candidate) => !ownPrefixes.some((prefix) => overlaps(prefix, candidate)),
  );
  if (free === undefined) {
    const all = candidates.join(', ');
    throw new TributaryError(
      'gateway-failed',
      `this host has routes to all of ${all}; free one of them`,
    );
  }
  const base = free.replace(/\.0\/30$/, '');
  return { network: free, hostAddress: `${base}.1`, namespaceAddress: `${base}.2` };
}
