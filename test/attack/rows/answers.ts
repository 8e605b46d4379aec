import { ip, attackAddresses as own, type Packet, syn, udp } from '../packet-data.ts';
import type { Row } from '../row.ts';

const why = "a consumer's connection opens nothing of the device to the Internet";
const stranger4 = '9.9.9.8';
const stranger6 = '2606:4700::2222';

/** What a stranger on the Internet sends after a consumer has spoken. */
export const answerRows: readonly Row[] = [
  following(
    'a stranger answers a consumer instead',
    udp(own.public4, 9000, {}, { sport: 41_200 }),
    udpFrom(stranger4, 9000, own.device4),
  ),
  following(
    'another port answers a consumer',
    udp(own.public4, 9000, {}, { sport: 41_201 }),
    udpFrom(own.public4, 9001, own.device4),
  ),
  following(
    'a stranger answers a consumer instead, over IPv6',
    udp(own.public6, 9000, {}, { sport: 41_202 }),
    udpFrom(stranger6, 9000, own.device6),
  ),
  following(
    'another port answers a consumer, over IPv6',
    udp(own.public6, 9000, {}, { sport: 41_203 }),
    udpFrom(own.public6, 9001, own.device6),
  ),
  following(
    'a stranger connects to where a consumer came from',
    syn(own.public4, 80, {}, { sport: 41_204 }),
    tcpFrom(stranger4, 80, own.device4),
  ),
  following(
    'a server connects to the next port',
    syn(own.public4, 80, {}, { sport: 41_206 }),
    tcpFrom(own.public4, 80, own.device4, 41_207),
  ),
  following(
    "an assistant's words open a port for the server",
    ftp(),
    tcpFrom(own.public4, 20, own.device4, 41_300),
  ),
  following(
    "an assistant's words open a port of the NAS",
    ftp(),
    tcpFrom(own.public4, 20, own.nas4, 41_300),
  ),
];

function udpFrom(source: string, sourcePort: number, to: string): Packet {
  return [
    ip(to, { src: source }),
    ['UDP', { sport: sourcePort, dport: 'SEEN' }],
    ['Raw', { load: 'MARK' }],
  ];
}

function tcpFrom(
  source: string,
  sourcePort: number,
  to: string,
  port: number | 'SEEN' = 'SEEN',
): Packet {
  return [
    ip(to, { src: source }),
    ['TCP', { sport: sourcePort, dport: port, flags: 'S' }],
    ['Raw', { load: 'MARK' }],
  ];
}

/** FTP names address and port where the server is to connect to; 161 × 256 + 84 is 41300. */
function ftp(): Packet {
  const words = Buffer.from('PORT 192,168,77,20,161,84\r\n').toString('hex');
  return [
    ip(own.public4),
    ['TCP', { sport: 41_205, dport: 21, flags: 'S' }],
    ['Raw', { load: { hex: `${words}MARK` } }],
  ];
}

/** First a consumer sends; what comes back is known apart by where it may not be seen. */
function following(name: string, first: Packet, then: Packet): Row {
  return {
    name,
    family: first[0]?.[0] === 'IPv6' ? 6 : 4,
    steps: [
      { from: 'tunnel', packets: [first], waitMs: 30 },
      { from: 'uplink', packets: [then] },
    ],
    never: ['tunnel', 'device'],
    why,
  };
}
