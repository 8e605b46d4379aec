import { ip, attackAddresses as own, type Packet, udp } from '../packet-data.ts';
import type { Row } from '../row.ts';
import type { Way } from '../world.ts';

const why = 'consumers learn no inner address of the home';
/** Public addresses that nobody answers at. */
const quiet4 = '9.9.9.8';
const quiet6 = '2606:4700::2229';

/** What the home's machines say about a consumer's packet, as its router does on a traceroute. */
export const fromHomeRows: readonly Row[] = [
  ...[own.router4, own.nas4].flatMap((source, index) =>
    (
      [
        ['too old', ['ICMP', { type: 11, code: 0 }]],
        ['unreachable', ['ICMP', { type: 3, code: 1 }]],
        ['not allowed', ['ICMP', { type: 3, code: 13 }]],
      ] as const
    ).map(([kind, layer], at) =>
      toRow(`${source} says: ${kind}`, {
        source,
        far: quiet4,
        sport: 41_600 + index * 10 + at,
        layer,
      }),
    ),
  ),
  ...[own.router6, own.nas6].flatMap((source, index) =>
    (
      [
        ['too old', ['ICMPv6TimeExceeded', {}]],
        ['unreachable', ['ICMPv6DestUnreach', { code: 3 }]],
      ] as const
    ).map(([kind, layer], at) =>
      toRow(`${source} says: ${kind}`, {
        source,
        far: quiet6,
        sport: 41_650 + index * 10 + at,
        layer,
      }),
    ),
  ),
];

/** Without it, a consumer's large packets would vanish on a narrow line: it has to pass. */
export const tooBigRows: readonly Row[] = [
  toRow(`${own.router4} says: too big`, {
    source: own.router4,
    far: quiet4,
    sport: 41_690,
    layer: ['ICMP', { type: 3, code: 4, nexthopmtu: 1280 }],
  }),
  toRow(`${own.router6} says: too big`, {
    source: own.router6,
    far: quiet6,
    sport: 41_691,
    layer: ['ICMPv6PacketTooBig', { mtu: 1280 }],
  }),
];

/**
 * A consumer's traceroute: each router on the way says that the packet is too old. On a host, the
 * host itself is the first of them.
 */
export function listTracerouteRows(way: Way): readonly Row[] {
  const hops4 = way === 'host' ? [2, 3] : [2];
  return [
    ...hops4.map((ttl) => ({
      name: `a traceroute, hop ${ttl}`,
      family: 4 as const,
      packet: udp(quiet4, 33_434 + ttl, { ttl }, { sport: 41_700 + ttl }),
    })),
    {
      name: 'a traceroute, hop 2',
      family: 6 as const,
      packet: udp(quiet6, 33_436, { hlim: 2 }, { sport: 41_702 }),
    },
  ].map(({ packet, ...row }) => ({
    ...row,
    steps: [{ from: 'tunnel', packets: [packet], waitMs: 50 }],
    never: ['tunnel'],
    why,
  }));
}

interface Said {
  readonly source: string;
  readonly far: string;
  readonly sport: number;
  readonly layer: Packet[number];
}

/** The consumer's packet as it left is what the error quotes. */
function toRow(name: string, { source, far, sport, layer }: Said): Row {
  const isV6 = far.includes(':');
  const near = isV6 ? own.device6 : own.device4;
  const quoted: Packet = [
    ip(far, { src: near }),
    ['UDP', { sport: 'SEEN', dport: 9000 }],
    ['Raw', { load: 'MARK' }],
  ];
  return {
    name,
    family: isV6 ? 6 : 4,
    steps: [
      { from: 'tunnel', packets: [udp(far, 9000, {}, { sport })], waitMs: 50 },
      { from: 'uplink', packets: [[ip(near, { src: source }), layer, ...quoted]] },
    ],
    never: ['tunnel'],
    why,
  };
}
