import { createHash } from 'node:crypto';
import { overlaps, parsePrefix, toShortNetwork } from '../lib/addresses.ts';
import {
  type ForwardedTotals,
  type GatewayPolicy,
  type RefusalCounter,
  refusals,
  specialPrefixes,
  tableName,
} from './policy.ts';

/** One rule: its name (the comment by which it is recognised) and its text without the comment. */
interface Rule {
  readonly name: string;
  readonly text: string;
}

interface Chain {
  readonly name: string;
  /** undefined: a chain that others jump to. */
  readonly hook: string | undefined;
  readonly rules: readonly Rule[];
}

/** The ruleset as data: what is rendered, and what a listing of the kernel's table is held against. */
export interface Ruleset {
  readonly chains: readonly Chain[];
  readonly sets: Readonly<Record<SetName, readonly string[]>>;
  /** Changes when anything but a running total changes; stands in the kernel as the first rule's comment. */
  readonly fingerprint: string;
  readonly policy: GatewayPolicy;
}

type SetName = 'allowed4' | 'allowed6' | 'own4' | 'own6' | 'special4' | 'special6' | 'ports';

/** The rules for a policy. Pure: reading top-down is reading what happens to a packet. */
export function toRuleset(policy: GatewayPolicy): Ruleset {
  const chains = toChains(policy);
  const sets = {
    allowed4: listElements(policy.allowDestinations, 4),
    allowed6: listElements(policy.allowDestinations, 6),
    own4: listElements(policy.ownPrefixes, 4),
    own6: listElements(policy.ownPrefixes, 6),
    special4: listElements(specialPrefixes.v4, 4),
    special6: listElements(specialPrefixes.v6, 6),
    ports: [...new Set(policy.blockedPorts)].map(String).sort(),
  };
  const { remainingBytes: _, ...lasting } = policy;
  const hash = createHash('sha256').update(JSON.stringify([chains, sets, lasting]));
  return { chains, sets, policy, fingerprint: `ruleset ${hash.digest('hex').slice(0, 16)}` };
}

/**
 * One transaction that makes the table this ruleset whatever it was before. Counters and the permit live on through
 * it; `totals` are where the forwarded counters begin when the table is new.
 */
export function renderRuleset(ruleset: Ruleset, totals: ForwardedTotals): string {
  const sets = Object.entries(ruleset.sets);
  const quota = ruleset.policy.remainingBytes;
  return `${[
    // Declared first, so that flushing and deleting below work whether or not the table was there.
    `table inet ${tableName} {`,
    '  set permit { type ifname; flags timeout; }',
    ...sets.map(([name]) => `  set ${name} { ${toSetType(name)} }`),
    `  counter forwarded_up { packets ${totals.up.packets} bytes ${totals.up.bytes} }`,
    `  counter forwarded_down { packets ${totals.down.packets} bytes ${totals.down.bytes} }`,
    ...Object.keys(refusals).map((name) => `  counter ${name} { }`),
    '  quota cap { over 1 bytes }',
    '}',
    `flush table inet ${tableName}`,
    ...sets.map(([name]) => `flush set inet ${tableName} ${name}`),
    `delete quota inet ${tableName} cap`,
    `table inet ${tableName} {`,
    ...(quota === undefined ? [] : [`  quota cap { over ${Math.max(quota, 0)} bytes }`]),
    ...sets.flatMap(([name, elements]) =>
      elements.length === 0 ? [] : [`  set ${name} { ${toSetType(name)} elements = { ${elements.join(', ')} } }`],
    ),
    ...ruleset.chains.flatMap((chain) => renderChain(chain, ruleset.fingerprint)),
    '}',
  ].join('\n')}\n`;
}

/** Renews the permit: deleted and added, because adding alone does not restart an element's timeout. */
export function renderPermit(tunnelInterface: string, seconds: number): string {
  const element = (timeout: string) => `element inet ${tableName} permit { "${tunnelInterface}"${timeout} }`;
  const timeout = ` timeout ${seconds}s`;
  return `add ${element(timeout)}\ndelete ${element('')}\nadd ${element(timeout)}\n`;
}

/** Ends the permit now. */
export function renderNoPermit(): string {
  return `flush set inet ${tableName} permit\n`;
}

function toChains(policy: GatewayPolicy): readonly Chain[] {
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
        rule('blocked-ports', `meta l4proto { tcp, udp, sctp } th dport @ports ${refuse('refused_port')}`),
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
        ...limits(policy, policy.rateLimit.up),
        rule('count-up', 'counter name forwarded_up accept'),
      ],
    },
    {
      name: 'to_tunnel',
      hook: undefined,
      rules: [
        rule('permit', `oifname != @permit ${refuse('refused_closed')}`),
        rule('replies', `ct state { new, invalid, untracked } ${refuse('refused_unsolicited')}`),
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

function rule(name: string, text: string): Rule {
  return { name, text };
}

function refuse(counter: RefusalCounter): string {
  return `counter name ${counter} drop`;
}

function renderChain(chain: Chain, fingerprint: string): readonly string[] {
  return [
    `  chain ${chain.name} {`,
    ...(chain.hook === undefined ? [] : [`    ${chain.hook}`]),
    ...chain.rules.map((own) => `    ${own.text} comment "${renderComment(chain, own, fingerprint)}"`),
    '  }',
  ];
}

/** The comment that a rule carries in the kernel; the very first rule carries the fingerprint. */
export function renderComment(chain: Chain, own: Rule, fingerprint: string): string {
  return chain.name === 'arrival' ? fingerprint : own.name;
}

function toSetType(name: string): string {
  if (name === 'ports') return 'type inet_service;';
  return `type ${name.endsWith('4') ? 'ipv4_addr' : 'ipv6_addr'}; flags interval;`;
}

/** Set elements as nft prints them, sorted; prefixes that lie in another are left out, an interval set refuses them. */
function listElements(prefixes: readonly string[], family: 4 | 6): readonly string[] {
  const parsed = prefixes.flatMap((text) => parsePrefix(text) ?? []).filter((prefix) => prefix.family === family);
  const wide = parsed.filter(
    (prefix, index) =>
      !parsed.some(
        (other, position) =>
          overlaps(prefix, other) &&
          (other.length < prefix.length || (other.length === prefix.length && position < index)),
      ),
  );
  return wide.map(toShortNetwork).sort();
}
