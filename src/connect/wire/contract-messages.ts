import type { Id } from './id.ts';
import {
  bytes,
  flag,
  id,
  ids,
  integer,
  type Message,
  maybe,
  optionalBytes,
  optionalFlag,
  optionalInteger,
} from './message.ts';

/** What the platform signs: who pays for how many bytes from whom to whom. */
export interface StoredContract {
  readonly contractId: Id;
  readonly transferByteCount: number;
  readonly sourceId: Id;
  readonly destinationId: Id;
  /** Above 0 for data that is paid for. */
  readonly priority: number;
}

export const storedContract: Message<StoredContract> = {
  contractId: [1, id],
  transferByteCount: [2, integer],
  sourceId: [3, id],
  destinationId: [4, id],
  priority: [6, integer],
};

/** A StoredContract with its signature, by the destination's secret for that mode. */
export interface Contract {
  /** The bytes as they were signed: they are checked and passed on, never encoded again. */
  readonly storedBytes: Buffer;
  readonly hmac: Buffer;
  /** One of `provideModes`, or a number that is not known here. */
  readonly mode: number;
}

export const contract: Message<Contract> = {
  storedBytes: [1, bytes],
  hmac: [2, bytes],
  mode: [3, integer],
};

/** What a contract says of its destination besides, as far as that has published it. */
interface DestinationKeys {
  /** In PEM form. */
  readonly destinationCertificates: Buffer | undefined;
  readonly destinationKey: Buffer | undefined;
  /** By that key, over the certificates. */
  readonly certificatesSignature: Buffer | undefined;
}

export const contractKeys: Message<DestinationKeys> = {
  destinationCertificates: [4, optionalBytes],
  destinationKey: [5, optionalBytes],
  certificatesSignature: [6, optionalBytes],
};

/** Of a StoredContract, where the destination's secret signs it. */
export const storedContractKeys: Message<DestinationKeys> = {
  destinationCertificates: [7, optionalBytes],
  destinationKey: [8, optionalBytes],
  certificatesSignature: [9, optionalBytes],
};

/** A report of what a contract carried. */
export interface CloseContract {
  readonly contractId: Id;
  /** Bytes since the last report of the same contract: the service adds them up. */
  readonly ackedByteCount: number;
  readonly unackedByteCount: number;
  /** The contract goes on; without it, it is closed. */
  readonly isCheckpoint: boolean;
}

export const closeContract: Message<CloseContract> = {
  contractId: [1, id],
  ackedByteCount: [2, integer],
  unackedByteCount: [3, integer],
  isCheckpoint: [4, flag],
};

/** Asks the platform for a contract from us to `destinationId`. */
export interface CreateContract {
  readonly destinationId: Id;
  readonly transferByteCount: number;
  /** It answers a contract of the destination, whose network pays. */
  readonly isCompanion: boolean;
  readonly usedContractIds: readonly Id[];
  readonly forceStream: boolean | undefined;
  /** 1 asks for an answer that names its request. */
  readonly streamVersion: number;
}

export const createContract: Message<CreateContract> = {
  destinationId: [1, id],
  transferByteCount: [2, integer],
  isCompanion: [3, flag],
  usedContractIds: [4, ids],
  forceStream: [7, optionalFlag],
  streamVersion: [8, integer],
};

export interface CreateContractResult {
  /**
   * Undefined where there is a contract. 0 is an error, too: the peer permits none. 1 is said for
   * most other causes, and means that nobody can pay.
   */
  readonly error: number | undefined;
  /** The encoded Contract. */
  readonly contract: Buffer | undefined;
  /** The request that this answers, where it asked with a stream version of at least 1. */
  readonly request: CreateContract | undefined;
}

export const createContractResult: Message<CreateContractResult> = {
  error: [1, optionalInteger],
  contract: [2, optionalBytes],
  request: [3, maybe(createContract)],
};
