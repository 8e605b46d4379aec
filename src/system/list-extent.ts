import { overlaps } from '../lib/addresses.ts';
import { lengthOf } from './ipv4-prefixes.ts';
import { ipv6LengthOf, type PackedIpv6Prefix, toIpv6Text } from './ipv6-prefixes.ts';

/**
 * How much of the Internet a list may cover. `not-all` refuses one with every address of a family
 * in it, as it refuses `0.0.0.0/0`; `at-most-half` also refuses one with most of them.
 */
export type MostCovered = 'anything' | 'not-all' | 'at-most-half';

/** A list's prefixes, merged. */
interface Covered {
  readonly ipv4: Float64Array;
  readonly ipv6: readonly PackedIpv6Prefix[];
}

const ipv4Addresses = 2 ** 32;

/**
 * What each of the world's five registries gives most of its addresses from. Lists of addresses
 * that nobody has rightly cover nearly all of IPv6, so the number of addresses says nothing there.
 */
const ipv6InUse = ['2400::/12', '2600::/12', '2800::/12', '2a00::/12', '2c00::/12'];
const ipv6InUseLength = 12;

/** What a list covers beyond that, in words: `all IPv4 addresses`; undefined where nothing. */
export function describeExcess({ ipv4, ipv6 }: Covered, most: MostCovered): string | undefined {
  if (most === 'anything') return undefined;
  const count = ipv4.reduce((sum, prefix) => sum + 2 ** (32 - lengthOf(prefix)), 0);
  if (count === ipv4Addresses) return 'all IPv4 addresses';
  if (ipv6.some((prefix) => ipv6LengthOf(prefix) === 0)) return 'all IPv6 addresses';
  if (most === 'not-all') return undefined;
  if (count > ipv4Addresses / 2) return 'more than half of all IPv4 addresses';
  const wide = ipv6.filter((prefix) => ipv6LengthOf(prefix) <= ipv6InUseLength).map(toIpv6Text);
  const covered = ipv6InUse.filter((block) => wide.some((prefix) => overlaps(prefix, block)));
  return covered.length > ipv6InUse.length / 2
    ? 'most of the IPv6 addresses that are in use'
    : undefined;
}
