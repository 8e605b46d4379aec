import { ip, attackAddresses as own, type Packet, syn, udp } from '../packet-data.ts';
import { type Row, refused } from '../row.ts';

const why = 'the ports that spam is sent from are refused';
const half = '0123456789abcdef0123456789abcdef';

/** Port 25 in every wrapping. */
export const portRows: readonly Row[] = [
  refused('port 25 by TCP', [syn(own.public4, 25)], { why }),
  refused('port 25 by TCP over IPv6', [syn(own.public6, 25)], { why }),
  refused('port 25 by UDP', [udp(own.public4, 25)], { why }),
  refused('port 25 by UDP over IPv6', [udp(own.public6, 25)], { why }),
  refused('port 25 by SCTP', [sctp(own.public4)], { why }),
  refused('port 25 by SCTP over IPv6', [sctp(own.public6)], { why }),
  refused('port 25 from port 25', [syn(own.public4, 25, {}, { sport: 25 })], { why }),
  refused(
    'port 25 with urgent data, no flags, all flags',
    ['U', '', 'FSRPAUEC'].map((flags) => syn(own.public4, 25, {}, { flags })),
    { why },
  ),
  refused(
    'port 25 in an acknowledgement that nothing came before',
    [syn(own.public4, 25, {}, { flags: 'A' })],
    {
      why,
    },
  ),
  refused('port 25 in two fragments', fragments4(0), { why }),
  refused('port 25 in fragments out of order', fragments4(0).toReversed(), { why }),
  refused('port 25 behind a destination option', [extended('IPv6ExtHdrDestOpt', {})], { why }),
  refused('port 25 behind a hop-by-hop option', [extended('IPv6ExtHdrHopByHop', {})], { why }),
  refused('port 25 behind eight options', [extended('IPv6ExtHdrDestOpt', {}, 8)], { why }),
  refused(
    'port 25 behind a fragment header of a whole packet',
    [extended('IPv6ExtHdrFragment', { id: 77 })],
    { why },
  ),
  refused('port 25 in two fragments over IPv6', fragments6(), { why }),
];

function sctp(destination: string): Packet {
  return [
    ip(destination),
    ['SCTP', { sport: 40_001, dport: 25 }],
    ['SCTPChunkInit', {}],
    ['Raw', { load: 'MARK' }],
  ];
}

function extended(name: string, fields: Packet[number][1], times = 1): Packet {
  const header: Packet[number] = [name, fields];
  return [
    ip(own.public6),
    ...Array.from({ length: times }, () => header),
    ...syn(own.public6, 25).slice(1),
  ];
}

/** A TCP header of 20 bytes and the mark; the second fragment holds the mark again. */
function fragments4(offset: number): readonly Packet[] {
  const header = '9c41' + '0019' + '00000001' + '00000000' + '5002ffff' + '00000000';
  return [
    [
      ip(own.public4, { proto: 6, id: 4711, flags: 1, frag: offset }),
      ['Raw', { load: { hex: `${header}deadbeefMARK` } }],
    ],
    [
      ip(own.public4, { proto: 6, id: 4711, frag: offset + 4 }),
      ['Raw', { load: { hex: `MARK${half}` } }],
    ],
  ];
}

function fragments6(): readonly Packet[] {
  const header = '9c41' + '0019' + '00000001' + '00000000' + '5002ffff' + '00000000';
  return [
    [
      ip(own.public6),
      ['IPv6ExtHdrFragment', { nh: 6, id: 4712, m: 1, offset: 0 }],
      ['Raw', { load: { hex: `${header}deadbeefMARK` } }],
    ],
    [
      ip(own.public6),
      ['IPv6ExtHdrFragment', { nh: 6, id: 4712, m: 0, offset: 4 }],
      ['Raw', { load: { hex: `MARK${half}` } }],
    ],
  ];
}
