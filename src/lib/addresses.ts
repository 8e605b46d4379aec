import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net';

/** `10.1.2.3/8` taken apart; undefined when it is not an address with or without a prefix length. */
export interface Prefix {
  readonly family: 4 | 6;
  readonly address: string;
  readonly length: number;
}

/** Those of home networks and carriers. A service may give them to tunnels and to consumers. */
export const privatePrefixes = {
  v4: ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16'],
  v6: ['fc00::/7'],
} as const;

export function parsePrefix(text: string): Prefix | undefined {
  const [address = '', length, ...rest] = text.split('/');
  // An address with a zone (`fe80::1%eth0`) is no prefix: it means something on one interface only.
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0) return undefined;
  const family = isIPv4(address) ? 4 : 6;
  const most = family === 4 ? 32 : 128;
  if (length === undefined) return { family, address, length: most };
  return /^\d{1,3}$/.test(length) && Number(length) <= most ? { family, address, length: Number(length) } : undefined;
}

/** The prefix with its host bits cleared, as ip and nft print it: `10.0.0.0/8`, `2001:db8::/32`, a single one `192.0.2.1`. */
export function toNetwork(prefix: Prefix): string {
  const hostBits = BigInt((prefix.family === 4 ? 32 : 128) - prefix.length);
  const start = fromBits((toBits(prefix) >> hostBits) << hostBits, prefix.family);
  return hostBits === 0n ? start : `${start}/${prefix.length}`;
}

/** The networks of these prefixes, each once, sorted: the same for the same networks, however they are spelt and ordered. */
export function toNetworks(prefixes: readonly string[]): readonly string[] {
  return [...new Set(prefixes.flatMap((text) => parsePrefix(text) ?? []).map(toNetwork))].sort();
}

/** False also where one of them is no prefix. */
export function overlaps(one: string, other: string): boolean {
  const [first, second] = [parsePrefix(one), parsePrefix(other)];
  if (first === undefined || first.family !== second?.family) return false;
  const [wide, narrow] = first.length <= second.length ? [first, second] : [second, first];
  const covered = new BlockList();
  covered.addSubnet(wide.address, wide.length, `ipv${wide.family}`);
  return covered.check(narrow.address, `ipv${narrow.family}`);
}

export function isInAny(address: string, prefixes: readonly string[]): boolean {
  // A zone (`fe80::1%eth0`) says on which interface, not which address.
  const own = address.replace(/%.*/, '');
  return isIP(address) !== 0 && prefixes.some((prefix) => overlaps(own, prefix));
}

function toBits(prefix: Prefix): bigint {
  if (prefix.family === 4) {
    return prefix.address.split('.').reduce((bits, part) => (bits << 8n) | BigInt(Number(part)), 0n);
  }
  // The URL parser writes an IPv6 address in its shortest form, with a trailing IPv4 part turned into groups.
  const canonical = new URL(`http://[${prefix.address}]/`).hostname.slice(1, -1);
  const listGroups = (text: string) => text.split(':').filter((group) => group !== '');
  const missing = 8 - listGroups(canonical).length;
  return listGroups(canonical.replace('::', `:${'0:'.repeat(missing)}`)).reduce(
    (bits, group) => (bits << 16n) | BigInt(`0x${group}`),
    0n,
  );
}

function fromBits(bits: bigint, family: 4 | 6): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 255n)).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((bits >> BigInt(112 - 16 * index)) & 65535n).toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}
