import { addWords, toChecksum } from '../../../src/connect/packet/checksum.ts';
import {
  checksumPlace,
  coversAddresses,
  readIpHeader,
} from '../../../src/connect/packet/ip-packet.ts';
import {
  sumPseudoHeader,
  writeChecksum,
  writeHeaderChecksum,
} from '../../../src/connect/packet/packet-sums.ts';

/** Packets for tests, with right checksums. */
export interface PacketOptions {
  readonly version: 4 | 6;
  readonly protocol: number;
  readonly payload: Buffer;
  readonly source?: Buffer;
  readonly destination?: Buffer;
  readonly sequence?: number;
  readonly flags?: number;
}

export const address = (version: 4 | 6, last: number): Buffer => {
  const bytes = Buffer.alloc(version === 4 ? 4 : 16, version === 4 ? 10 : 0xfd);
  bytes[bytes.length - 1] = last;
  return bytes;
};

export function makePacket(options: PacketOptions): Buffer {
  const { version, protocol, payload } = options;
  const transport = makeTransport(options);
  const header = Buffer.alloc(version === 4 ? 20 : 40);
  const bytes = Buffer.concat([header, transport, payload]);
  const source = options.source ?? address(version, 1);
  const destination = options.destination ?? address(version, 2);
  if (version === 4) {
    bytes[0] = 0x45;
    bytes.writeUInt16BE(bytes.length, 2);
    bytes.writeUInt16BE(0x1234, 4);
    bytes[8] = 64;
    bytes[9] = protocol;
    source.copy(bytes, 12);
    destination.copy(bytes, 16);
  } else {
    bytes[0] = 0x60;
    bytes.writeUInt16BE(bytes.length - 40, 4);
    bytes[6] = protocol;
    bytes[7] = 64;
    source.copy(bytes, 8);
    destination.copy(bytes, 24);
  }
  const packet = readIpHeader(bytes);
  if (packet === undefined) throw new Error('the test made no sound packet');
  if (version === 4) writeHeaderChecksum(bytes, packet);
  writeChecksum(bytes, packet);
  return bytes;
}

/** Whether every checksum of a packet is right; one that is not there is. */
export function isSound(bytes: Buffer): boolean {
  const packet = readIpHeader(bytes);
  if (packet === undefined) return false;
  if (packet.version === 4 && toChecksum(addWords(0, bytes, { from: 0, to: packet.headerLength })))
    return false;
  const place = checksumPlace(packet);
  if (place === undefined || packet.isFragment) return true;
  const start = coversAddresses(packet) ? sumPseudoHeader(bytes, packet) : 0;
  return toChecksum(addWords(start, bytes, { from: packet.headerLength, to: bytes.length })) === 0;
}

function makeTransport({ protocol, payload, sequence, flags }: PacketOptions): Buffer {
  if (protocol === 6) {
    const tcp = Buffer.alloc(32, 1);
    tcp.writeUInt16BE(443, 0);
    tcp.writeUInt16BE(40_000, 2);
    tcp.writeUInt32BE(sequence ?? 0xffff_f000, 4);
    tcp[12] = 8 << 4;
    tcp[13] = flags ?? 0x10;
    return tcp;
  }
  const short = Buffer.alloc(8);
  if (protocol === 17) {
    short.writeUInt16BE(53, 0);
    short.writeUInt16BE(5353, 2);
    short.writeUInt16BE(8 + payload.length, 4);
  } else short[0] = 8;
  return short;
}
