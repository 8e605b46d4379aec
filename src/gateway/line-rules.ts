import { lineClasses, lineMark } from './line-tree.ts';
import type { GatewayPolicy, LinePolicy } from './policy.ts';
import {
  both,
  type Chain,
  chain,
  filledByRules as own,
  type Rule,
  refuse,
  rule,
  when,
} from './rule.ts';

/**
 * Filled by the rules, as the ceilings' are: each consumer's class, how fast UDP comes to it, where
 * WireGuard sends from.
 */
export function listLineSets() {
  const classes = 'classid; size 4096; flags dynamic,timeout; timeout 5m';
  const flow = (ip: string) =>
    `type ${ip} . inet_service . ${ip} . inet_service; size 8192; flags dynamic,timeout; timeout 10s`;
  return {
    classes4: { ...own(`type ipv4_addr : ${classes}`), isMap: true as const },
    classes6: { ...own(`type ipv6_addr : ${classes}`), isMap: true as const },
    floods4: own(flow('ipv4_addr')),
    floods6: own(flow('ipv6_addr')),
    tunnel_ports: own('type inet_service; size 16; flags dynamic,timeout; timeout 10m'),
  };
}

/**
 * The chain that everything forwarded goes through last, both ways, so that one rate holds both.
 */
export function toLineChain({ dropAboveBits, isLowPriority }: LinePolicy): Chain {
  return chain('line', [
    ...when(dropAboveBits, (most) => [
      rule('rate-limit', `${renderRate(most)} ${refuse('refused_rate')}`),
    ]),
    ...(isLowPriority ? both('low-priority', (ip) => `${ip} dscp set ${lowerEffort}`) : []),
    rule('forward', 'accept'),
  ]);
}

/**
 * What WireGuard sends to the tunnel's other end is as unimportant as what is in it; its port is
 * let in (`endpoint`).
 */
export function listOuterRules({ line, endpoint }: GatewayPolicy): readonly Rule[] {
  return when(endpoint, ({ protocol: ip, address, port }) => {
    const priority = line.isLowPriority ? ` ${ip} dscp set ${lowerEffort}` : '';
    return [
      rule(
        'tunnel',
        `${ip} daddr ${address} udp dport ${port} update @tunnel_ports { udp sport }${priority}`,
      ),
    ];
  });
}

/**
 * Each consumer's class is the next in turn and stays its own while it is used: `side` is where its
 * address is.
 */
export function listClassRules({ classOf }: LinePolicy, side: 'saddr' | 'daddr'): readonly Rule[] {
  if (classOf === undefined) return [];
  const { first, count } = lineClasses;
  const offset = `mod ${count} offset ${0x1_0000 + first}`;
  const toAddress = (ip: string, family: 4 | 6) =>
    `${ip} ${side}${family === 6 ? ' & ffff:ffff:ffff:ffff::' : ''}`;
  return [
    ...both('classed', (ip, family) => {
      const address = toAddress(ip, family);
      // Who has no class yet goes on to the next rule. What is there keeps its class: only its time
      // begins again.
      return `meta priority set ${address} map @classes${family} update @classes${family} { ${address} : 1:${first.toString(16)} } meta mark set ${lineMark}`;
    }),
    ...both('class', (ip, family) => {
      const address = toAddress(ip, family);
      return `meta mark != ${lineMark} add @classes${family} { ${address} : numgen inc ${offset} } meta priority set ${address} map @classes${family} meta mark set ${lineMark}`;
    }),
    ...(classOf === 'connection'
      ? both(
          'connection',
          (ip) =>
            `meta l4proto { tcp, udp } meta priority set jhash ${ip} saddr . ${ip} daddr . th sport . th dport ${offset}`,
        )
      : []),
  ];
}

/**
 * UDP reaches the line whatever is done behind it: who sends faster than this without being heard
 * is told to stop.
 */
export function listFloodRules({ floodBits }: LinePolicy): readonly Rule[] {
  const bytes = Math.round((floodBits ?? 0) / 8);
  return when(floodBits, () =>
    both(`flood ${bytes}`, (ip, family) => {
      const connection = `${ip} saddr . udp sport . ${ip} daddr . udp dport`;
      const rate = `limit rate over ${bytes} bytes/second burst ${bytes} bytes`;
      return `update @floods${family} { ${connection} ${rate} } counter name refused_flood reject`;
    }),
  );
}

/** The number of RFC 8622; nft knows it by different names. */
const lowerEffort = '0x01';

function renderRate(bitsPerSecond: number): string {
  const bytesPerSecond = Math.round(bitsPerSecond / 8);
  // Besides the second's worth that the kernel's bucket always has: enough for TCP; more, the
  // household would feel.
  const burst = Math.max(Math.round(bytesPerSecond / 5), 32_768);
  return `limit rate over ${bytesPerSecond} bytes/second burst ${burst} bytes`;
}
