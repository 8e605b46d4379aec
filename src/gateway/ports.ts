import { mergePortRanges, otherProtocols, type PortRange, parsePortRange } from '../lib/ports.ts';
import type { GatewayPolicy } from './policy.ts';
import type { RuleSet } from './sets.ts';

export type PortSet = 'ports_any' | 'ports_tcp' | 'ports_udp';
type Entries = GatewayPolicy['blockedPorts'];

/** What a packet to a blocked port is recognised by; the verdict comes behind it. */
interface PortMatch {
  readonly name: string;
  readonly match: string;
}

const kinds = [
  {
    protocol: undefined,
    set: 'ports_any',
    name: 'blocked-ports',
    port: 'meta l4proto { tcp, udp, sctp, dccp, udplite } th dport',
  },
  { protocol: 'tcp', set: 'ports_tcp', name: 'blocked-tcp', port: 'tcp dport' },
  { protocol: 'udp', set: 'ports_udp', name: 'blocked-udp', port: 'udp dport' },
] as const;

/** The sets of blocked ports: those of every protocol, and those of one alone. */
export function toPortSets(entries: Entries): Readonly<Record<PortSet, RuleSet>> {
  const toSet = (protocol: PortRange['protocol']) => ({
    type: 'type inet_service; flags interval;',
    elements: listElements(entries, protocol).toSorted(),
  });
  return { ports_any: toSet(undefined), ports_tcp: toSet('tcp'), ports_udp: toSet('udp') };
}

/** For a table that has the sets. */
export function listPortMatches(entries: Entries): readonly PortMatch[] {
  return [...kinds.map(({ name, port, set }) => ({ name, match: `${port} @${set}` })), ...matchOthers(entries)];
}

/** For a table without them. */
export function listBarePortMatches(entries: Entries): readonly PortMatch[] {
  const ofKinds = kinds.flatMap(({ protocol, name, port }) => {
    const elements = listElements(entries, protocol);
    return elements.length === 0 ? [] : [{ name, match: `${port} { ${elements.join(', ')} }` }];
  });
  return [...ofKinds, ...matchOthers(entries)];
}

function matchOthers(entries: Entries): readonly PortMatch[] {
  if (!entries.includes(otherProtocols)) return [];
  return [{ name: 'blocked-protocols', match: 'meta l4proto != { tcp, udp, icmp, icmpv6 }' }];
}

function listElements(entries: Entries, protocol: PortRange['protocol']): readonly string[] {
  return mergePortRanges(
    entries.flatMap((entry) => parsePortRange(`${entry}`) ?? []),
    protocol,
  );
}
