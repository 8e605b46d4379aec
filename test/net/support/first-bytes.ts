/** What a program says first, and over what. */
export interface FirstBytes {
  readonly name: string;
  readonly protocol: 'tcp' | 'udp';
  readonly bytes: Buffer;
}

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const latin = (text: string) => Buffer.from(text, 'latin1');
/** Bytes without a meaning, the same in each run. */
const noise = (length: number) =>
  Buffer.from(Array.from({ length }, (_, index) => (index * 167 + 13) & 0xff));
const handshake = latin('\x13BitTorrent protocol');

/** What BitTorrent programs begin with. */
export const sharingBytes: readonly FirstBytes[] = [
  {
    name: 'the handshake of peers',
    protocol: 'tcp',
    bytes: Buffer.concat([handshake, noise(48)]),
  },
  {
    name: 'the question to a tracker by HTTP',
    protocol: 'tcp',
    bytes: latin('GET /announce?info_hash=%12%34 HTTP/1.1\r\nHost: tracker.example\r\n\r\n'),
  },
  {
    name: 'the question to a tracker by UDP',
    protocol: 'udp',
    bytes: hex('00000417 27101980 00000000 1a2b3c4d'),
  },
  {
    name: 'a question of the distributed table',
    protocol: 'udp',
    bytes: Buffer.concat([latin('d1:ad2:id20:'), noise(20), latin('e1:q4:ping1:t2:aa1:y1:qe')]),
  },
  {
    name: 'an answer of the distributed table',
    protocol: 'udp',
    bytes: Buffer.concat([latin('d1:rd2:id20:'), noise(20), latin('e1:t2:aa1:y1:re')]),
  },
  {
    name: 'the begin of a micro transport connection',
    protocol: 'udp',
    bytes: hex('4100 8a3f 5e2c0911 00000000 00100000 0001 0000'),
  },
  {
    name: 'the handshake of peers in a micro transport connection',
    protocol: 'udp',
    bytes: Buffer.concat([
      hex('0100 8a40 5e2c1911 00001000 00100000 0002 0001'),
      handshake,
      noise(48),
    ]),
  },
];

/** What other programs begin with, and what comes close to the above without being it. */
export const ordinaryBytes: readonly FirstBytes[] = [
  {
    name: 'a web page by HTTP',
    protocol: 'tcp',
    bytes: latin('GET /announcements?info=1 HTTP/1.1\r\nHost: www.example\r\n\r\n'),
  },
  {
    name: 'a page named announce',
    protocol: 'tcp',
    bytes: latin('GET /announce?id=1 HTTP/1.1\r\nHost: www.example\r\n\r\n'),
  },
  {
    name: 'a page about BitTorrent',
    protocol: 'tcp',
    bytes: latin(
      'POST /x HTTP/1.1\r\nHost: a\r\n\r\n\x13BitTorrent protocol info_hash= d1:ad2:id20:',
    ),
  },
  {
    name: 'TLS',
    protocol: 'tcp',
    bytes: Buffer.concat([hex('16030100c8 010000c4 0303'), noise(194)]),
  },
  { name: 'SSH', protocol: 'tcp', bytes: latin('SSH-2.0-OpenSSH_9.6\r\n') },
  {
    name: 'a name asked for',
    protocol: 'udp',
    bytes: hex('4100 0100 0001 0000 0000 0000 0161026465 00 0001 0001'),
  },
  {
    name: 'a name of two letters asked for, in 20 bytes',
    protocol: 'udp',
    bytes: hex('4100 0100 0001 0000 0000 0000 02646500 0001 0001'),
  },
  {
    name: 'QUIC, its first packet',
    protocol: 'udp',
    bytes: Buffer.concat([hex('c300000001 08'), noise(1194)]),
  },
  {
    name: 'QUIC, a short one of 20 bytes',
    protocol: 'udp',
    bytes: Buffer.concat([hex('4100'), noise(18)]),
  },
  {
    name: 'WireGuard, its first packet',
    protocol: 'udp',
    bytes: Buffer.concat([hex('01000000'), noise(144)]),
  },
  {
    name: 'WireGuard, data',
    protocol: 'udp',
    bytes: Buffer.concat([hex('04000000'), noise(60)]),
  },
  {
    name: 'STUN',
    protocol: 'udp',
    bytes: Buffer.concat([hex('0001 0000 2112a442'), noise(12)]),
  },
  {
    name: "a relay's channel with 16 bytes in it",
    protocol: 'udp',
    bytes: hex('4100 0010 5e2c0911 00000000 00100000 0001 0000'),
  },
  {
    name: 'DTLS',
    protocol: 'udp',
    bytes: Buffer.concat([hex('16fefd0000000000000000'), noise(80)]),
  },
  { name: 'RTP', protocol: 'udp', bytes: Buffer.concat([hex('8060'), noise(170)]) },
  { name: 'the time of day', protocol: 'udp', bytes: Buffer.concat([hex('23000000'), noise(44)]) },
  {
    name: 'a micro transport packet of a running connection',
    protocol: 'udp',
    bytes: Buffer.concat([hex('0100 8a40 5e2c1911 00001000 00100000 0002 0001'), noise(100)]),
  },
  { name: 'one byte', protocol: 'udp', bytes: hex('41') },
  { name: 'nothing', protocol: 'udp', bytes: hex('') },
];
