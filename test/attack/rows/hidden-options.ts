import { ip, attackAddresses as own, type Packet } from '../packet-data.ts';
import { type Row, refused } from '../row.ts';

const why = 'no IPv6 options leave, wherever in the chain of headers they lie';

/** UDP as bytes. */
const datagram = '9c41232800100000MARK';

/** Headers that routers on the way, or the far end, would act on. */
const options = [
  ['hop-by-hop options', 0],
  ['destination options', 60],
  ['a mobility header', 135],
] as const;

/**
 * The kernel takes an atomic fragment's header off: what lay behind it leaves as the first header.
 */
export const hiddenOptionRows: readonly Row[] = [
  ...options.flatMap(([name, number]) => [
    refused(`${name} behind an atomic fragment's header`, [atomic(number, option())], { why }),
    refused(`${name} behind an authentication header`, [authenticated(number, option())], { why }),
  ]),
  refused('a mobility header in two pieces', inPieces(135), { why }),
  refused('an authentication header before UDP', [authenticated(17, '')], { why }),
  refused(
    "an authentication header behind an atomic fragment's",
    [atomic(51, authentication(17))],
    { why },
  ),
  refused(
    "destination options behind two fragments' headers",
    [atomic(44, `3c00000000000009${option()}`)],
    { why },
  ),
];

/** Eight bytes of options that say nothing (PadN), before UDP. */
function option(): string {
  return '1100010400000000';
}

/** Twelve bytes that prove nothing, before the header of this number. */
function authentication(next: number): string {
  return `${toHex(next)}0400000000000100000001${'00'.repeat(12)}`;
}

/** A fragment that is the whole packet. */
function atomic(next: number, headers: string): Packet {
  return [
    ip(own.public6, { nh: 44 }),
    ['Raw', { load: { hex: `${toHex(next)}00000000000007${headers}${datagram}` } }],
  ];
}

function authenticated(next: number, headers: string): Packet {
  return [
    ip(own.public6, { nh: 51 }),
    ['Raw', { load: { hex: `${authentication(next)}${headers}${datagram}` } }],
  ];
}

/** The options and the ports in the first piece, the rest in the second. */
function inPieces(next: number): readonly Packet[] {
  const id = `0000${toHex(next)}0a`;
  return [
    [
      ip(own.public6, { nh: 44 }),
      ['Raw', { load: { hex: `${toHex(next)}000001${id}${option()}9c41232800180000` } }],
    ],
    [
      ip(own.public6, { nh: 44 }),
      ['Raw', { load: { hex: `${toHex(next)}000010${id}MARK${'00'.repeat(8)}` } }],
    ],
  ];
}

function toHex(number: number): string {
  return number.toString(16).padStart(2, '0');
}
