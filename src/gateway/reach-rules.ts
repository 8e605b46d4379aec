import { parsePrefix } from '../lib/addresses.ts';
import { matchOtherProtocols, otherQuestions } from '../lib/protocols.ts';
import { isJudged } from './judged.ts';
import { deniedMark, type GatewayPolicy } from './policy.ts';
import { listPortMatches, type PortSide } from './ports.ts';
import { both, type Rule, refuse, rule } from './rule.ts';
import { listStrictJumps } from './strict-rules.ts';

/*
 * With whom consumers may speak, by the far end's address and port: where they send to, and where
 * answers come from. Both ways are looked at in the same order. So a flow that was open when its
 * far end was denied, blocked or became one of the home's own ends at once, whichever side sends.
 */

/** For packets that come from consumers. */
export function listDestinationRules(policy: GatewayPolicy): readonly Rule[] {
  return [
    rule('judged', `${isJudged} meta mark != ${deniedMark} goto known`),
    rule('host', `fib daddr type local ${refuse('refused_host')}`),
    rule('denied', `meta mark ${deniedMark} ${refuse('refused_denied')}`),
    ...listNamed(policy, 'dport'),
    ...both('questions', (_, family) => `${otherQuestions[family]} ${refuse('refused_protocol')}`),
    ...both('allowed', (ip, family) => `${ip} daddr @allowed${family} return`),
    ...listNotPublic('daddr'),
    // Last, so that what is refused for a graver reason is counted under that.
    ...listStrictJumps(policy.devices, 'iifname'),
  ];
}

/** For packets of connections whose far end was looked at: what they carry is looked at as ever. */
export function listKnownRules({ devices, allowDestinations }: GatewayPolicy): readonly Rule[] {
  const strict = listStrictJumps(devices, 'iifname');
  return strict.length === 0 || allowDestinations.length === 0
    ? strict
    : [...both('allowed', (ip, family) => `${ip} daddr @allowed${family} return`), ...strict];
}

/**
 * For packets that go to consumers. What a network of the home says about a consumer's packet would
 * tell the home's inner addresses, so only what consumers cannot do without passes: that a packet
 * was too big.
 */
export function listSourceRules(policy: GatewayPolicy): readonly Rule[] {
  return [
    ...listNamed(policy, 'sport'),
    ...both('allowed', (ip, family) => `${ip} saddr @allowed${family} return`),
    rule(
      'too-big-v4',
      'ct state related icmp type destination-unreachable icmp code frag-needed return',
    ),
    rule('too-big-v6', 'ct state related icmpv6 type packet-too-big return'),
    ...listNotPublic('saddr'),
  ];
}

/** What the owner blocks, and has not opened. */
function listNamed(
  { blockedPorts, openProtocols, tunnelEnds }: GatewayPolicy,
  side: PortSide,
): readonly Rule[] {
  // A protocol without ports is translated by the address alone. The first one to speak has the
  // answers, so a consumer would get those to a tunnel of the home's own.
  return [
    ...listPortMatches(blockedPorts, { by: 'sets', side }).map(({ name, match }) =>
      rule(name, `${match} ${refuse('refused_port')}`),
    ),
    rule('protocols', `${matchOtherProtocols(openProtocols)} ${refuse('refused_protocol')}`),
    ...(openProtocols.length === 0 ? [] : listTunnelEnds(tunnelEnds, side)),
  ];
}

function listTunnelEnds(ends: readonly string[], side: PortSide): readonly Rule[] {
  const where = side === 'dport' ? 'daddr' : 'saddr';
  return ([4, 6] as const).flatMap((family) => {
    const own = ends.filter((end) => parsePrefix(end)?.family === family);
    if (own.length === 0) return [];
    const match = `${family === 4 ? 'ip' : 'ip6'} ${where} { ${own.join(', ')} }`;
    return [
      rule(
        `tunnel-ends-v${family}`,
        `${match} ${matchOtherProtocols([])} ${refuse('refused_protocol')}`,
      ),
    ];
  });
}

function listNotPublic(side: 'daddr' | 'saddr'): readonly Rule[] {
  return [
    ...both('own', (ip, family) => `${ip} ${side} @own${family} ${refuse('refused_own')}`),
    ...both(
      'special',
      (ip, family) => `${ip} ${side} @special${family} ${refuse('refused_special')}`,
    ),
  ];
}
