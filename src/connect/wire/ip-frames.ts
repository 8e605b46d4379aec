import { type Frame, noBytes } from './frame.ts';
import { bytes, decode, type Message, maybe } from './message.ts';
import { messageTypes } from './message-types.ts';
import { WireError } from './wire-error.ts';

/** A consumer's packet on its way to the provider. */
export function toProviderFrame(packet: Buffer): Frame {
  return { type: messageTypes.ipPacketToProvider, bytes: packet, isRaw: true };
}

/** An answer's packet on its way to the consumer. */
export function fromProviderFrame(packet: Buffer): Frame {
  return { type: messageTypes.ipPacketFromProvider, bytes: packet, isRaw: true };
}

/** Bytes of answers' packets among these frames, without the echoes of pings. */
export function countAnswerBytes(frames: readonly Frame[]): number {
  let sum = 0;
  for (const { type, bytes: packet } of frames)
    if (type === messageTypes.ipPacketFromProvider) sum += packet.length;
  return sum;
}

/** Bytes of consumers' packets among these frames, without pings and signals. */
export function countRequestBytes(frames: readonly Frame[]): number {
  let sum = 0;
  for (const frame of frames)
    if (frame.type === messageTypes.ipPacketToProvider) sum += readIpPacket(frame).length;
  return sum;
}

/**
 * The IP packet in a frame: its bytes themselves, or two messages deep where an old peer wrote it
 * so. What cannot be read is an empty packet; whether one is sound is not looked at here.
 */
export function readIpPacket(frame: Frame): Buffer {
  if (frame.isRaw) return frame.bytes;
  try {
    return decode(wrapped, frame.bytes).packet?.bytes ?? noBytes;
  } catch (error) {
    if (error instanceof WireError) return noBytes;
    throw error;
  }
}

interface Wrapped {
  readonly packet: { readonly bytes: Buffer } | undefined;
}
const wrapped: Message<Wrapped> = { packet: [1, maybe({ bytes: [1, bytes] })] };
