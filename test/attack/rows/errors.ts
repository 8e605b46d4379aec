import { ip, attackAddresses as own, type Packet, protocol, syn, udp } from '../packet-data.ts';
import { type Row, refused } from '../row.ts';

const why =
  'errors about what consumers send leave by the tunnel or not at all: never into the home, in no phase';
const far = (source: string) => (source.includes(':') ? own.public6 : own.public4);
const near = (source: string) => (source.includes(':') ? own.device6 : own.device4);
const oneHop = (source: string) => (source.includes(':') ? { hlim: 1 } : { ttl: 1 });

const sources = [
  own.consumer4,
  own.nas4,
  own.router4,
  own.consumer6,
  own.nas6,
  own.router6,
  own.device6,
];

/** In another's name, so that an error about it would go to a neighbour. */
export const errorRows: readonly Row[] = [
  ...sources.flatMap((source) => [
    refused(
      `an error to ${source}: a life of one hop`,
      [
        udp(far(source), 9000, { src: source, ...oneHop(source) }),
        syn(far(source), 80, { src: source, ...oneHop(source) }),
        protocol(252, far(source), { src: source, ...oneHop(source) }),
      ],
      { why },
    ),
    refused(
      `an error to ${source}: closed ports of the device`,
      [udp(near(source), 9, { src: source }), syn(near(source), 9, { src: source })],
      { why },
    ),
    refused(
      `an error to ${source}: a protocol that the device does not know`,
      [protocol(252, near(source), { src: source })],
      { why },
    ),
    refused(
      `an error to ${source}: no way there`,
      source.includes(':')
        ? [udp('4000::9', 9000, { src: source }), udp('fd55::9', 9000, { src: source })]
        : [udp('240.0.0.9', 9000, { src: source }), udp('10.0.0.9', 9000, { src: source })],
      { why },
    ),
  ]),
  ...[own.consumer6, own.nas6, own.router6, own.device6].flatMap((source) => [
    ...['hop-by-hop', 'destination'].map((kind) =>
      refused(
        `an error to ${source}: unknown ${kind} options`,
        [far(source), near(source)].flatMap((to) =>
          ['40', '80', 'c0'].map((first) => unknownOption(kind, first, source, to)),
        ),
        { why },
      ),
    ),
    refused(
      `an error to ${source}: a header that nobody knows`,
      [
        [
          ip(far(source), { src: source, nh: 0 }),
          ['Raw', { load: { hex: 'ff00c2040000ffff4d41524bMARK' } }],
        ],
      ],
      { why },
    ),
    refused(`an error to ${source}: too big for the way`, [big(source)], { why }),
  ]),
  ...[own.consumer4, own.nas4].map((source) =>
    refused(
      `an error to ${source}: too big for the way, not to be cut`,
      [
        [
          ip(own.narrow4, { src: source, flags: 2 }),
          ['UDP', { sport: 40_001, dport: 9000 }],
          ['Raw', { load: { hex: `MARK${'00'.repeat(1340)}` } }],
        ],
      ],
      { why },
    ),
  ),
];

/**
 * The first two bits of an option's type say what becomes of a packet with one that is not known.
 */
function unknownOption(kind: string, first: string, source: string, to: string): Packet {
  const type = (Number.parseInt(first, 16) | 0x1e).toString(16);
  const name = kind === 'hop-by-hop' ? 0 : 60;
  return [
    ip(to, { src: source, nh: name }),
    ['Raw', { load: { hex: `1100${type}0400000000${'9c412328001000'}00MARK` } }],
  ];
}

function big(source: string): Packet {
  return [
    ip(own.narrow6, { src: source }),
    ['UDP', { sport: 40_001, dport: 9000 }],
    ['Raw', { load: { hex: `MARK${'00'.repeat(1340)}` } }],
  ];
}
