import { listAnswerRules, listCeilingChains } from './ceiling-rules.ts';
import type { GatewayPolicy } from './policy.ts';
import { listPortMatches } from './ports.ts';
import { refuse, rule } from './rule.ts';

/** One rule: its name (the comment by which it is recognised) and its text without the comment. */
export interface Rule {
  readonly name: string;
  readonly text: string;
}

export interface Chain {
  readonly name: string;
  /** undefined: a chain that others jump to. */
  readonly hook: string | undefined;
  readonly rules: readonly Rule[];
}

/** The chains for a policy, in the order in which a packet meets them. */
export function toChains(policy: GatewayPolicy): readonly Chain[] {
  const tunnel = `"${policy.tunnelInterface}"`;
  const uplink = policy.uplink === undefined ? undefined : `"${policy.uplink}"`;
  const mss4 = policy.tunnelMtu - 40;
  const mss6 = policy.tunnelMtu - 60;
  const syn = 'tcp flags & (syn | rst) == syn tcp option maxseg size';
  return [
    {
      // Before routing, whose own fence would drop these packets without a count.
      name: 'arrival',
      hook: 'type filter hook prerouting priority filter; policy accept;',
      rules: [rule('from-tunnel', `iifname ${tunnel} goto destination`)],
    },
    {
      name: 'destination',
      hook: undefined,
      rules: [
        rule('host', `fib daddr type local ${refuse('refused_host')}`),
        ...listPortMatches(policy.blockedPorts).map(({ name, match }) =>
          rule(name, `${match} ${refuse('refused_port')}`),
        ),
        rule('allowed-v4', 'ip daddr @allowed4 return'),
        rule('allowed-v6', 'ip6 daddr @allowed6 return'),
        rule('own-v4', `ip daddr @own4 ${refuse('refused_own')}`),
        rule('own-v6', `ip6 daddr @own6 ${refuse('refused_own')}`),
        rule('special-v4', `ip daddr @special4 ${refuse('refused_special')}`),
        rule('special-v6', `ip6 daddr @special6 ${refuse('refused_special')}`),
      ],
    },
    {
      name: 'input',
      hook: 'type filter hook input priority filter; policy accept;',
      rules: [rule('host', `iifname ${tunnel} ${refuse('refused_host')}`)],
    },
    {
      name: 'forward',
      hook: 'type filter hook forward priority filter; policy drop;',
      rules: [
        rule('from-tunnel', `iifname ${tunnel} goto from_tunnel`),
        rule('to-tunnel', `oifname ${tunnel} goto to_tunnel`),
      ],
    },
    {
      name: 'from_tunnel',
      hook: undefined,
      rules: [
        rule('permit', `iifname != @permit ${refuse('refused_closed')}`),
        rule('uplink', `${uplink === undefined ? '' : `oifname != ${uplink} `}${refuse('refused_uplink')}`),
        rule('invalid', `ct state invalid ${refuse('refused_invalid')}`),
        rule('ceilings', 'ct state new jump ceilings'),
        ...limits(policy, policy.rateLimit.up),
        rule('count-up', 'counter name forwarded_up accept'),
      ],
    },
    ...listCeilingChains(policy.connections),
    {
      name: 'to_tunnel',
      hook: undefined,
      rules: [
        rule('permit', `oifname != @permit ${refuse('refused_closed')}`),
        rule('replies', `ct state { new, invalid, untracked } ${refuse('refused_unsolicited')}`),
        ...listAnswerRules(policy.connections),
        ...limits(policy, policy.rateLimit.down),
        rule('count-down', 'counter name forwarded_down accept'),
      ],
    },
    {
      name: 'segments',
      hook: 'type filter hook forward priority mangle; policy accept;',
      rules: ['iifname', 'oifname'].flatMap((side) => [
        rule(`${side}-v4`, `${side} ${tunnel} meta nfproto ipv4 ${syn} > ${mss4} tcp option maxseg size set ${mss4}`),
        rule(`${side}-v6`, `${side} ${tunnel} meta nfproto ipv6 ${syn} > ${mss6} tcp option maxseg size set ${mss6}`),
      ]),
    },
    {
      name: 'translate',
      hook: 'type nat hook postrouting priority srcnat; policy accept;',
      // Only what is forwarded has a source that is not this device's own.
      rules: uplink === undefined ? [] : [rule('forwarded', `oifname ${uplink} fib saddr type != local masquerade`)],
    },
  ];
}

function limits(policy: GatewayPolicy, bitsPerSecond: number | undefined): readonly Rule[] {
  return [
    ...(bitsPerSecond === undefined
      ? []
      : [rule('rate-limit', `${renderRateLimit(bitsPerSecond)} ${refuse('refused_rate')}`)]),
    ...(policy.remainingBytes === undefined ? [] : [rule('data-cap', `quota name cap ${refuse('refused_cap')}`)]),
  ];
}

function renderRateLimit(bitsPerSecond: number): string {
  const bytesPerSecond = Math.round(bitsPerSecond / 8);
  // A fifth of a second of burst, besides the second's worth that the kernel's bucket always has: enough for TCP, and
  // no more, which the household would feel.
  const burst = Math.max(Math.round(bytesPerSecond / 5), 32_768);
  return `limit rate over ${bytesPerSecond} bytes/second burst ${burst} bytes`;
}
