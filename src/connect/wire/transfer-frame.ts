import { type Ack, ack } from './ack.ts';
import { Encoder } from './encoder.ts';
import { noBytes, scanFrame } from './frame.ts';
import type { Id } from './id.ts';
import { scanMessage, writeMessage } from './message.ts';
import { largestMessage, messageTypes } from './message-types.ts';
import { countPackBytes, type Pack, scanPack, writePack } from './pack.ts';
import { Scanner } from './scanner.ts';
import { WireError } from './wire-error.ts';

/**
 * From whom to whom. The platform has no id: a frame to it has no destination, a frame from it has
 * no source.
 */
export interface TransferPath {
  readonly sourceId: Id | undefined;
  readonly destinationId: Id | undefined;
  /** A provider sends none, and drops a frame that has one. */
  readonly streamId: Id | undefined;
}

/** By hand, as Packs are: it comes with each packet. */
function scanPath(scanner: Scanner): TransferPath {
  let [destinationId, sourceId, streamId]: (Id | undefined)[] = [];
  while (scanner.next()) {
    if (scanner.field === 1) destinationId = scanner.id();
    else if (scanner.field === 2) sourceId = scanner.id();
    else if (scanner.field === 3) streamId = scanner.id();
  }
  return { sourceId, destinationId, streamId };
}

function writePath(encoder: Encoder, path: TransferPath): void {
  const end = encoder.mark();
  encoder.id(3, path.streamId);
  encoder.id(2, path.sourceId);
  encoder.id(1, path.destinationId);
  encoder.wrap(1, end);
}

/** One binary message of the socket. */
export interface TransferFrame {
  readonly path: TransferPath;
  readonly body:
    | { readonly kind: 'pack'; readonly pack: Pack }
    | { readonly kind: 'ack'; readonly ack: Ack }
    | SealedBody;
}

/** A whole frame inside of another one, sealed by the key of a session of the two ends. */
export interface SealedBody {
  readonly kind: 'sealed';
  readonly bytes: Buffer;
  /** The sender's own in that session, one of `sessionRoles`; 0 where it is not said. */
  readonly role: number;
  /** The session that goes with the consumer's companion lanes. */
  readonly isCompanion: boolean;
}

/**
 * Reads a binary message. Its packets and contracts are views of the same bytes.
 * @throws WireError for whatever is no frame of at most 4,096 bytes
 */
export function decodeTransferFrame(bytes: Buffer): TransferFrame {
  if (bytes.length > largestMessage) throw new WireError('a message above 4,096 bytes');
  const found = { ...emptyFrame };
  const scanner = new Scanner(bytes);
  while (scanner.next()) scanField(found, scanner);
  const { path, sealed, role, isCompanion } = found;
  const body: TransferFrame['body'] | undefined =
    sealed === undefined ? found.body : { kind: 'sealed', bytes: sealed, role, isCompanion };
  if (path === undefined || body === undefined)
    throw new WireError('a frame without its path or its content');
  return { path, body };
}

const emptyFrame = {
  path: undefined as TransferPath | undefined,
  body: undefined as TransferFrame['body'] | undefined,
  sealed: undefined as Buffer | undefined,
  role: 0,
  isCompanion: false,
};

function scanField(found: typeof emptyFrame, scanner: Scanner): void {
  switch (scanner.field) {
    case 1:
      found.path = scanPath(scanner.inner());
      break;
    case 2:
      found.body = scanOldBody(scanner.inner());
      break;
    case 4:
      found.body = { kind: 'pack', pack: scanPack(scanner.inner()) };
      break;
    case 5:
      found.body = { kind: 'ack', ack: scanMessage(ack, scanner.inner()) };
      break;
    case 6:
      found.sealed = scanner.bytes();
      break;
    case 7:
      found.role = scanner.integer();
      break;
    case 8:
      found.isCompanion = scanner.flag();
      break;
  }
}

