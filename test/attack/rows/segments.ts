import { type Field, ip, attackAddresses as own, type Packet } from '../packet-data.ts';
import { type Row, refused } from '../row.ts';

const why = 'segments so small that most of the line would go uncounted are not agreed on';

const nothing: Option = ['NOP', 0];
const acknowledges: Option = ['SAckOK', ''];
const stamped: Option = ['Timestamp', { pair: [7, 0] }];
const scale: Option = ['WScale', 7];

/** The far end takes the last size, and the rule that compares sizes reads the first. */
const secondPlaces: readonly (readonly Option[])[] = [
  [
    ['MSS', 1360],
    ['MSS', 88],
  ],
  [['MSS', 1360], nothing, ['MSS', 88], nothing, nothing, nothing],
  // As Linux begins, but for the size in the place of what it ends with.
  [['MSS', 1360], acknowledges, stamped, ['MSS', 88]],
  [['MSS', 1360], acknowledges, stamped, nothing, scale, ['MSS', 88]],
  [['MSS', 1360], nothing, nothing, nothing, stamped, ['MSS', 535], ['MSS', 1360]],
  [['MSS', 1360], ...Array.from({ length: 8 }, () => ['MSS', 1360] as const), ['MSS', 88]],
];

/** What Linux, Windows and Apple's systems say in their first packet. */
const usualOptions: readonly (readonly Option[])[] = [
  [['MSS', 1360], acknowledges, stamped, nothing, scale],
  [['MSS', 1360], nothing, scale, nothing, nothing, acknowledges],
  [['MSS', 1360], nothing, scale, nothing, nothing, stamped, acknowledges],
  [['MSS', 1360], nothing, nothing, acknowledges, nothing, scale],
];

/** Public addresses that nobody answers at, so that what is tried stays open. */
const quiet4 = '9.9.9.8';
const quiet6 = '2606:4700::2229';

/** Connections that ask for tiny segments, by either side. */
export const segmentRows: readonly Row[] = [
  ...[own.public4, own.public6].flatMap((address) => [
    ...[1, 88, 535].map((size) =>
      refused(`segments of ${size} bytes from ${address}`, [asking(address, size)], { why }),
    ),
    refused(
      `segments of 88 bytes from ${address}, in a second or third place`,
      secondPlaces.map((options) => askingBy(address, options)),
      { why },
    ),
  ]),
  ...[quiet4, quiet6].map((address, index) => answering(address, 41_750 + index)),
];

/** What any network carries has to pass. */
export const usualSegments: readonly Packet[] = [own.public4, own.public6].flatMap((address) => [
  asking(address, 536),
  ...usualOptions.map((options) => askingBy(address, options)),
]);

function asking(address: string, size: number): Packet {
  return askingBy(address, [['MSS', size]]);
}

function askingBy(address: string, options: readonly Option[]): Packet {
  const sport = 41_700 + (JSON.stringify(options).length % 49);
  return [
    ip(address),
    ['TCP', { sport, dport: 80, flags: 'S', options: toOptions(options) }],
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
            [
              'TCP',
              {
                sport: 8443,
                dport: 'SEEN',
                flags: 'SA',
                ack: 1,
                options: toOptions([['MSS', 88]]),
              },
            ],
            ['Raw', { load: 'MARK' }],
          ],
        ],
      },
    ],
    never: ['tunnel'],
    why,
  };
}

/** As scapy writes an option: its name and what it says. */
type Option = readonly [name: string, says: Field];

function toOptions(options: readonly Option[]) {
  return { each: options.map((option) => ({ pair: option })) };
}
