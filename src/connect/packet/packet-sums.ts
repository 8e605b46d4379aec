import { addWords, toChecksum } from './checksum.ts';
import {
  addressPlaces,
  checksumPlace,
  coversAddresses,
  type IpPacket,
  protocols,
} from './ip-packet.ts';

/** Writes the checksum of an IPv4 header. */
export function writeHeaderChecksum(bytes: Buffer, packet: IpPacket): void {
  bytes.writeUInt16BE(0, 10);
  bytes.writeUInt16BE(toChecksum(addWords(0, bytes, { from: 0, to: packet.headerLength })), 10);
}

/** Writes the transport's checksum. */
export function writeChecksum(bytes: Buffer, packet: IpPacket): void {
  const place = checksumPlace(packet);
  if (place === undefined || packet.isFragment) return;
  bytes.writeUInt16BE(0, place);
  const start = coversAddresses(packet) ? sumPseudoHeader(bytes, packet) : 0;
  const sum = toChecksum(addWords(start, bytes, { from: packet.headerLength, to: bytes.length }));
  const isUdp = packet.protocol === protocols.udp;
  bytes.writeUInt16BE(isUdp && sum === 0 ? 0xffff : sum, place);
}

/** Addresses, protocol and length, which the transport's checksum covers too. */
export function sumPseudoHeader(bytes: Buffer, packet: IpPacket): number {
  const { source, length } = addressPlaces[packet.version];
  const start = packet.protocol + bytes.length - packet.headerLength;
  return addWords(start, bytes, { from: source, to: source + 2 * length });
}