/**
 * Only the path of a binary message; undefined where it is no frame. It is what tells a frame from
 * the random bytes of a speed test.
 */
export function readPath(bytes: Buffer): TransferPath | undefined {
  try {
    const scanner = new Scanner(bytes);
    while (scanner.next()) if (scanner.field === 1) return scanPath(scanner.inner());
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
  }
  return undefined;
}

/** @throws WireError where the frame would be above 4,096 bytes */
export function encodePackFrame(path: TransferPath, pack: Pack, how: PackFrame = {}): Buffer {
  const contract = pack.contract ?? noBytes;
  const { frames } = pack;
  const size = overhead + countPackBytes(frames) + frames.length * frameHead + contract.length;
  const encoder = new Encoder(how.into ?? size);
  encoder.integer(7, how.role);
  writePack(encoder, 4, pack);
  writePath(encoder, path);
  return checkLength(encoder.finish());
}

interface PackFrame {
  /** Ours, where the Pack belongs to a session of encryption; also in a sealed frame. */
  readonly role?: number | undefined;
  /** Where to write; by default bytes of its own. */
  readonly into?: Buffer | undefined;
}

/** A frame around a sealed one, whose path it repeats. @throws WireError above 4,096 bytes */
export function encodeSealedFrame(path: TransferPath, sealed: Omit<SealedBody, 'kind'>): Buffer {
  const { bytes, ...of } = sealed;
  return wrapSealed(path, { ...of, length: bytes.length, fill: (hole) => hole.set(bytes) });
}

/** A frame around a sealed one that is sealed within it, so that nothing is copied. */
export function wrapSealed(path: TransferPath, of: SealedHole): Buffer {
  const encoder = new Encoder(overhead + of.length);
  // The network's own program writes it also where it is false.
  encoder.present(8, Number(of.isCompanion));
  encoder.integer(7, of.role);
  of.fill(encoder.hole(6, of.length));
  writePath(encoder, path);
  return checkLength(encoder.finish());
}

interface SealedHole extends Omit<SealedBody, 'kind' | 'bytes'> {
  readonly length: number;
  /** Writes the sealed bytes, all of that length. */
  readonly fill: (hole: Buffer) => void;
}

export function encodeAckFrame(path: TransferPath, value: Ack): Buffer {
  const encoder = new Encoder(overhead);
  writeMessage(encoder, 5, { message: ack, value });
  writePath(encoder, path);
  return checkLength(encoder.finish());
}

/**
 * How many bytes the frames of a Pack may take, each with its `frameHead`, where a contract of this
 * length may have to go along: a Pack's frames stay as they are once it has its number, and when it
 * is sent again it may be the one that has to bring its contract, and be sealed.
 */
export function findFrameRoom(contractLength: number): number {
  return largestMessage - largestEnvelope - contractLength;
}

/** Around a frame's bytes, in a Pack: its type, whether it is raw, and two lengths. */
export const frameHead = 10;
/**
 * Around a Pack's frames, at most: its ids, number, tag and lane, the contract's own frame, and the
 * path (115 bytes); and where it is sealed, the path again, a nonce and a tag (73).
 */
const largestEnvelope = 188;
/** More than everything that is around a Pack's frames, so that the encoder seldom grows. */
const overhead = 192;

/** Packs and Acks were carried as frames once; peers may still do so. */
function scanOldBody(scanner: Scanner): TransferFrame['body'] {
  const frame = scanFrame(scanner);
  const inner = new Scanner(frame.bytes);
  if (frame.type === messageTypes.pack) return { kind: 'pack', pack: scanPack(inner) };
  if (frame.type === messageTypes.ack) return { kind: 'ack', ack: scanMessage(ack, inner) };
  throw new WireError('a frame of neither a Pack nor an Ack');
}

function checkLength(bytes: Buffer): Buffer {
  if (bytes.length > largestMessage) throw new WireError('a message above 4,096 bytes');
  return bytes;
}
