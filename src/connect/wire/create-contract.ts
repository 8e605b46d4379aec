import { Encoder } from './encoder.ts';
import type { Id } from './id.ts';
import { Scanner } from './scanner.ts';
import { WireError } from './wire-error.ts';

/** Asks the platform for a contract from us to `destinationId`. */
export interface CreateContract {
  readonly destinationId: Id;
  readonly transferByteCount: number;
  /** It answers a contract of the destination, whose network pays. */
  readonly isCompanion: boolean;
  readonly usedContractIds: readonly Id[];
  /** Presence says something: undefined is not written, false is. */
  readonly forceStream: boolean | undefined;
  /** 1 asks for an answer that names its request. */
  readonly streamVersion: number;
}

/** Why there is no contract. The platform says 1 for most of its reasons. */
export const contractErrors = {
  noPermission: 0,
  insufficientBalance: 1,
  setup: 2,
  trust: 3,
  invalid: 4,
} as const;

export interface CreateContractResult {
  /** One of `contractErrors`; undefined where there is a contract. 0 is an error, too. */
  readonly error: number | undefined;
  /** The encoded Contract. */
  readonly contract: Buffer | undefined;
  /** The request that this answers, where it asked with a stream version of at least 1. */
  readonly request: CreateContract | undefined;
}

export function encodeCreateContract(request: CreateContract): Buffer {
  const encoder = new Encoder();
  writeRequest(encoder, request);
  return encoder.finish();
}

/** @throws WireError */
export function decodeCreateContract(bytes: Buffer): CreateContract {
  return scanRequest(new Scanner(bytes));
}

export function encodeCreateContractResult(result: CreateContractResult): Buffer {
  const encoder = new Encoder();
  if (result.request !== undefined) {
    const end = encoder.mark();
    writeRequest(encoder, result.request);
    encoder.wrap(3, end);
  }
  encoder.bytes(2, result.contract);
  if (result.error !== undefined) encoder.present(1, result.error);
  return encoder.finish();
}

/** @throws WireError */
export function decodeCreateContractResult(bytes: Buffer): CreateContractResult {
  const found = {
    error: undefined as number | undefined,
    contract: undefined as Buffer | undefined,
    request: undefined as CreateContract | undefined,
  };
  const scanner = new Scanner(bytes);
  while (scanner.next()) {
    if (scanner.field === 1) found.error = scanner.integer();
    else if (scanner.field === 2) found.contract = scanner.bytes();
    else if (scanner.field === 3) found.request = scanRequest(scanner.inner());
  }
  return found;
}

function writeRequest(encoder: Encoder, request: CreateContract): void {
  encoder.integer(8, request.streamVersion);
  if (request.forceStream !== undefined) encoder.present(7, Number(request.forceStream));
  for (const id of request.usedContractIds.toReversed()) encoder.id(4, id);
  encoder.integer(3, Number(request.isCompanion));
  encoder.integer(2, request.transferByteCount);
  encoder.id(1, request.destinationId);
}

function scanRequest(scanner: Scanner): CreateContract {
  const found = {
    destinationId: undefined as Id | undefined,
    transferByteCount: 0,
    isCompanion: false,
    usedContractIds: [] as Id[],
    forceStream: undefined as boolean | undefined,
    streamVersion: 0,
  };
  while (scanner.next()) {
    if (scanner.field === 1) found.destinationId = scanner.id();
    else if (scanner.field === 2) found.transferByteCount = scanner.integer();
    else if (scanner.field === 3) found.isCompanion = scanner.flag();
    else if (scanner.field === 4) found.usedContractIds.push(scanner.id());
    else if (scanner.field === 7) found.forceStream = scanner.flag();
    else if (scanner.field === 8) found.streamVersion = scanner.integer();
  }
  if (found.destinationId === undefined) throw new WireError('a contract to nobody');
  return { ...found, destinationId: found.destinationId };
}
