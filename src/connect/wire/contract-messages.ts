import { Encoder } from './encoder.ts';
import { noBytes } from './frame.ts';
import type { Id } from './id.ts';
import { Scanner } from './scanner.ts';
import { WireError } from './wire-error.ts';

/** What the platform signs: who pays for how many bytes from whom to whom. */
export interface StoredContract {
  readonly contractId: Id;
  readonly transferByteCount: number;
  readonly sourceId: Id;
  readonly destinationId: Id;
  /** Above 0 for data that is paid for. */
  readonly priority: number;
}

/** A StoredContract with its signature, by the destination's secret for that mode. */
export interface Contract {
  /** The bytes as they were signed: they are checked and passed on, never encoded anew. */
  readonly storedBytes: Buffer;
  readonly hmac: Buffer;
  /** One of `provideModes`, or a number that is not known here. */
  readonly mode: number;
}

/** @throws WireError */
export function decodeStoredContract(bytes: Buffer): StoredContract {
  const found = {
    contractId: undefined as Id | undefined,
    transferByteCount: 0,
    sourceId: undefined as Id | undefined,
    destinationId: undefined as Id | undefined,
    priority: 0,
  };
  const scanner = new Scanner(bytes);
  while (scanner.next()) {
    if (scanner.field === 1) found.contractId = scanner.id();
    else if (scanner.field === 2) found.transferByteCount = scanner.integer();
    else if (scanner.field === 3) found.sourceId = scanner.id();
    else if (scanner.field === 4) found.destinationId = scanner.id();
    else if (scanner.field === 6) found.priority = scanner.integer();
  }
  const { contractId, sourceId, destinationId } = found;
  if (contractId === undefined || sourceId === undefined || destinationId === undefined)
    throw new WireError('a contract without its ids');
  return { ...found, contractId, sourceId, destinationId };
}

export function encodeStoredContract(stored: StoredContract): Buffer {
  const encoder = new Encoder();
  encoder.integer(6, stored.priority);
  encoder.id(4, stored.destinationId);
  encoder.id(3, stored.sourceId);
  encoder.integer(2, stored.transferByteCount);
  encoder.id(1, stored.contractId);
  return encoder.finish();
}

/** @throws WireError */
export function decodeContract(bytes: Buffer): Contract {
  const found = { storedBytes: noBytes, hmac: noBytes, mode: 0 };
  const scanner = new Scanner(bytes);
  while (scanner.next()) {
    if (scanner.field === 1) found.storedBytes = scanner.bytes();
    else if (scanner.field === 2) found.hmac = scanner.bytes();
    else if (scanner.field === 3) found.mode = scanner.integer();
  }
  return found;
}

export function encodeContract(contract: Contract): Buffer {
  const encoder = new Encoder();
  encoder.integer(3, contract.mode);
  encoder.bytes(2, contract.hmac);
  encoder.bytes(1, contract.storedBytes);
  return encoder.finish();
}

/** A report of what a contract carried. */
export interface CloseContract {
  readonly contractId: Id;
  /** Bytes since the last report of the same contract: the service adds them up. */
  readonly ackedByteCount: number;
  readonly unackedByteCount: number;
  /** The contract goes on; without it, it is closed. */
  readonly isCheckpoint: boolean;
}

/** @throws WireError */
export function decodeCloseContract(bytes: Buffer): CloseContract {
  const found = {
    contractId: undefined as Id | undefined,
    ackedByteCount: 0,
    unackedByteCount: 0,
    isCheckpoint: false,
  };
  const scanner = new Scanner(bytes);
  while (scanner.next()) {
    if (scanner.field === 1) found.contractId = scanner.id();
    else if (scanner.field === 2) found.ackedByteCount = scanner.integer();
    else if (scanner.field === 3) found.unackedByteCount = scanner.integer();
    else if (scanner.field === 4) found.isCheckpoint = scanner.flag();
  }
  if (found.contractId === undefined) throw new WireError('a close of no contract');
  return { ...found, contractId: found.contractId };
}

export function encodeCloseContract(close: CloseContract): Buffer {
  const encoder = new Encoder();
  encoder.integer(4, Number(close.isCheckpoint));
  encoder.integer(3, close.unackedByteCount);
  encoder.integer(2, close.ackedByteCount);
  encoder.id(1, close.contractId);
  return encoder.finish();
}
