import { isIP, isIPv4 } from 'node:net';
import type { WaysOut } from '../config/recipients.ts';
import { specialPrefixes } from '../gateway/policy.ts';
import { isRangeOfPorts, listPortMatches, type PortSide } from '../gateway/ports.ts';
import { listStaleMatches, listTranslations } from '../gateway/translation.ts';
import { isInAny, parsePrefix } from '../lib/addresses.ts';
import { type PortRange, usualConsumerPorts } from '../lib/ports.ts';
import { matchOtherProtocols, otherQuestions } from '../lib/protocols.ts';
import { type ConnectionPolicy, listClock, listCounts, listMarks } from './host-connections.ts';
import { hostSide, hostTableName, type Link } from './plan.ts';

export interface HostPolicy
  extends Omit<WaysOut, 'configuredUplink' | 'publicAddress' | 'totalConnections'>,
    ConnectionPolicy {
  readonly link: Link;
  /**
   * The interface that leads to the Internet; undefined while the host has none, and then nothing
   * passes.
   */
  readonly uplink: string | undefined;
  readonly uplinkAddresses: readonly string[];
  readonly ownPrefixes: readonly string[];
  /** The home's addresses on the Internet, as far as they are known. */
  readonly publicAddresses: readonly string[];
  readonly nameServers: readonly string[];
  /**
   * The ports that connections out of the namespace leave from, apart from the host's own.
   */
  readonly consumerPorts: readonly PortRange[];
  /** Where the host's own tunnels lead. */
  readonly tunnelEnds: readonly string[];
  /** Interfaces that forward for the namespace alone: what comes in by them goes nowhere else. */
  readonly switched: readonly string[];
}

/**
 * How the table is installed. `kept` changes the one that is there: its sets keep their counts, and
 * its connections their timeouts. `new` makes another one. `untimed` makes another one without
 * timeouts of its own, for a kernel that has no `ct timeout`.
 */
export type Installation = 'kept' | 'new' | 'untimed';

/**
 * The host's small table, whole, in one transaction. It is the second fence, which holds if the
 * namespace's own is gone.
 */
