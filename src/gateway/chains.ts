import { privatePrefixes } from '../lib/addresses.ts';
import { listAnswerRules, listCeilingChains } from './ceiling-rules.ts';
import { listReplyRules, listSegmentRules, listSenderRules } from './device-rules.ts';
import { nameDevices } from './devices.ts';
import { listJudgedJumps, toJudgeChain } from './judged.ts';
import { listClassRules, listFloodRules, listOuterRules, toLineChain } from './line-rules.ts';
import { lineMark } from './line-tree.ts';
import { deniedMark, type GatewayPolicy } from './policy.ts';
import { countProbe, toProbeChains } from './probe-chains.ts';
import { listDestinationRules, listKnownRules, listSourceRules } from './reach-rules.ts';
import { baseChain, both, type Chain, chain, type Rule, refuse, rule, when } from './rule.ts';
import { listSizeRules, toSizesChain } from './segment-sizes.ts';
import { probeMark } from './self-test.ts';
import { listStrictChains, listStrictJumps } from './strict-rules.ts';
import { isEncrypted, listStaleMatches, listTranslations } from './translation.ts';

/** The chain that comes and goes with a source's device, by the device's place among them. */
export function nameEntrance(index: number): string {
  return index === 0 ? 'entrance' : `entrance_${index}`;
}

