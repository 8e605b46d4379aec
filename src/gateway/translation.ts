import type { PortRange } from '../lib/ports.ts';
import { isNoConsumers } from './ceilings.ts';

/*
 * When an uplink goes down or loses its address, the kernel forgets every connection that it
 * masqueraded there, although mostly the same address comes back. A connection that was translated
 * to a named address waits instead. That is used for TCP alone, which ends on its own if another
 * address comes: a UDP sender that never pauses would keep its dead translation alive for ever.
 */

type Translation = readonly [name: 'lasting' | 'ports' | 'forwarded', statement: string];

/**
 * Matches what the device's own WireGuard encrypted. The kernel's sends that as if it came from the
 * tunnel; a consumer that says it is this device is marked as one.
 */
export const isEncrypted = `meta l4proto udp ${isNoConsumers} fib saddr type local`;

/**
 * Name and nft statement of each translation to an uplink with these IPv4 addresses, from these
 * ranges of ports. With several addresses the kernel chooses one.
 */
export function listTranslations(
  addresses: readonly string[],
  ports: readonly PortRange[],
): readonly Translation[] {
  const ranges = ports.map(({ first, last }) => `${first}-${last}`);
  const [address, ...others] = addresses;
  const isCertain = address !== undefined && others.length === 0;
  // A port that lies in a range stays as it is; every other one becomes one of the last range.
  const toEach = (toText: (kept: string, range: string) => string) =>
    ranges.map((range, index) =>
      toText(index === ranges.length - 1 ? '' : ` th sport ${range}`, `:${range}`),
    );
  const toLasting = (kept: string, range: string) =>
    `meta nfproto ipv4 meta l4proto tcp${kept} snat ip to ${address}${range}`;
  return [
    ...(isCertain ? (ranges.length === 0 ? [toLasting('', '')] : toEach(toLasting)) : []).map(
      (text) => ['lasting', text] as const,
    ),
    ...toEach((kept, range) => `meta l4proto { tcp, udp, sctp }${kept} masquerade to ${range}`).map(
      (text) => ['ports', text] as const,
    ),
    ['forwarded', 'masquerade'] as const,
  ];
}

/**
 * Matches TCP that was translated to an address which the uplink no longer has; empty for an uplink
 * without addresses.
 */
export function listStaleMatches(addresses: readonly string[]): readonly string[] {
  const isElsewhere = `ct reply ip daddr != { ${addresses.join(', ')} }`;
  return addresses.length === 0 ? [] : [`meta l4proto tcp ct status snat ${isElsewhere}`];
}
