import { type IpPacket, protocols } from './ip-packet.ts';
import { writeHeaderChecksum } from './packet-sums.ts';

/**
 * Cuts a packet that is too long into fragments of at most `most` bytes. "Do not fragment" is not
 * heeded: it is meant for the path, and consumers' devices take nothing longer whatever it says.
 */
export function cutIntoFragments(bytes: Buffer, packet: IpPacket, most: number): readonly Buffer[] {
  return packet.version === 4 ? cutIpv4(bytes, packet, most) : cutIpv6(bytes, packet, most);
}

const moreFollow = 0x2000;
const offsetBits = 0x1fff;

function cutIpv4(bytes: Buffer, packet: IpPacket, most: number): readonly Buffer[] {
  const header = packet.headerLength;
  const size = (most - header) & ~7;
  const before = bytes.readUInt16BE(6);
  const fragments: Buffer[] = [];
  for (let from = header; from < bytes.length; from += size) {
    const to = Math.min(bytes.length, from + size);
    const fragment = Buffer.concat([bytes.subarray(0, header), bytes.subarray(from, to)]);
    const more = to < bytes.length ? moreFollow : before & moreFollow;
    fragment.writeUInt16BE(fragment.length, 2);
    fragment.writeUInt16BE(more | ((before & offsetBits) + (from - header) / 8), 6);
    writeHeaderChecksum(fragment, packet);
    fragments.push(fragment);
  }
  return fragments;
}

const fragmentHeaderLength = 8;

function cutIpv6(bytes: Buffer, packet: IpPacket, most: number): readonly Buffer[] {
  // A fragment cannot be cut again without its sender, and headers before the transport's stay
  // whole.
  if (packet.isFragment || packet.headerLength !== 40) return [];
  const size = (most - 40 - fragmentHeaderLength) & ~7;
  // All fragments of a packet have one, and the next packet has another: the transport's checksum
  // is as good as random.
  const identification = bytes.readUInt32BE(44);
  const fragments: Buffer[] = [];
  for (let from = 40; from < bytes.length; from += size) {
    const to = Math.min(bytes.length, from + size);
    const extra = Buffer.alloc(fragmentHeaderLength);
    extra[0] = packet.protocol;
    extra.writeUInt16BE((from - 40) | (to < bytes.length ? 1 : 0), 2);
    extra.writeUInt32BE(identification, 4);
    const fragment = Buffer.concat([bytes.subarray(0, 40), extra, bytes.subarray(from, to)]);
    fragment[6] = protocols.fragment6;
    fragment.writeUInt16BE(fragment.length - 40, 4);
    fragments.push(fragment);
  }
  return fragments;
}
