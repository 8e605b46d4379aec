import { Encoder } from './encoder.ts';
import { Scanner } from './scanner.ts';

/** One typed message inside of a Pack. */
export interface Frame {
  /** One of `messageTypes`, or a number that is not known here. */
  readonly type: number;
  /** A view of the message: it is valid as long as the bytes that it was read from. */
  readonly bytes: Buffer;
  /** The bytes are the matter itself (an IP packet, a ping's content) and no encoded message. */
  readonly isRaw: boolean;
}

export function scanFrame(scanner: Scanner): Frame {
  let type = 0;
  let bytes: Buffer = noBytes;
  let isRaw = false;
  while (scanner.next()) {
    if (scanner.field === 1) type = scanner.integer();
    else if (scanner.field === 2) bytes = scanner.bytes();
    else if (scanner.field === 3) isRaw = scanner.flag();
  }
  return { type, bytes, isRaw };
}

export function writeFrame(encoder: Encoder, field: number, frame: Frame): void {
  const end = encoder.mark();
  encoder.integer(3, Number(frame.isRaw));
  encoder.bytes(2, frame.bytes);
  encoder.integer(1, frame.type);
  encoder.wrap(field, end);
}

/** A frame around an encoded message. */
export function toFrame(type: number, bytes: Buffer): Frame {
  return { type, bytes, isRaw: false };
}

/** The frames of a Pack that has nothing else: what HTTP control sends and answers. */
export function encodeFrames(frames: readonly Frame[]): Buffer {
  const encoder = new Encoder();
  for (const frame of frames.toReversed()) writeFrame(encoder, packFramesField, frame);
  return encoder.finish();
}

/** @throws WireError */
export function decodeFrames(bytes: Buffer): readonly Frame[] {
  const frames: Frame[] = [];
  const scanner = new Scanner(bytes);
  while (scanner.next()) {
    if (scanner.field === packFramesField) frames.push(scanFrame(scanner.inner()));
  }
  return frames;
}

export const packFramesField = 5;
export const noBytes: Buffer = Buffer.alloc(0);
