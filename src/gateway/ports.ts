import { mergePortRanges, otherProtocols, parsePortRange } from '../lib/ports.ts';
import type { GatewayPolicy } from './policy.ts';
import type { RuleSet } from './sets.ts';

export type PortSet = 'ports_any' | 'ports_tcp' | 'ports_udp';
type Entries = GatewayPolicy['blockedPorts'];

/** The sets of blocked ports: those of every protocol, and those of one alone. */
export function toPortSets(entries: Entries): Readonly<Record<PortSet, RuleSet>> {
  const ranges = entries.flatMap((entry) => parsePortRange(`${entry}`) ?? []);
  const toSet = (protocol: 'tcp' | 'udp' | undefined) => ({
    type: 'type inet_service; flags interval;',
    elements: mergePortRanges(ranges, protocol).toSorted(),
  });
  return { ports_any: toSet(undefined), ports_tcp: toSet('tcp'), ports_udp: toSet('udp') };
}

/** What a packet to a blocked port is recognised by, for a table that has the sets; the verdict comes behind it. */
export function listPortRules(entries: Entries): readonly { readonly name: string; readonly match: string }[] {
  return [
    { name: 'blocked-ports', match: 'meta l4proto { tcp, udp, sctp, dccp, udplite } th dport @ports_any' },
    { name: 'blocked-tcp', match: 'tcp dport @ports_tcp' },
    { name: 'blocked-udp', match: 'udp dport @ports_udp' },
    ...(entries.includes(otherProtocols)
      ? [{ name: 'blocked-protocols', match: 'meta l4proto != { tcp, udp, icmp, icmpv6 }' }]
      : []),
  ];
}
