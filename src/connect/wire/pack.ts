import { scanTag, type Tag, writeTag } from './ack.ts';
import type { Encoder } from './encoder.ts';
import { type Frame, packFramesField, scanFrame, writeFrame } from './frame.ts';
import type { Id } from './id.ts';
import { largestLane, messageTypes } from './message-types.ts';
import type { Scanner } from './scanner.ts';
import { WireError } from './wire-error.ts';

/** One step of a sequence: frames, and what the receiver needs to put them in order. */
export interface Pack {
  /** New for each Pack, and the same when it is sent again. */
  readonly messageId: Id;
  readonly sequenceId: Id;
  /** From 0; always 0 where no ack is wanted. */
  readonly sequenceNumber: number;
  /** The sender says that nothing before this Pack will come. */
  readonly isHead: boolean;
  readonly frames: readonly Frame[];
  /** No ack, no order, no resend: the wire calls it `nack`. */
  readonly wantsNoAck: boolean;
  /** The encoded Contract that pays for this Pack and for those after it. */
  readonly contract: Buffer | undefined;
  /** It comes back in the ack. */
  readonly tag: Tag | undefined;
  /** The contract by name only, where the receiver should know it. */
  readonly contractId: Id | undefined;
  readonly lane: Lane;
  /** How it came: inside of a sealed frame. It is never written. */
  readonly cameSealed?: true;
  /**
   * It is sent again outside of the session of encryption that has begun since it was sent
   * first. It is never written.
   */
  readonly isOutside?: true;
}

/** Which of a peer's sequences a Pack belongs to. */
export interface Lane {
  readonly forceStream: boolean;
  readonly isCompanion: boolean;
  /** 0 to 8. */
  readonly number: number;
}

/** A lane as text, equal for equal lanes: the key of a Map. */
export function toLaneKey({ forceStream, isCompanion, number }: Lane): string {
  return `${Number(forceStream)}${Number(isCompanion)}${number}`;
}

export function isSameLane(one: Lane, other: Lane): boolean {
  return (
    one.number === other.number &&
    one.isCompanion === other.isCompanion &&
    one.forceStream === other.forceStream
  );
}

/** Reads back what `toLaneKey` wrote. */
export function fromLaneKey(key: string): Lane {
  return {
    forceStream: key[0] === '1',
    isCompanion: key[1] === '1',
    number: Number(key[2]),
  };
}

export function scanPack(scanner: Scanner): Pack {
  const found = { ...emptyPack, frames: [] as Frame[] };
  while (scanner.next()) scanField(found, scanner);
  const { messageId, sequenceId } = found;
  if (messageId === undefined || sequenceId === undefined)
    throw new WireError('a Pack without its ids');
  return {
    messageId,
    sequenceId,
    sequenceNumber: found.sequenceNumber,
    isHead: found.isHead,
    frames: found.frames,
    wantsNoAck: found.wantsNoAck,
    contract: found.contract,
    tag: found.tag,
    contractId: found.contractId,
    lane: {
      forceStream: found.forceStream,
      isCompanion: found.isCompanion,
      number: found.laneNumber,
    },
  };
}

export function writePack(encoder: Encoder, field: number, pack: Pack): void {
  const end = encoder.mark();
  encoder.integer(12, pack.lane.number);
  encoder.integer(11, Number(pack.lane.isCompanion));
  encoder.integer(10, Number(pack.lane.forceStream));
  encoder.id(9, pack.contractId);
  if (pack.tag !== undefined) writeTag(encoder, 8, pack.tag);
  if (pack.contract !== undefined)
    writeFrame(encoder, 7, { type: messageTypes.contract, bytes: pack.contract, isRaw: false });
  encoder.integer(6, Number(pack.wantsNoAck));
  for (let at = pack.frames.length - 1; at >= 0; at--)
    writeFrame(encoder, packFramesField, pack.frames[at] as Frame);
  encoder.integer(4, Number(pack.isHead));
  encoder.integer(3, pack.sequenceNumber);
  encoder.id(2, pack.sequenceId);
  encoder.id(1, pack.messageId);
  encoder.wrap(field, end);
}

/** What the service counts of a Pack: the bytes of its messages, and at least one. */
export function countPackBytes(frames: readonly Frame[]): number {
  let sum = 0;
  for (const frame of frames) sum += frame.bytes.length;
  return Math.max(1, sum);
}

/**
 * The shortest packets, of 20 bytes, fill a message by fewer; a message of empty frames has two
 * thousand, and each of them costs a hundred times what it took to send it.
 */
const mostFrames = 192;

const emptyPack = {
  messageId: undefined as Id | undefined,
  sequenceId: undefined as Id | undefined,
  sequenceNumber: 0,
  isHead: false,
  wantsNoAck: false,
  contract: undefined as Buffer | undefined,
  tag: undefined as Tag | undefined,
  contractId: undefined as Id | undefined,
  forceStream: false,
  isCompanion: false,
  laneNumber: 0,
};

function scanField(found: typeof emptyPack & { readonly frames: Frame[] }, scanner: Scanner): void {
  switch (scanner.field) {
    case 1:
      found.messageId = scanner.id();
      break;
    case 2:
      found.sequenceId = scanner.id();
      break;
    case 3:
      found.sequenceNumber = scanner.integer();
      break;
    case 4:
      found.isHead = scanner.flag();
      break;
    case packFramesField:
      if (found.frames.length >= mostFrames) throw new WireError('a Pack of too many frames');
      found.frames.push(scanFrame(scanner.inner()));
      break;
    case 6:
      found.wantsNoAck = scanner.flag();
      break;
    case 7:
      found.contract = scanContract(scanner.inner());
      break;
    case 8:
      found.tag = scanTag(scanner.inner());
      break;
    default:
      scanLaneField(found, scanner);
  }
}

function scanLaneField(found: typeof emptyPack, scanner: Scanner): void {
  switch (scanner.field) {
    case 9:
      found.contractId = scanner.id();
      break;
    case 10:
      found.forceStream = scanner.flag();
      break;
    case 11:
      found.isCompanion = scanner.flag();
      break;
    case 12:
      found.laneNumber = scanner.integer();
      if (found.laneNumber > largestLane) throw new WireError('a lane above 8');
      break;
  }
}

function scanContract(scanner: Scanner): Buffer {
  const frame = scanFrame(scanner);
  if (frame.type !== messageTypes.contract) throw new WireError('a contract of another type');
  return frame.bytes;
}
