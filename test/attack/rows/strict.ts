import { ip, attackAddresses as own, type Packet, protocol, syn, udp } from '../packet-data.ts';
import { type Row, refused } from '../row.ts';

const why = 'what brings complaints to the owner is refused where the strict rules hold';
const publics = [own.public4, own.public6];

const handshake = '13426974546f7272656e742070726f746f636f6c';
const announce = Buffer.from('GET /announce?info_hash=').toString('hex');
const question = Buffer.from('d1:ad2:id20:').toString('hex');
const answer = Buffer.from('d1:rd2:id20:').toString('hex');
/** By this the packet of 20 bytes, which has no room for a mark, is known. */
const microMark = 'b7c15e2c0911';

/** What passes, and is refused once the strict rules hold. */
export const strictRows: readonly Row[] = [
  ...publics.flatMap((address) => [
    refused(`${address}: SSH`, [syn(address, 22)], { why }),
    refused(`${address}: the first and the last port below 1024`, ends(address), { why }),
    refused(`${address}: the web's port by UDP`, [udp(address, 80)], { why }),
    refused(`${address}: ports of trackers`, trackers(address), { why }),
    refused(`${address}: a protocol without ports`, [toProtocol(address)(47)], { why }),
    ...[5, 6, 8, 15].map((words) =>
      refused(
        `${address}: the handshake of BitTorrent behind a header of ${words} words`,
        [tcpBytes(address, words, handshake)],
        { why },
      ),
    ),
    refused(`${address}: a tracker by HTTP`, [tcpBytes(address, 8, announce)], { why }),
    refused(
      `${address}: the distributed table`,
      [question, answer].map((bytes) => udpBytes(address, `${bytes}MARK`)),
      { why },
    ),
    refused(`${address}: a tracker by UDP`, [udpBytes(address, '000004172710198000000000MARK')], {
      why,
    }),
    refused(
      `${address}: the begin of a micro transport connection`,
      [udpBytes(address, `4100${microMark}00000000001000000001${'0000'}`)],
      { why, marks: [microMark] },
    ),
    refused(
      `${address}: the handshake in a micro transport connection`,
      [udpBytes(address, `0100${microMark}000010000010000000020001${handshake}MARK`)],
      { why },
    ),
  ]),
  refused('the distributed table in two fragments', inFragments(), { why }),
];

function ends(address: string): readonly Packet[] {
  return [1, 1023].flatMap((port) => [syn(address, port), udp(address, port)]);
}

function trackers(address: string): readonly Packet[] {
  return [1337, 2710, 6889, 6969, 9337].flatMap((port) => [syn(address, port), udp(address, port)]);
}

function toProtocol(address: string): (number: number) => Packet {
  return (number) => protocol(number, address);
}

/** A first packet that carries bytes already, as one of TCP Fast Open does. */
function tcpBytes(address: string, words: number, bytes: string): Packet {
  const options = '01'.repeat((words - 5) * 4);
  return [
    ip(address),
    ['TCP', { sport: 40_003, dport: 8080, flags: 'S', dataofs: words }],
    ['Raw', { load: { hex: `${options}${bytes}MARK` } }],
  ];
}

function udpBytes(address: string, bytes: string): Packet {
  return [ip(address), ['UDP', { sport: 40_004, dport: 9000 }], ['Raw', { load: { hex: bytes } }]];
}

/** The cut is in the middle of the bytes that are looked for. UDP needs no checksum over IPv4. */
function inFragments(): readonly Packet[] {
  const header = '9c45' + '2328' + '0014' + '0000';
  const first = `${header}${question.slice(0, 16)}`;
  return [
    [
      ip(own.public4, { proto: 17, id: 4713, flags: 1, frag: 0 }),
      ['Raw', { load: { hex: first } }],
    ],
    [
      ip(own.public4, { proto: 17, id: 4713, frag: first.length / 16 }),
      ['Raw', { load: { hex: `${question.slice(16)}MARK` } }],
    ],
  ];
}