export function renderHostRuleset(policy: HostPolicy, how: Installation = 'kept'): string {
  const { link, uplink } = policy;
  const inner = `"${hostSide}"`;
  const translations = listTranslations(policy.uplinkAddresses, policy.consumerPorts);
  const own = `ip saddr ${link.namespaceAddress}`;
  // These rules hold for what goes through the host and for what goes to the host itself.
  const everywhere = [
    ...forAll(policy.nameServers.filter(isIPv4), 'meta l4proto { tcp, udp } th dport 53 accept'),
    ...policy.recipients.map(
      ({ address, port }) => `${own} ip daddr ${address} tcp dport ${port} accept`,
    ),
  ];
  const named = [
    ...listPortRules(policy, 'dport'),
    ...listProtocolRules(policy),
    ...forAll(policy.denyDestinations, 'drop'),
  ];
  const counts = listCounts(policy);
  const accepted = [
    // This comes before every accept: what leaves by another interface leaves untranslated, and a
    // sender that never pauses then keeps that connection after its way led back to the uplink.
    `oifname != "${uplink}" drop`,
    ...listMarks(),
    ...everywhere,
    ...named,
    ...counts.flatMap(({ rules }) => rules),
    ...listNotPublic(policy, 'daddr'),
    'accept',
  ];
  // A connection that once left untranslated would stay so even with an uplink, so without an
  // uplink nothing leaves at all.
  const wayOut = uplink === undefined ? [] : accepted;
  return `${[
    `table inet ${hostTableName}`,
    `${how === 'kept' ? 'flush' : 'delete'} table inet ${hostTableName}`,
    `table inet ${hostTableName} {`,
    ...counts.map(({ set }) => `  set ${set} { type mark; size 4096; flags dynamic; }`),
    ...(how === 'untimed' ? [] : listClock()),
    // Without the namespace's own rules, consumers' packets would come with their own addresses.
    // They end here, before the host could answer one with an error.
    '  chain origin {',
    '    type filter hook prerouting priority -450; policy accept;',
    `    iifname ${inner} ip saddr != ${link.namespaceAddress} drop`,
    `    iifname ${inner} meta nfproto ipv6 drop`,
    '  }',
    '  chain forward {',
    '    type filter hook forward priority filter; policy accept;',
    `    iifname ${inner} goto from_namespace`,
    `    oifname ${inner} goto to_namespace`,
    // The host did not route before. It does now, for the namespace alone, whatever other networks
    // it is in.
    ...(policy.switched.length === 0
      ? []
      : [
          `    iifname { ${policy.switched.map((name) => `"${name}"`).join(', ')} } oifname != ${inner} drop`,
        ]),
    '  }',
    '  chain from_namespace {',
    '    ct state { invalid, untracked } drop',
    // The namespace receives this reset over the link, and passes it to the consumer that began the
    // connection.
    ...listStaleMatches(policy.uplinkAddresses).map(
      (match) => `    ${match} reject with tcp reset`,
    ),
    ...wayOut.map((rule) => `    ${rule}`),
    '    drop',
    '  }',
    '  chain input {',
    '    type filter hook input priority filter; policy accept;',
    `    iifname ${inner} ct state established,related accept`,
    ...everywhere.map((rule) => `    iifname ${inner} ${rule}`),
    `    iifname ${inner} drop`,
    '  }',
    '  chain to_namespace {',
    ...listAnswers(policy).map((rule) => `    ${rule}`),
    '  }',
    '  chain translate {',
    '    type nat hook postrouting priority srcnat; policy accept;',
    ...(uplink === undefined
      ? []
      : translations.map(([, how]) => `    ${own} oifname "${uplink}" ${how}`)),
    '  }',
    // An error is part of the connection that it quotes, and has no translation where that is one
    // of the host's own.
    '  chain departure {',
    '    type filter hook postrouting priority srcnat + 1; policy accept;',
    `    iifname ${inner} fib saddr type != local drop`,
    '  }',
    '}',
  ].join('\n')}\n`;
}

/**
 * Why the fence keeps the agent from the host of a URL; undefined where it does not, and for a URL
 * that names an address.
 */
export function explainKeptAway(
  host: string,
  address: string | undefined,
  allowed: readonly string[],
): string | undefined {
  if (address === undefined || isIP(host) !== 0 || !isInAny(address, specialPrefixes.v4))
    return undefined;
  return isInAny(address, allowed)
    ? undefined
    : `${host} is ${address}, which is not on the Internet: the fence around the agent refuses it`;
}

/**
 * What comes back: from nowhere that nothing may go to, so that a flow which was open before ends
 * too. That a packet was too big may be said by the home's own router.
 */
function listAnswers(policy: HostPolicy): readonly string[] {
  return [
    'ct state != { established, related } drop',
    'ct state related icmp type destination-unreachable icmp code frag-needed accept',
    ...forAll(
      policy.nameServers.filter(isIPv4),
      'meta l4proto { tcp, udp } th sport 53 accept',
      'saddr',
    ),
    ...policy.recipients.map(({ address, port }) => `ip saddr ${address} tcp sport ${port} accept`),
    ...listPortRules(policy, 'sport'),
    `${matchOtherProtocols(policy.openProtocols)} drop`,
    ...forAll(policy.denyDestinations, 'drop', 'saddr'),
    ...listNotPublic(policy, 'saddr'),
    'accept',
  ];
}

function listNotPublic(
  { allowDestinations, ownPrefixes, publicAddresses }: HostPolicy,
  side: Side,
): readonly string[] {
  return [
    ...forAll(allowDestinations, 'accept', side),
    ...forAll([...ownPrefixes, ...publicAddresses], 'drop', side),
    ...forAll(specialPrefixes.v4, 'drop', side),
  ];
}

/** By the far end of a tunnel of the host's own, its answers would be the namespace's. */
function listProtocolRules({ openProtocols, tunnelEnds }: HostPolicy): readonly string[] {
  return [
    `${matchOtherProtocols(openProtocols)} drop`,
    `${otherQuestions[4]} drop`,
    ...forAll(tunnelEnds, `${matchOtherProtocols([])} drop`),
  ];
}

type Side = 'saddr' | 'daddr';

function forAll(prefixes: readonly string[], verdict: string, side: Side = 'daddr') {
  const v4 = prefixes.filter((prefix) => parsePrefix(prefix)?.family === 4);
  return v4.length === 0 ? [] : [`ip ${side} { ${v4.join(', ')} } ${verdict}`];
}

// A single blocked port is refused to the agent itself too. The tunnel's own port may lie in a
// blocked range, or be one at which routers read along, so of these only what the namespace
// translated is refused: consumers leave it from the usual ports, because its settings are the
// kernel's defaults.
function listPortRules(
  { blockedPorts, helperPorts }: Pick<HostPolicy, 'blockedPorts' | 'helperPorts'>,
  side: PortSide,
): readonly string[] {
  const { true: ranges = [], false: single = [] } = Object.groupBy(
    blockedPorts,
    (entry) => `${isRangeOfPorts(entry)}`,
  );
  const near = side === 'dport' ? 'sport' : 'dport';
  const translated = `th ${near} ${usualConsumerPorts.first}-${usualConsumerPorts.last}`;
  return [
    ...listPortMatches(single, { by: 'ports', side }).map(({ match }) => `${match} drop`),
    ...listPortMatches([...ranges, ...helperPorts], { by: 'ports', side }).map(
      ({ match }) => `${match} ${translated} drop`,
    ),
  ];
}