/** The chains for a policy, in the order in which a packet meets them. */
export function toChains(policy: GatewayPolicy): readonly Chain[] {
  const { devices } = policy;
  const tunnel = nameDevices(devices);
  const uplink = policy.uplink === undefined ? undefined : `"${policy.uplink}"`;
  const notUplink = (side: string) => (uplink === undefined ? '' : `${side} != ${uplink} `);
  const outside = `oifname != ${tunnel} goto error`;
  return [
    ...devices.flatMap(({ name, isThere }, index) =>
      isThere ? [toEntrance(nameEntrance(index), name)] : [],
    ),
    // Before fragments are put together and connections looked up: nothing is answered, and nothing
    // remembered.
    baseChain('origin', 'type filter hook prerouting priority -450; policy accept;', [
      rule('from-tunnel', `iifname ${tunnel} goto sender`),
      // A tunnel is recognized by its kind of device (WireGuard, tun), so a tunnel of another name
      // is refused too.
      rule('stray', `meta iiftype 65534 ${notUplink('iifname')}${refuse('refused_stray')}`),
    ]),
    chain('sender', [
      ...devices.flatMap(listSenderRules),
      rule('forged', `fib saddr type { local, broadcast, multicast } ${refuse('refused_forged')}`),
      ...both(
        'forged-own',
        (ip, family) => `${ip} saddr @own${family} ${refuse('refused_forged')}`,
      ),
      // Consumers may have private addresses here; which ones is for the service to say.
      rule(
        'forged-v4',
        `ip saddr != { ${privatePrefixes.v4.join(', ')} } ip saddr @special4 ${refuse('refused_forged')}`,
      ),
      rule(
        'forged-v6',
        `ip6 saddr != ${privatePrefixes.v6[0]} ip6 saddr @special6 ${refuse('refused_forged')}`,
      ),
      // Forwarding such a packet would make the device send an error about it, or write its address
      // into it.
      rule('last-hop-v4', `ip ttl < 2 ${refuse('refused_strange')}`),
      rule('last-hop-v6', `ip6 hoplimit < 2 ${refuse('refused_strange')}`),
      rule('options-v4', `ip hdrlength > 5 ${refuse('refused_strange')}`),
      // The messages of neighbours on one link: multicast listeners, routers, neighbour discovery.
      rule('neighbours', `icmpv6 type { 130-137, 143 } ${refuse('refused_strange')}`),
    ]),
    // This is before routing, whose own fence would drop these packets without counting them.
    baseChain('arrival', 'type filter hook prerouting priority filter; policy accept;', [
      rule('from-tunnel', `iifname ${tunnel} goto destination`),
    ]),
    chain('destination', listDestinationRules(policy)),
    chain('known', listKnownRules(policy)),
    ...listStrictChains(policy),
    baseChain('input', 'type filter hook input priority filter; policy drop;', [
      rule('host', `iifname ${tunnel} ${refuse('refused_host')}`),
      rule('loopback', 'iifname "lo" accept'),
      rule('replies', 'ct state established,related accept'),
      ...listVisitors(policy),
      // Broadcasts on the link are no attempts, so they are dropped without being counted.
      rule('unasked', `fib daddr type local ${refuse('refused_unsolicited')}`),
    ]),
    // Packets that this device sends itself. Its errors about consumers' packets would otherwise go
    // to the home.
    baseChain('output', 'type filter hook output priority filter; policy accept;', [
      rule(
        'errors-v4',
        `icmp type { destination-unreachable, redirect, time-exceeded, parameter-problem } ${outside}`,
      ),
      rule(
        'errors-v6',
        `icmpv6 type { destination-unreachable, packet-too-big, time-exceeded, parameter-problem } ${outside}`,
      ),
      ...listOuterRules(policy),
    ]),
    chain('error', [
      rule('unknown', `ct state { invalid, untracked } ${refuse('refused_error')}`),
      // An error to a consumer whose connection has this device's address: translated back to the
      // consumer's address, it would leave by the uplink.
      rule('translated', `ct status snat ct direction reply ${refuse('refused_error')}`),
      rule('loopback', 'oifname "lo" return'),
      ...both('own', (ip, family) => `${ip} daddr @own${family} return`),
      // An error to the consumer that opened the connection is refused. Errors to the other side
      // pass, so that it learns what is too large for the tunnel.
      rule('to-consumer', `ct direction reply ${refuse('refused_error')}`),
    ]),
    baseChain('forward', 'type filter hook forward priority filter; policy drop;', [
      rule('from-tunnel', `iifname ${tunnel} goto from_tunnel`),
      rule('to-tunnel', `oifname ${tunnel} goto to_tunnel`),
    ]),
    chain('from_tunnel', [
      rule('permit', `iifname != @permit ${refuse('refused_closed')}`),
      rule('uplink', `${notUplink('oifname')}${refuse('refused_uplink')}`),
      rule('invalid', `ct state { invalid, untracked } ${refuse('refused_invalid')}`),
      // An error counts as part of the connection that it quotes, which need not be the sender's:
      // it may be another consumer's, or one of this device's own. No consumer has to send any.
      rule('errors', `ct state related ${refuse('refused_error')}`),
      ...listStaleMatches(policy.uplinkAddresses).map((match) =>
        rule('stale', `${match} ${refuse('refused_invalid')}`),
      ),
      rule('probe-passed', `${probeMark.passing} ${countProbe('passed')} drop`),
      ...listSizeRules('consumer'),
      rule('ceilings', 'ct state new jump ceilings'),
      ...listCapRules(policy),
      rule('count-up', 'counter name forwarded_up'),
      ...listClassRules(policy.line, 'saddr'),
      rule('forward-up', 'goto line'),
    ]),
    toSizesChain(),
    ...listCeilingChains(policy.connections),
    chain('to_tunnel', [
      rule('permit', `oifname != @permit ${refuse('refused_closed')}`),
      ...devices.flatMap(listReplyRules),
      rule('replies', `ct state { new, invalid, untracked } ${refuse('refused_unsolicited')}`),
      ...listSizeRules('server'),
      ...listAnswerRules(policy.connections),
      ...listCapRules(policy),
      // Everything that arrived has crossed the line and is counted, even if it is refused below.
      rule('count-down', 'counter name forwarded_down'),
      rule('denied', `meta mark ${deniedMark} ${refuse('refused_denied')}`),
      ...listJudgedJumps(),
      ...listStrictJumps(devices, 'oifname'),
      ...listFloodRules(policy.line),
      ...listClassRules(policy.line, 'daddr'),
      rule('forward-down', 'goto line'),
    ]),
    toJudgeChain(),
    chain('source', listSourceRules(policy)),
    toLineChain(policy.line),
    baseChain(
      'segments',
      'type filter hook forward priority mangle; policy accept;',
      devices.flatMap(listSegmentRules),
    ),
    // What comes from the tunnel leaves with this device's address, from ports that no connection
    // of its own uses.
    baseChain(
      'translate',
      'type nat hook postrouting priority srcnat; policy accept;',
      uplink === undefined
        ? []
        : [
            rule('encrypted', `iifname ${tunnel} ${isEncrypted} accept`),
            ...listTranslations(policy.uplinkAddresses, policy.consumerPorts).map(([name, how]) =>
              rule(name, `iifname ${tunnel} oifname ${uplink} ${how}`),
            ),
          ],
    ),
    // Whatever became of a packet before: with another source than this device's, it goes nowhere.
    baseChain('departure', 'type filter hook postrouting priority srcnat + 1; policy accept;', [
      rule(
        'untranslated',
        `iifname ${tunnel} fib saddr type != local ${refuse('refused_untranslated')}`,
      ),
      // What a device is handed is compared with what leaves by it: the kernel joins segments, and
      // counts one header for all of them here. By the uplink, consumers' leave among others: they
      // alone are translated.
      rule('handed', `oifname ${tunnel} counter name handed_down`),
      rule(
        'handed-up',
        `iifname ${tunnel} ct status snat counter name handed_up meta mark set ${lineMark}`,
      ),
    ]),
    ...toProbeChains(policy.probes, devices),
  ];
}

