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
 * Sets that rules fill, as they fill the sets of the ceilings: each consumer's class, how fast UDP
 * comes to it, and the addresses that WireGuard sends from.
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
 * The last chain of everything that is forwarded, in both directions, so that one rate holds both.
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
 * Gives WireGuard's packets to the tunnel's other end the low priority of what is inside them. Only
 * the rule at `endpoint` lets them in.
 */
export function listOuterRules({ line, devices }: GatewayPolicy): readonly Rule[] {
  return devices.flatMap(({ endpoint }) =>
    when(endpoint, ({ protocol: ip, address, port }) => {
      const priority = line.isLowPriority ? ` ${ip} dscp set ${lowerEffort}` : '';
      return [
        rule(
          'tunnel',
          `${ip} daddr ${address} udp dport ${port} update @tunnel_ports { udp sport }${priority}`,
        ),
      ];
    }),
  );
}

/**
 * Gives each consumer the next class in turn; a consumer keeps its class while it uses it. `side`
 * is where its address is in the packet.
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
      // A consumer without a class goes on to the next rule. The update only begins the time of a
      // class again.
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
 * UDP uses the line even if it is dropped here. So a sender that stays faster than this without
 * being heard is told to stop.
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

/** The code point of RFC 8622 as a number, because nft's name for it differs between versions. */
const lowerEffort = '0x01';

function renderRate(bitsPerSecond: number): string {
  const bytesPerSecond = Math.round(bitsPerSecond / 8);
  // The kernel's bucket always holds a second's worth besides. This burst is enough for TCP; the
  // household would feel a larger one.
  const burst = Math.max(Math.round(bytesPerSecond / 5), 32_768);
  return `limit rate over ${bytesPerSecond} bytes/second burst ${burst} bytes`;
}
