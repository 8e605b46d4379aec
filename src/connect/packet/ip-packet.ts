/** What is needed of a packet's headers. Every offset lies within the packet. */
export interface IpPacket {
  readonly version: 4 | 6;
  /** Of the header in front of the transport's, extension headers included. */
  readonly headerLength: number;
  readonly protocol: number;
  /** The whole packet, as its header says; bytes after it are padding. */
  readonly length: number;
  /** Not the first fragment: there is no transport header. */
  readonly isLaterFragment: boolean;
  readonly isFragment: boolean;
}

export const protocols = { icmp: 1, tcp: 6, udp: 17, icmp6: 58, fragment6: 44 } as const;
/** Where addresses are, by version. */
export const addressPlaces = {
  4: { source: 12, destination: 16, length: 4 },
  6: { source: 8, destination: 24, length: 16 },
} as const;

/** Reads an IP packet's headers. Undefined for whatever is no sound packet. */
export function readIpHeader(bytes: Buffer): IpPacket | undefined {
  if (bytes.length < 20) return undefined;
  const version = (bytes[0] as number) >> 4;
  if (version === 4) return readIpv4(bytes);
  return version === 6 && bytes.length >= 40 ? readIpv6(bytes) : undefined;
}

function readIpv4(bytes: Buffer): IpPacket | undefined {
  const headerLength = ((bytes[0] as number) & 15) * 4;
  const length = bytes.readUInt16BE(2);
  if (headerLength < 20 || length < headerLength || length > bytes.length) return undefined;
  const fragment = bytes.readUInt16BE(6);
  return check(bytes, {
    version: 4,
    headerLength,
    protocol: bytes[9] as number,
    length,
    isLaterFragment: (fragment & 0x1fff) !== 0,
    isFragment: (fragment & 0x3fff) !== 0,
  });
}

function readIpv6(bytes: Buffer): IpPacket | undefined {
  const length = 40 + bytes.readUInt16BE(4);
  if (length > bytes.length) return undefined;
  let protocol = bytes[6] as number;
  let headerLength = 40;
  let fragment = 0;
  let isFragment = false;
  for (let count = 0; isExtension(protocol); count++) {
    if (count === mostExtensions || headerLength + 8 > length) return undefined;
    const isThis = protocol === protocols.fragment6;
    if (isThis) fragment = bytes.readUInt16BE(headerLength + 2) & 0xfff8;
    isFragment ||= isThis;
    protocol = bytes[headerLength] as number;
    headerLength += isThis ? 8 : 8 * ((bytes[headerLength + 1] as number) + 1);
  }
  if (headerLength > length) return undefined;
  return check(bytes, {
    version: 6,
    headerLength,
    protocol,
    length,
    isLaterFragment: fragment !== 0,
    isFragment,
  });
}

/** Transport headers must be there, whole, where the packet has any. */
function check(bytes: Buffer, packet: IpPacket): IpPacket | undefined {
  if (packet.isLaterFragment) return packet;
  const room = packet.length - packet.headerLength;
  if (room < (transportLengths.get(packet.protocol) ?? 0)) return undefined;
  if (packet.protocol !== protocols.tcp) return packet;
  const tcpLength = ((bytes[packet.headerLength + 12] as number) >> 4) * 4;
  return tcpLength >= 20 && tcpLength <= room ? packet : undefined;
}

const transportLengths: ReadonlyMap<number, number> = new Map([
  [protocols.tcp, 20],
  [protocols.udp, 8],
  [protocols.icmp, 8],
  [protocols.icmp6, 4],
]);
/** A chain of headers may be endless; nobody needs more than these. */
const mostExtensions = 6;
/** Hop-by-hop, routing, fragment, destination options. */
function isExtension(protocol: number): boolean {
  return protocol === 0 || protocol === 43 || protocol === protocols.fragment6 || protocol === 60;
}

/** Where the checksum of a protocol is in the packet. */
export function checksumPlace(packet: IpPacket): number | undefined {
  if (packet.isLaterFragment) return undefined;
  if (packet.protocol === protocols.tcp) return packet.headerLength + 16;
  if (packet.protocol === protocols.udp) return packet.headerLength + 6;
  if (packet.protocol === protocols.icmp && packet.version === 4) return packet.headerLength + 2;
  if (packet.protocol === protocols.icmp6 && packet.version === 6) return packet.headerLength + 2;
  return undefined;
}

/** ICMP over IPv4 alone sums no addresses. */
export function coversAddresses(packet: IpPacket): boolean {
  return packet.protocol !== protocols.icmp;
}