/**
 * The chain at a source's device, for packets that the kernel reads and may answer before any other
 * chain. It is made once the device exists, and before the device is up.
 */
function toEntrance(name: string, device: string): Chain {
  return baseChain(
    name,
    `type filter hook ingress device "${device}" priority filter; policy accept;`,
    [
      // Next headers 0, 43, 51, 60, 135: hop-by-hop options, routing, authentication, destination
      // options, mobility. Only a fragment's header may come before what is carried, and once: so
      // none of these can lie deeper. Of a packet in pieces this sees the first, for which the
      // others then wait in vain.
      rule('options-v6', `ip6 nexthdr { 0, 43, 51, 60, 135 } ${refuse('refused_strange')}`),
      rule(
        'options-in-pieces',
        `frag nexthdr { 0, 43, 44, 51, 60, 135 } ${refuse('refused_strange')}`,
      ),
    ],
  );
}

/** Who may connect to this device, and the messages that a link needs. */
function listVisitors({ devices, pagePort }: GatewayPolicy): readonly Rule[] {
  return [
    // The kernel forgets a keep-alive before the next one, and who comes meanwhile would not be
    // heard.
    ...devices.flatMap(({ endpoint }) =>
      when(endpoint, ({ protocol, address, port }) => [
        rule(
          'endpoint',
          `${protocol} saddr ${address} udp sport ${port} udp dport @tunnel_ports accept`,
        ),
      ]),
    ),
    rule('neighbours-v6', 'ip6 hoplimit 255 icmpv6 type { 133-137 } accept'),
    rule('listeners-v6', 'ip6 hoplimit 1 icmpv6 type { 130-132, 143 } accept'),
    rule('dhcp-v4', 'fib daddr type broadcast udp sport 67 udp dport 68 accept'),
    rule('dhcp-v6', 'ip6 saddr fe80::/10 udp sport 547 udp dport 546 accept'),
    ...both('own', (ip, family) => `${ip} saddr @own${family} accept`),
    // A port that a container publishes keeps the address of the machine that asks, so it may be
    // any address of the home.
    ...when(pagePort, (port) => [
      rule('page-v4', `ip saddr { ${privatePrefixes.v4.join(', ')} } tcp dport ${port} accept`),
      rule('page-v6', `ip6 saddr ${privatePrefixes.v6[0]} tcp dport ${port} accept`),
    ]),
  ];
}

/**
 * The rules of the data cap. Shortly before its end only open connections go on, and at its end
 * nothing does; both quotas count everything that passes.
 */
function listCapRules({ remainingBytes, remainingNewBytes }: GatewayPolicy): readonly Rule[] {
  const isNew = 'ct state new ct status & confirmed != confirmed';
  return [
    ...(remainingNewBytes === undefined
      ? []
      : [rule('cap-ending', `quota name cap_new ${isNew} ${refuse('refused_ending')}`)]),
    ...(remainingBytes === undefined
      ? []
      : [rule('data-cap', `quota name cap ${refuse('refused_cap')}`)]),
  ];
}
