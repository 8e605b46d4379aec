import { type Frame, noBytes } from './frame.ts';
import { messageTypes } from './message-types.ts';
import { Scanner } from './scanner.ts';

/** A consumer's packet on its way to the provider. */
export function toProviderFrame(packet: Buffer): Frame {
  return { type: messageTypes.ipPacketToProvider, bytes: packet, isRaw: true };
}

/** An answer's packet on its way to the consumer. */
export function fromProviderFrame(packet: Buffer): Frame {
  return { type: messageTypes.ipPacketFromProvider, bytes: packet, isRaw: true };
}

/** A ping of a peer; it goes back with the same bytes. */
export function toPingFrame(content: Buffer): Frame {
  return { type: messageTypes.ipPing, bytes: content, isRaw: true };
}

/**
 * The IP packet in a frame: its bytes themselves, or two messages deep where an old peer wrote it so.
 * Whether it is a sound packet is not looked at here.
 * @throws WireError
 */
export function readIpPacket(frame: Frame): Buffer {
  if (frame.isRaw) return frame.bytes;
  let packet: Buffer = noBytes;
  const scanner = new Scanner(frame.bytes);
  while (scanner.next()) {
    if (scanner.field !== 1) continue;
    const inner = scanner.inner();
    while (inner.next()) if (inner.field === 1) packet = inner.bytes();
  }
  return packet;
}
