import type { PortRange } from '../lib/ports.ts';

/*
 * When an uplink goes down or loses its address, the kernel forgets every connection that it
 * masqueraded there, although mostly the same address comes back. A connection that was translated
 * to a named address waits instead. That is used for TCP alone, which ends on its own if another
 * address comes: a UDP sender that never pauses would keep its dead translation alive for ever.
 */

type Translation = readonly [name: 'lasting' | 'ports' | 'forwarded', statement: string];

/**
 * Name and nft statement of each translation to an uplink with these IPv4 addresses. With several
 * addresses the kernel chooses one.
 */
export function listTranslations(
  addresses: readonly string[],
  ports: PortRange | undefined,
): readonly Translation[] {
  const range = ports === undefined ? '' : `:${ports.first}-${ports.last}`;
  const [address, ...others] = addresses;
  const isCertain = address !== undefined && others.length === 0;
  return [
    ...(isCertain
      ? [['lasting', `meta nfproto ipv4 meta l4proto tcp snat ip to ${address}${range}`] as const]
      : []),
    ...(ports === undefined
      ? []
      : [['ports', `meta l4proto { tcp, udp, sctp } masquerade to ${range}`] as const]),
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
