import { ip, attackAddresses as own, type Packet } from '../packet-data.ts';
import { type Row, refused } from '../row.ts';

const why = 'segments so small that most of the line would go uncounted are not agreed on';

/** Public addresses that nobody answers at, so that what is tried stays open. */
const quiet4 = '9.9.9.8';
const quiet6 = '2606:4700::2229';

/** Connections that ask for tiny segments, by either side. */
export const segmentRows: readonly Row[] = [
  ...[own.public4, own.public6].flatMap((address) =>
    [1, 88, 535].map((size) =>
      refused(`segments of ${size} bytes from ${address}`, [asking(address, size)], { why }),
    ),
  ),
  ...[quiet4, quiet6].map((address, index) => answering(address, 41_750 + index)),
];

/** What any network carries has to pass. */
export const usualSegments: readonly Packet[] = [own.public4, own.public6].map((address) =>
  asking(address, 536),
);

function asking(address: string, size: number): Packet {
  return [
    ip(address),
    ['TCP', { sport: 41_700 + (size % 49), dport: 80, flags: 'S', options: toOption(size) }],
    ['Raw', { load: 'MARK' }],
  ];
}

function answering(address: string, sport: number): Row {
  const isV6 = address.includes(':');
  return {
    name: `segments of 88 bytes to ${address}, as its answer says`,
    family: isV6 ? 6 : 4,
    steps: [
      {
        from: 'tunnel',
        packets: [
          [ip(address), ['TCP', { sport, dport: 8443, flags: 'S' }], ['Raw', { load: 'MARK' }]],
        ],
        waitMs: 30,
      },
      {
        from: 'uplink',
        packets: [
          [
            ip(isV6 ? own.device6 : own.device4, { src: address }),
            ['TCP', { sport: 8443, dport: 'SEEN', flags: 'SA', ack: 1, options: toOption(88) }],
            ['Raw', { load: 'MARK' }],
          ],
        ],
      },
    ],
    never: ['tunnel'],
    why,
  };
}

function toOption(size: number) {
  return { each: [{ pair: ['MSS', size] }] };
}
