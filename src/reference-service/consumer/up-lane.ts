import type { MemoryBudget } from '../../connect/sequence/hold-back.ts';
import { createSender, type Sender } from '../../connect/sequence/sender.ts';
import type { Ack } from '../../connect/wire/ack.ts';
import type { CloseContract } from '../../connect/wire/contract-messages.ts';
import type { Frame } from '../../connect/wire/frame.ts';
import type { Id } from '../../connect/wire/id.ts';
import { largestPacket } from '../../connect/wire/message-types.ts';
import type { Lane, Pack } from '../../connect/wire/pack.ts';
import { type ConsumerContracts, createConsumerContracts } from './consumer-contracts.ts';

/**
 * One lane of what a consumer sends: sequences that follow one another, each with contracts of its
 * own. A sequence begins with the first frame after the end of the one before.
 */
export interface UpLane {
  /** False where the frame is dropped, because too many wait. */
  offer(frame: Frame, now: number): boolean;
  take(ack: Ack, now: number): void;
  packs(now: number, most: number): readonly Pack[];
  /** What is to be asked for; ends a sequence that is over. */
  keepBooks(now: number): ConsumerAsk | undefined;
  /** The answer to an ask of this lane; undefined where nothing was granted. */
  answered(ask: ConsumerAsk, contract: Buffer | undefined, now: number): void;
  takeReports(): readonly CloseContract[];
  wakeAt(now: number): number;
  end(): void;
  /** How many contracts were used. */
  opened(): number;
}

/** A contract to the provider that is to be asked for. */
export interface ConsumerAsk {
  readonly byteCount: number;
  readonly isCompanion: boolean;
  readonly contracts: ConsumerContracts;
}

export interface UpLaneOptions {
  readonly ownId: Id;
  readonly providerId: Id;
  /** A companion lane answers the provider, by contracts that its network pays. */
  readonly lane: Lane;
  readonly newId: () => Id;
  readonly budget: MemoryBudget;
  /** A spare contract is given back after so many ms. */
  readonly longestUnused: number;
  /** A sequence ends where nothing of it is acknowledged for so many ms, at most for a minute. */
  readonly longestUnacked: number;
  /** Packets have to wait for a key. */
  readonly isHeld?: (() => boolean) | undefined;
}

const queueBytes = 1024 * 1024;
/** As the network's own programs send: two frames, where both are no more than one packet. */
const packLimit = { frames: 2, bytes: largestPacket };

interface Sequence {
  readonly sender: Sender;
  readonly contracts: ConsumerContracts;
  unackedSince: number | undefined;
}

export function createUpLane(options: UpLaneOptions): UpLane {
  const { lane, newId, budget } = options;
  let sequence: Sequence | undefined;
  let reports: CloseContract[] = [];
  let opened = 0;

  const begin = (): Sequence => {
    const contracts = createConsumerContracts(options);
    const sender = createSender({
      sequenceId: newId(),
      lane,
      payment: contracts,
      newMessageId: newId,
      queueBytes,
      budget,
      isHeld: options.isHeld,
      packLimit,
    });
    sequence = { sender, contracts, unackedSince: undefined };
    return sequence;
  };
  const end = (): void => {
    sequence?.sender.end();
    reports.push(...(sequence?.contracts.end() ?? []));
    opened += sequence?.contracts.opened() ?? 0;
    sequence = undefined;
  };
  const isOver = (of: Sequence, now: number): boolean => {
    const isUnacked = of.sender.counters().unackedBytes > 0;
    of.unackedSince = isUnacked ? (of.unackedSince ?? now) : undefined;
    const waitsTooLong = now - (of.unackedSince ?? now) >= options.longestUnacked;
    return waitsTooLong || of.sender.ended(now) !== undefined;
  };

  return {
    offer: (frame, now) => (sequence ?? begin()).sender.offer(frame, now),
    take(ack, now) {
      if (sequence === undefined) return;
      const before = sequence.sender.counters().unackedBytes;
      sequence.sender.take(ack, now);
      const isProgress = sequence.sender.counters().unackedBytes < before;
      if (isProgress) sequence.unackedSince = undefined;
    },
    packs: (now, most) => sequence?.sender.step(now, most) ?? [],
    keepBooks(now) {
      if (sequence === undefined) return undefined;
      const { contracts } = sequence;
      const step = contracts.step(now);
      reports.push(...step.reports);
      if (isOver(sequence, now)) end();
      if (step.ask === undefined) return undefined;
      return { byteCount: step.ask, isCompanion: lane.isCompanion, contracts };
    },
    answered({ contracts }, contract, now) {
      if (contract === undefined) contracts.refused(now);
      else contracts.granted(contract, now);
      // Of a sequence that is over, it is given back at once.
      if (contracts !== sequence?.contracts) reports.push(...contracts.end());
    },
    takeReports() {
      const taken = reports;
      reports = [];
      return taken;
    },
    wakeAt: (now) => sequence?.sender.wakeAt(now) ?? Number.POSITIVE_INFINITY,
    end,
    opened: () => opened + (sequence?.contracts.opened() ?? 0),
  };
}
