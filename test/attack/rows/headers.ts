import {
  echo,
  ip,
  optioned,
  attackAddresses as own,
  type Packet,
  protocol,
  syn,
  udp,
} from '../packet-data.ts';
import { type Row, refused } from '../row.ts';

const home = "the owner's network is out of reach, by whatever way a packet asks for";
const invalid = 'what belongs to no connection of a consumer is not forwarded';

const switchedOff = 'source routing is switched off in the kernel';
const nasHex = 'c0a84d14';
const publicHex = '09090909';

/** Ways that a packet asks for, and what lies within another. */
export const headerRows: readonly Row[] = [
  ...[
    ['loose source routing', '83'],
    ['strict source routing', '89'],
  ].flatMap(([name, type]) => [
    refused(`${name} by the device to the NAS`, [optioned(own.device4, `${type}0704${nasHex}00`)], {
      why: home,
      keptByKernel: switchedOff,
    }),
    refused(
      `${name} by a public address to the NAS`,
      [optioned(own.public4, `${type}0704${nasHex}00`)],
      {
        why: home,
        keptByKernel: switchedOff,
      },
    ),
    refused(
      `${name} by the NAS to a public address`,
      [optioned(own.nas4, `${type}0704${publicHex}00`)],
      {
        why: home,
        keptByKernel: switchedOff,
      },
    ),
  ]),
  ...[
    ['IPv4 in IPv4', 4],
    ['IPv6 in IPv4', 41],
    ['GRE', 47],
    ['ESP', 50],
    ['AH', 51],
    ['L2TP', 115],
    ['a protocol without a name', 254],
  ].flatMap(([name, number]) =>
    [own.nas4, own.nas6, own.device4, own.device6, own.router4].map((to) =>
      refused(`${name} to ${to}`, [wrapped(to, Number(number))], {
        why: home,
        isHeldTwice: to === own.nas4 || to === own.nas6 || to === own.router4,
      }),
    ),
  ),
  refused(
    'an error about a connection of the NAS',
    [icmpError(own.public4, own.nas4, own.public4)],
    { why: invalid },
  ),
  refused(
    'an error to the NAS about its own connection',
    [icmpError(own.nas4, own.nas4, own.public4)],
    {
      why: home,
      isHeldTwice: true,
    },
  ),
  refused(
    "an error about the device's own tunnel",
    [icmpError(own.public4, own.device4, '198.51.100.2', 51_999)],
    {
      why: invalid,
    },
  ),
  refused(
    'an error to the device about its own tunnel',
    [icmpError(own.device4, own.device4, '198.51.100.2', 51_999)],
    { why: home },
  ),
  refused(
    'an error about a connection of the NAS, over IPv6',
    [icmpError6(own.public6, own.nas6, own.public6)],
    {
      why: invalid,
    },
  ),
  refused(
    'an error to the NAS about its own connection, over IPv6',
    [icmpError6(own.nas6, own.nas6, own.public6)],
    {
      why: home,
      isHeldTwice: true,
    },
  ),
  refused('a redirect to the device', [redirect(own.device4)], { why: home }),
  refused('a redirect to a public address', [redirect(own.public4)], { why: invalid }),
  refused(
    'an answer that nobody asked for',
    [
      syn(own.public4, 80, {}, { flags: 'SA', sport: 41_007 }),
      syn(own.public4, 80, {}, { flags: 'R', sport: 41_008 }),
    ],
    { why: invalid },
  ),
  refused(
    'an echo reply that nobody asked for',
    [[ip(own.public4), ['ICMP', { type: 0, id: 999 }], ['Raw', { load: 'MARK' }]]],
    { why: invalid },
  ),
  refused(
    'flags that no connection has',
    ['', 'FSRPAU', 'SF', 'SR', 'FPU'].map((flags) =>
      syn(own.public4, 81, {}, { flags, sport: 41_100 }),
    ),
    { why: invalid },
  ),
  refused('a header that is cut short', [cut(own.nas4), cut(own.public4)], { why: invalid }),
  refused('many groups at once', [udp('239.1.2.3', 1900), udp('ff0e::c', 1900), echo('ff02::16')], {
    why: home,
    keptByKernel: 'nobody has joined these groups',
  }),
  refused(
    'the tail of a packet whose head never comes, to the NAS',
    [protocol(17, own.nas4, { frag: 100, id: 991 })],
    {
      why: home,
      keptByKernel: 'connection tracking waits for the head',
    },
  ),
  refused('port 25 under a piece with port 80', overlapping(), {
    why: 'the ports that spam is sent from are refused',
  }),
  refused('port 25 cut through the middle of its header', tiny(), {
    why: 'the ports that spam is sent from are refused',
  }),
];

function wrapped(to: string, number: number): Packet {
  const inner: Packet = number === 41 ? udp(own.nas6) : udp(own.nas4);
  const fields = to.includes(':') ? { nh: number } : { proto: number };
  if (number === 4 || number === 41) return [ip(to, fields), ...inner];
  if (number === 47) return [ip(to, fields), ['GRE', {}], ...inner];
  return protocol(number, to);
}

/** An error whose inner packet went from one address to another. */
function icmpError(to: string, from: string, about: string, port = 9000): Packet {
  return [
    ip(to),
    ['ICMP', { type: 3, code: 4, nexthopmtu: 576 }],
    ['IP', { src: from, dst: about }],
    ['UDP', { sport: port, dport: port }],
    ['Raw', { load: 'MARK' }],
  ];
}

function icmpError6(to: string, from: string, about: string): Packet {
  return [
    ip(to),
    ['ICMPv6PacketTooBig', { mtu: 1280 }],
    ['IPv6', { src: from, dst: about }],
    ['UDP', { sport: 9000, dport: 9000 }],
    ['Raw', { load: 'MARK' }],
  ];
}

function redirect(to: string): Packet {
  return [
    ip(to, { src: own.router4 }),
    ['ICMP', { type: 5, code: 1, gw: own.nas4 }],
    ['IP', { src: own.device4, dst: own.public4 }],
    ['UDP', { sport: 9000, dport: 9000 }],
    ['Raw', { load: 'MARK' }],
  ];
}

/** TCP whose header says that it is longer than the packet. */
function cut(to: string): Packet {
  return [ip(to, { proto: 6 }), ['Raw', { load: { hex: '9c4100500000000100000000f002MARK' } }]];
}

function overlapping(): readonly Packet[] {
  const header = (port: string) => `9c41${port}00000001000000005002ffff00000000`;
  return [
    [
      ip(own.public4, { proto: 6, id: 4713, flags: 1 }),
      ['Raw', { load: { hex: `${header('0019')}deadbeefMARK` } }],
    ],
    [
      ip(own.public4, { proto: 6, id: 4713, flags: 1 }),
      ['Raw', { load: { hex: `${header('0050')}deadbeefMARK` } }],
    ],
    [
      ip(own.public4, { proto: 6, id: 4713, frag: 4 }),
      ['Raw', { load: { hex: `MARK${'00'.repeat(16)}` } }],
    ],
  ];
}

function tiny(): readonly Packet[] {
  return [
    [
      ip(own.public4, { proto: 6, id: 4714, flags: 1 }),
      ['Raw', { load: { hex: '9c41001900000001' } }],
    ],
    [
      ip(own.public4, { proto: 6, id: 4714, frag: 1, flags: 1 }),
      ['Raw', { load: { hex: '000000005002ffff' } }],
    ],
    [
      ip(own.public4, { proto: 6, id: 4714, frag: 2 }),
      ['Raw', { load: { hex: '00000000deadbeefMARK' } }],
    ],
  ];
}
