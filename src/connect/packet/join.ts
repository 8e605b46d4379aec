import { foldSum } from './checksum.ts';
import { virtioHeaderLength } from './cut.ts';
import { addressPlaces, type IpPacket, protocols, readIpHeader } from './ip-packet.ts';
import { sumPseudoHeader, writeHeaderChecksum } from './packet-sums.ts';

/**
 * Joins packets of one TCP flow that follow each other, so that the kernel is given up to 64 KiB at
 * once: a write for each packet is many times slower. `add` may write what was joined before,
 * `flush` writes the rest; a caller flushes at the end of each turn, so that nothing waits. Packets
 * keep their order within a flow.
 */
export interface Joiner {
  add(packet: Buffer): void;
  flush(): void;
}

/** `write` takes a virtio header and a packet; the buffer is used again afterwards. */
export function createJoiner(write: (bytes: Buffer) => void): Joiner {
  const buffer = Buffer.alloc(virtioHeaderLength + mostBytes);
  let joined: Joined | undefined;

  const flush = (): void => {
    if (joined === undefined) return;
    const bytes = buffer.subarray(0, virtioHeaderLength + joined.length);
    buffer.fill(0, 0, virtioHeaderLength);
    if (joined.count > 1) describe(bytes, joined);
    joined = undefined;
    write(bytes);
  };

  const begin = (bytes: Buffer, packet: IpPacket): void => {
    bytes.copy(buffer, virtioHeaderLength, 0, packet.length);
    const segment = readSegment(bytes, packet);
    const segmentBytes = segment?.payload ?? 0;
    joined = {
      packet,
      length: packet.length,
      count: 1,
      segmentBytes,
      headers: segment?.headers ?? 0,
      next: ((segment?.sequence ?? 0) + segmentBytes) >>> 0,
    };
    if (segment === undefined || segmentBytes === 0 || !segment.mayGrow) flush();
  };

  const append = (to: Joined, bytes: Buffer, segment: Segment): void => {
    bytes.copy(
      buffer,
      virtioHeaderLength + to.length,
      segment.headers,
      segment.headers + segment.payload,
    );
    to.length += segment.payload;
    to.next = (to.next + segment.payload) >>> 0;
    to.count++;
    const flags = virtioHeaderLength + to.packet.headerLength + 13;
    buffer[flags] = (buffer[flags] as number) | segment.flags;
    if (segment.payload < to.segmentBytes || !segment.mayGrow) flush();
  };

  return {
    flush,
    add(bytes) {
      const packet = readIpHeader(bytes);
      if (packet === undefined) return;
      const segment = joined === undefined ? undefined : readSegment(bytes, packet);
      if (
        joined !== undefined &&
        segment !== undefined &&
        follows(buffer, joined, { bytes, packet, segment })
      ) {
        append(joined, bytes, segment);
        return;
      }
      flush();
      begin(bytes, packet);
    },
  };
}

/** What the header's 16 bits of length hold. */
const mostBytes = 65_535;
const tcpSegments = { 4: 1, 6: 4 } as const;
const acknowledges = 0x10;
const pushes = 0x08;

interface Joined {
  readonly packet: IpPacket;
  readonly headers: number;
  /** Of each segment but the last. */
  readonly segmentBytes: number;
  length: number;
  count: number;
  /** The sequence number that follows. */
  next: number;
}

interface Segment {
  readonly headers: number;
  readonly payload: number;
  readonly sequence: number;
  readonly flags: number;
  /** Nothing in it ends a run: no urgent data, no end, no push. */
  readonly mayGrow: boolean;
}

function readSegment(bytes: Buffer, packet: IpPacket): Segment | undefined {
  if (packet.protocol !== protocols.tcp || packet.isFragment) return undefined;
  const tcp = packet.headerLength;
  const headers = tcp + ((bytes[tcp + 12] as number) >> 4) * 4;
  const flags = bytes[tcp + 13] as number;
  return {
    headers,
    payload: packet.length - headers,
    sequence: bytes.readUInt32BE(tcp + 4),
    flags,
    mayGrow: flags === acknowledges,
  };
}

/** It is of the same flow, has the next bytes, and one header is enough for both. */
function follows(
  buffer: Buffer,
  joined: Joined,
  {
    bytes,
    packet,
    segment,
  }: { readonly bytes: Buffer; readonly packet: IpPacket; readonly segment: Segment },
): boolean {
  const isNext = segment.sequence === joined.next && segment.payload > 0;
  const fits =
    segment.payload <= joined.segmentBytes && joined.length + segment.payload <= mostBytes;
  const isPlain = (segment.flags & ~pushes) === acknowledges;
  if (!isNext || !fits || !isPlain || packet.version !== joined.packet.version) return false;
  if (segment.headers !== joined.headers || packet.headerLength !== joined.packet.headerLength)
    return false;
  const isSame = (from: number, to: number): boolean =>
    bytes.compare(buffer, virtioHeaderLength + from, virtioHeaderLength + to, from, to) === 0;
  const { source, length } = addressPlaces[packet.version];
  const tcp = packet.headerLength;
  return (
    isSame(0, 2) &&
    isSame(6, 10) &&
    isSame(source, source + 2 * length) &&
    isSame(tcp, tcp + 4) &&
    isSame(tcp + 8, tcp + 13) &&
    isSame(tcp + 14, tcp + 16) &&
    isSame(tcp + 20, segment.headers)
  );
}

/** Tells the kernel how it is cut, and which sum is left to it. */
function describe(bytes: Buffer, { packet, headers, segmentBytes, length }: Joined): void {
  const tcp = packet.headerLength;
  bytes[0] = 1;
  bytes[1] = tcpSegments[packet.version];
  bytes.writeUInt16LE(headers, 2);
  bytes.writeUInt16LE(segmentBytes, 4);
  bytes.writeUInt16LE(tcp, 6);
  bytes.writeUInt16LE(16, 8);
  const inner = bytes.subarray(virtioHeaderLength);
  if (packet.version === 6) inner.writeUInt16BE(length - 40, 4);
  else {
    inner.writeUInt16BE(length, 2);
    writeHeaderChecksum(inner, packet);
  }
  // The sum of the addresses alone: the kernel adds the rest when it cuts.
  inner.writeUInt16BE(foldSum(sumPseudoHeader(inner, packet)), tcp + 16);
}
