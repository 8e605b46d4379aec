import { type Prefix, toGroups } from '../lib/addresses.ts';

/*
 * Prefixes of IPv6 as one short text each. A list has as many of them as of IPv4, and the agent
 * goes without the JavaScript engine's compilers, so they are neither big numbers nor objects.
 */

/**
 * The eight groups of the first address, a character each, and the length as one more: sorted, a
 * wide prefix comes before those inside it.
 */
export type PackedIpv6Prefix = string;

const groups = 8;
const groupBits = 16;

export function packIpv6Prefix({ address, length }: Omit<Prefix, 'family'>): PackedIpv6Prefix {
  const kept = toGroups(address).map((group, index) => keepBits(group, length - index * groupBits));
  return String.fromCharCode(...kept, length);
}

/** The fewest prefixes that cover what the given ones do, no more and no less, sorted. */
export function mergeIpv6Prefixes(
  prefixes: readonly PackedIpv6Prefix[],
): readonly PackedIpv6Prefix[] {
  const merged: PackedIpv6Prefix[] = [];
  for (const prefix of prefixes.toSorted()) {
    if (isInside(prefix, merged.at(-1))) continue;
    merged.push(prefix);
    for (let half = prefix; isUpperHalf(half, merged.at(-2)); ) {
      half = cut(half, ipv6LengthOf(half) - 1);
      merged.splice(-2, 2, half);
    }
  }
  return merged;
}

export function ipv6LengthOf(prefix: PackedIpv6Prefix): number {
  return prefix.charCodeAt(groups);
}

/** As nft takes it: `2001:db8::/32`, and `2001:db8::7` for one address. */
export function toIpv6Text(prefix: PackedIpv6Prefix): string {
  let address = prefix.charCodeAt(0).toString(16);
  for (let index = 1; index < groups; index += 1)
    address += `:${prefix.charCodeAt(index).toString(16)}`;
  const short = address.replace(/(?:^|:)0(?::0)+(?::|$)/, '::');
  const length = ipv6LengthOf(prefix);
  return length === 128 ? short : `${short}/${length}`;
}

/** The prefix of this length around the given one. */
function cut(prefix: PackedIpv6Prefix, length: number): PackedIpv6Prefix {
  const whole = Math.floor(length / groupBits);
  const part = whole < groups ? keepBits(prefix.charCodeAt(whole), length % groupBits) : 0;
  const start = prefix.slice(0, whole) + (whole < groups ? String.fromCharCode(part) : '');
  return start.padEnd(groups, '\0') + String.fromCharCode(length);
}

function isInside(prefix: PackedIpv6Prefix, wide: PackedIpv6Prefix | undefined): boolean {
  if (wide === undefined || prefix === wide) return prefix === wide;
  const length = ipv6LengthOf(wide);
  return length !== ipv6LengthOf(prefix) && cut(prefix, length) === wide;
}

/** True where the two are the halves of one prefix: they differ in the last bit that counts. */
function isUpperHalf(upper: PackedIpv6Prefix, lower: PackedIpv6Prefix | undefined): boolean {
  const length = ipv6LengthOf(upper);
  if (lower === undefined || length === 0 || ipv6LengthOf(lower) !== length) return false;
  const at = Math.floor((length - 1) / groupBits);
  const lastBit = 1 << (groupBits - 1 - ((length - 1) % groupBits));
  if ((upper.charCodeAt(at) ^ lower.charCodeAt(at)) !== lastBit) return false;
  return upper.slice(0, at) === lower.slice(0, at);
}

/** The group with this many of its upper bits, and none of the others. */
function keepBits(group: number, bits: number): number {
  if (bits >= groupBits) return group;
  return bits <= 0 ? 0 : group & (0xffff << (groupBits - bits));
}
