import {
  mergePortRanges,
  otherProtocols,
  type ProtocolPorts,
  parsePortRange,
} from '../lib/ports.ts';
import type { GatewayPolicy } from './policy.ts';

type Entries = GatewayPolicy['blockedPorts'];

const kinds = [
  {
    protocol: undefined,
    set: 'ports_any',
    name: 'blocked-ports',
    port: 'meta l4proto { tcp, udp, sctp, dccp, udplite } th',
  },
  { protocol: 'tcp', set: 'ports_tcp', name: 'blocked-tcp', port: 'tcp' },
  { protocol: 'udp', set: 'ports_udp', name: 'blocked-udp', port: 'udp' },
] as const;

/** The sets of blocked ports: one for ports of every protocol, and one for each single protocol. */
export function toPortSets(entries: Entries) {
  const toSet = (protocol: ProtocolPorts['protocol']) => ({
    type: 'type inet_service; flags interval;',
    elements: listElements(entries, protocol).toSorted(),
  });
  return { ports_any: toSet(undefined), ports_tcp: toSet('tcp'), ports_udp: toSet('udp') };
}

/** True for `6881-6889`, false for `25` and `other-protocols`. */
export function isRangeOfPorts(entry: number | string): boolean {
  const range = parsePortRange(`${entry}`);
  return range !== undefined && range.first < range.last;
}

/** Which port of a packet is looked at: where it goes to, or where an answer comes from. */
export type PortSide = 'dport' | 'sport';

/**
 * Matches for packets to blocked ports, or for answers from them, in a table with or without the
 * sets. The caller adds the verdict.
 */
export function listPortMatches(
  entries: Entries,
  { by, side = 'dport' }: { readonly by: 'sets' | 'ports'; readonly side?: PortSide },
): readonly { readonly name: string; readonly match: string }[] {
  const blocked = kinds.flatMap(({ protocol, set, name, port }) => {
    const ports = listElements(entries, protocol);
    const match = `${port} ${side} ${by === 'sets' ? `@${set}` : `{ ${ports.join(', ')} }`}`;
    // A protocol without blocked ports gets no rule, because every packet would pass through it.
    return ports.length === 0 ? [] : [{ name, match }];
  });
  const others = { name: 'blocked-protocols', match: 'meta l4proto != { tcp, udp, icmp, icmpv6 }' };
  return entries.includes(otherProtocols) ? [...blocked, others] : blocked;
}

function listElements(entries: Entries, protocol: ProtocolPorts['protocol']): readonly string[] {
  const ranges = entries.flatMap((entry) => parsePortRange(`${entry}`) ?? []);
  return mergePortRanges(ranges, protocol);
}
