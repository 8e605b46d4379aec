import { exchange, updateChecksum } from './checksum.ts';
import {
  addressPlaces,
  checksumPlace,
  coversAddresses,
  type IpPacket,
  protocols,
} from './ip-packet.ts';

/** Which of a packet's two addresses is meant. */
export type AddressPlace = 'source' | 'destination';

export function readAddress(bytes: Buffer, packet: IpPacket, place: AddressPlace): Buffer {
  const { length, [place]: at } = addressPlaces[packet.version];
  return bytes.subarray(at, at + length);
}

/**
 * Writes another address of the same family into a packet, in place, and corrects what sums it: the
 * header and the transport's checksum.
 */
export function rewriteAddress(
  bytes: Buffer,
  packet: IpPacket,
  to: { readonly place: AddressPlace; readonly address: Buffer },
): void {
  const change = exchange(bytes, addressPlaces[packet.version][to.place], to.address);
  if (packet.version === 4) correct(bytes, 10, change);
  const place = coversAddresses(packet) ? checksumPlace(packet) : undefined;
  if (place === undefined) return;
  // UDP over IPv4 may have none, and says so by 0; then a sum of 0 is written as its other form.
  const isUdp = packet.protocol === protocols.udp;
  if (isUdp && bytes.readUInt16BE(place) === 0) return;
  correct(bytes, place, change);
  if (isUdp && bytes.readUInt16BE(place) === 0) bytes.writeUInt16BE(0xffff, place);
}

/**
 * The packet that an ICMP error is about is quoted in it, with the address that we gave it: its
 * sender knows it by its own. Rewrites the source of that quotation, if there is one.
 */
export function rewriteQuotedSource(bytes: Buffer, packet: IpPacket, address: Buffer): void {
  if (packet.isFragment || !isError(bytes, packet)) return;
  const quoted = bytes.subarray(packet.headerLength + 8, packet.length);
  const places = addressPlaces[packet.version];
  if (quoted.length < places.source + places.length) return;
  if ((quoted[0] as number) >> 4 !== packet.version) return;
  const change = exchange(quoted, places.source, address);
  // In IPv4 the quoted header's own sum takes the change up, so that the error's sum stays right.
  if (packet.version === 4) correct(quoted, 10, change);
  else correct(bytes, packet.headerLength + 2, change);
}

function isError(bytes: Buffer, packet: IpPacket): boolean {
  if (packet.isLaterFragment) return false;
  const type = bytes[packet.headerLength] as number;
  if (packet.version === 4)
    return packet.protocol === protocols.icmp && (type === 3 || type === 11 || type === 12);
  return packet.protocol === protocols.icmp6 && type >= 1 && type <= 4;
}

function correct(bytes: Buffer, place: number, change: number): void {
  bytes.writeUInt16BE(updateChecksum(bytes.readUInt16BE(place), change), place);
}
