import { type Chain, chain, type Rule, refuse, rule } from './rule.ts';

/*
 * BitTorrent by the first bytes of what a consumer sends, whatever the port: what opens a
 * conversation is refused, so none begins. All is compared at fixed places, and only what is long
 * or odd enough that nothing else begins so by chance. What a client encrypts has no such bytes
 * and passes.
 */

/** BEP 3: the first bytes from one peer to another. */
const handshake = Buffer.from('\x13BitTorrent protocol', 'latin1');
/** BEP 3: how most clients ask a tracker over HTTP. */
const announce = Buffer.from('GET /announce?info_hash=', 'latin1');
/** BEP 5: questions and answers of the distributed table, whose keys are always in this order. */
const tableQuestion = Buffer.from('d1:ad2:id20:', 'latin1');
const tableAnswer = Buffer.from('d1:rd2:id20:', 'latin1');
/** BEP 15: a fixed number, and 0 for "connect": how a tracker is asked over UDP. */
const trackerConnect = Buffer.from('000004172710198000000000', 'hex');

/** Most bytes that nft compares at once. */
const mostBytes = 16;
const udpHeader = 8;
const microHeader = 20;

/** Numbers of 32-bit words that a TCP header may have. */
const tcpWords = [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] as const;

/** The chain for TCP whose header has so many words. */
const nameTcpChain = (words: number) => `tcp_bytes_${words}`;

/** The rules that send a packet to the chains below; TCP's first bytes lie behind its options. */
export function listSharingRules(): Readonly<Record<'tcp' | 'udp', Rule>> {
  const byWords = tcpWords.map((words) => `${words} : goto ${nameTcpChain(words)}`);
  return {
    tcp: rule('first-bytes-tcp', `tcp doff vmap { ${byWords.join(', ')} }`),
    udp: rule('first-bytes-udp', 'meta l4proto udp goto udp_bytes'),
  };
}

/** The chains that look at the first bytes. */
export function listSharingChains(): readonly Chain[] {
  const refused = refuse('refused_sharing');
  const openings = [tableQuestion, tableAnswer, trackerConnect].map(toNumber);
  return [
    ...tcpWords.map((words) =>
      chain(nameTcpChain(words), [
        rule('handshake', `${matchBytes(words * 4, handshake)} ${refused}`),
        rule('announce', `${matchBytes(words * 4, announce)} ${refused}`),
      ]),
    ),
    chain('udp_bytes', [
      rule(
        'table-and-tracker',
        `${loadBytes(udpHeader, tableQuestion.length)} { ${openings.join(', ')} } ${refused}`,
      ),
      // BEP 29, version 1: the packet that opens a connection is its header alone, of the kind 4,
      // with nothing heard yet (4 bytes at 8) and nothing to acknowledge (2 bytes at 18). In a
      // relay's channel (TURN) the second word would be a length, 16 here.
      rule(
        'micro-begin',
        [
          `udp length ${udpHeader + microHeader}`,
          matchBytes(udpHeader, Buffer.from([0x41, 0x00])),
          `${loadBytes(udpHeader + 2, 2)} != ${microHeader - 4}`,
          matchBytes(udpHeader + 8, Buffer.alloc(4)),
          matchBytes(udpHeader + 18, Buffer.alloc(2)),
          refused,
        ].join(' '),
      ),
      // The peers' first bytes in a connection that was opened before.
      rule(
        'micro-handshake',
        `${matchBytes(udpHeader, Buffer.from([0x01]))} ${matchBytes(udpHeader + microHeader, handshake)} ${refused}`,
      ),
    ]),
  ];
}

/** True where these bytes are so far (in bytes) behind the begin of the transport's header. */
function matchBytes(offset: number, bytes: Buffer): string {
  const parts = Array.from({ length: Math.ceil(bytes.length / mostBytes) }, (_, index) => {
    const part = bytes.subarray(index * mostBytes, (index + 1) * mostBytes);
    return `${loadBytes(offset + index * mostBytes, part.length)} ${toNumber(part)}`;
  });
  return parts.join(' ');
}

function loadBytes(offset: number, length: number): string {
  return `@th,${offset * 8},${length * 8}`;
}

function toNumber(bytes: Buffer): string {
  return `0x${bytes.toString('hex')}`;
}
