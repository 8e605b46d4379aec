import type { ReceivedCounters } from '../contract/received-contracts.ts';
import type { Renewals } from './renewal.ts';
import type { SealingCounters } from './sealing-counters.ts';

/** What an engine has carried, and what it has not. */
export interface EngineCounters extends Readonly<Carried> {
  readonly consumers: number;
  readonly contracts: ReceivedCounters;
  readonly dropped: Readonly<Drops>;
  readonly renewals: Readonly<Renewals>;
  readonly sealing: SealingCounters;
}

/** Bytes of consumers' packets, and of the answers that were sent, each of them once. */
export interface Carried {
  upBytes: number;
  downBytes: number;
}

/** What was dropped, by reason. Each is counted, and nothing else is kept of it. */
export interface Drops {
  /** Messages that are no frames of this wire, and controls of encryption that nobody can read. */
  unreadable: number;
  /** Frames for another client, or of a stream. */
  misdirected: number;
  /**
   * Packs without a good contract that nothing could be done for, of an older sequence, above what
   * their contract was made for, and all that come after one of these.
   */
  unpaid: number;
  /** Packs that came before their turn, where nothing more may wait for it. */
  noRoom: number;
  /** Packs in plaintext, where what does not come sealed is not taken. */
  plain: number;
  /** Packs of one consumer too many. */
  tooMany: number;
  /** Consumers' packets that are no sound IP. */
  unsound: number;
  /** Packets that no address is to be had for, or whose address is nobody's. */
  noAddress: number;
  /** Acks of sequences that were never sent, or are over. */
  strayAcks: number;
  /** Answers that waited for too long: who sends them slows down by that. */
  late: number;
  /** Answers for a consumer that takes none, or far too few. */
  full: number;
  /**
   * Answers that still waited when their sequence ended, as where the service grants no contract.
   */
  unsent: number;
}

export const noDrops: Readonly<Drops> = {
  unreadable: 0,
  misdirected: 0,
  unpaid: 0,
  noRoom: 0,
  plain: 0,
  tooMany: 0,
  unsound: 0,
  noAddress: 0,
  strayAcks: 0,
  late: 0,
  full: 0,
  unsent: 0,
};
