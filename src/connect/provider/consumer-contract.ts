import type { AccountData } from '../contract/account.ts';
import type { ReceivedContracts } from '../contract/received-contracts.ts';
import type { ProvideWish } from '../contract/secrets.ts';
import type { ServiceClock } from '../contract/service-clock.ts';
import type { SealedPart } from '../sealed/sealed-part.ts';
import type { MemoryBudget } from '../sequence/hold-back.ts';
import type { DropReason } from '../sequence/receiver.ts';
import type { Ack } from '../wire/ack.ts';
import type { CloseContract } from '../wire/contract-messages.ts';
import type { Frame } from '../wire/frame.ts';
import type { Id } from '../wire/id.ts';
import type { ProvideMode } from '../wire/message-types.ts';
import type { Lane, Pack } from '../wire/pack.ts';
import type { ContractAsk } from './contract-ask.ts';
import type { Carried, Drops } from './counters.ts';
import type { Renewals } from './renewal.ts';
import type { Sealing } from './sealing.ts';

/**
 * One consumer: what it sends, lane by lane, and our answers. It is told the time, and acts on
 * nothing else; `deliver` is called with each frame that comes in its turn and is paid for.
 */
export interface Consumer {
  readonly id: Id;
  /** False where the Pack leads to nothing: old, unpaid, or on one lane too many. */
  take(pack: Pack, now: number): boolean;
  /** False where it belongs to nothing that was sent. */
  acked(ack: Ack, now: number): boolean;
  /** Answers by the lane of the last Pack; false where the frame is dropped. */
  answer(frame: Frame, now: number): boolean;
  acks(now: number): readonly Ack[];
  readonly sealing: Sealing;
  /** Packs to send now, at most so many. */
  packs(now: number, most: number): readonly Pack[];
  /** Contracts to ask for and reports to send; ends what is over. */
  keepBooks(now: number): Step;
  wakeAt(now: number): number;
  /** When something of it was delivered or acknowledged last. */
  heardAt(): number;
  /** Nothing is left of it. */
  isGone(now: number): boolean;
  /** Ends what was paid by contracts of a mode that is not published for this wish. */
  narrow(wish: ProvideWish): void;
  end(): readonly CloseContract[];
  /** What a later life needs to answer it at once; undefined where it has sent no packet. */
  known(): KnownConsumer | undefined;
  /** Our contracts to it, to be kept. */
  save(): readonly AccountData[];
}

/** By what a consumer is answered. */
export interface KnownConsumer {
  /** The lane of its last packet, and the sequence that was the newest one there. */
  readonly lane: Lane;
  readonly sequenceId: Id;
  /** Of the contract that paid for it; undefined where none has yet. */
  readonly mode: () => ProvideMode | undefined;
  /** Packs of that sequence below this number were delivered and counted. */
  readonly next: () => number;
  /** When it sent something last, acks included. */
  readonly heardAt: number;
}

interface Step {
  readonly asks: readonly ContractAsk[];
  readonly reports: readonly CloseContract[];
}

export interface ConsumerOptions {
  readonly id: Id;
  readonly ownId: Id;
  readonly ledger: ReceivedContracts;
  readonly clock: ServiceClock;
  readonly receiveBudget: MemoryBudget;
  readonly sendBudget: MemoryBudget;
  /** Lanes of all consumers together. */
  readonly laneBudget: MemoryBudget;
  readonly newId: () => Id;
  readonly renewals: Renewals;
  readonly drops: Pick<Drops, 'unsent' | 'unreadable' | DropReason>;
  /** Counts the answers that are sent. */
  readonly carried: Pick<Carried, 'downBytes'>;
  /** Unpaid bytes that a consumer may carry from one of its contracts to the next. */
  readonly mostUnpaidBytes: number;
  /** What an earlier life of ours knew of it. */
  readonly earlier: KnownConsumer | undefined;
  /** By what controls of encryption are sent before it has sent something. */
  readonly offering: KnownConsumer | undefined;
  /** Undefined where nothing is sealed. */
  readonly sealedPart: SealedPart | undefined;
  /** Its handshake has gone on between two calls. */
  readonly onNews: () => void;
  /** It offers to seal. */
  readonly onOffered: () => void;
  /** It may have been started again. */
  readonly onRestarted: () => void;
  readonly deliver: (frame: Frame, now: number) => void;
  /** It has begun a sequence. */
  readonly onLane: () => void;
  /** So many answers were dropped, because they waited for too long. */
  readonly onLate: (frames: number) => void;
}
