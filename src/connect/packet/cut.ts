import { largestPacket } from '../wire/message-types.ts';
import { cutIntoFragments } from './fragment.ts';
import { type IpPacket, protocols, readIpHeader } from './ip-packet.ts';
import { writeChecksum, writeHeaderChecksum } from './packet-sums.ts';

/** In front of each packet, the kernel says what is left to do: segments, checksums. */
export const virtioHeaderLength = 10;

/**
 * Cuts what one read of the device gave (a virtio header and up to 64 KiB of one flow) into packets
 * of at most 1,100 bytes with their checksums, in order. Each is a buffer of its own. What is no
 * sound packet gives none.
 */
export function cutPackets(read: Buffer): readonly Buffer[] {
  if (read.length < virtioHeaderLength) return [];
  const bytes = read.subarray(virtioHeaderLength);
  const packet = readIpHeader(bytes);
  if (packet === undefined) return [];
  const whole = bytes.subarray(0, packet.length);
  const isOneOfMany = read[1] !== 0;
  if (packet.protocol === protocols.tcp && !packet.isFragment)
    if (isOneOfMany || packet.length > largestPacket)
      return cutTcp(whole, packet, isOneOfMany ? read.readUInt16LE(4) : packet.length);
  const own = Buffer.from(whole);
  if (((read[0] as number) & needsChecksum) !== 0) writeChecksum(own, packet);
  return own.length <= largestPacket ? [own] : cutIntoFragments(own, packet, largestPacket);
}

/** The kernel left the transport's checksum to the hardware, which is us. */
const needsChecksum = 1;
/** With longer ones, each cut would carry more of headers than of the flow. */
const mostHeaders = 512;
const finOrPush = 0x09;
/** Congestion was seen, and the sender slowed down: said once, by the first segment. */
const congestionReduced = 0x80;

function cutTcp(bytes: Buffer, packet: IpPacket, kernelSize: number): readonly Buffer[] {
  const tcp = packet.headerLength;
  const headers = tcp + ((bytes[tcp + 12] as number) >> 4) * 4;
  if (headers > mostHeaders) return [];
  const size = Math.max(1, Math.min(kernelSize, largestPacket - headers));
  const flags = bytes[tcp + 13] as number;
  const sequence = bytes.readUInt32BE(tcp + 4);
  const segments: Buffer[] = [];
  let from = headers;
  do {
    const to = Math.min(bytes.length, from + size);
    const segment = Buffer.allocUnsafe(headers + to - from);
    bytes.copy(segment, 0, 0, headers);
    bytes.copy(segment, headers, from, to);
    segment.writeUInt32BE((sequence + from - headers) >>> 0, tcp + 4);
    const isLast = to === bytes.length;
    const kept = isLast ? flags : flags & ~finOrPush;
    segment[tcp + 13] = from === headers ? kept : kept & ~congestionReduced;
    writeLengths(segment, packet, segments.length);
    writeChecksum(segment, packet);
    segments.push(segment);
    from = to;
  } while (from < bytes.length);
  return segments;
}

/** The lengths in the IP header, and in IPv4 an id for each segment and the header's checksum. */
function writeLengths(segment: Buffer, packet: IpPacket, index: number): void {
  if (packet.version === 6) {
    segment.writeUInt16BE(segment.length - 40, 4);
    return;
  }
  segment.writeUInt16BE(segment.length, 2);
  segment.writeUInt16BE((segment.readUInt16BE(4) + index) & 0xffff, 4);
  writeHeaderChecksum(segment, packet);
}
