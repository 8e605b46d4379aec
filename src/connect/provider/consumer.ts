import type { AccountData } from '../contract/account.ts';
import { createIncomingContracts, type IncomingContracts } from '../contract/incoming.ts';
import { createOwnContracts, type OwnContracts } from '../contract/own-contracts.ts';
import type { ReceivedContracts } from '../contract/received-contracts.ts';
import type { ServiceClock } from '../contract/service-clock.ts';
import type { MemoryBudget } from '../sequence/hold-back.ts';
import { createReceiver, type Receiver } from '../sequence/receiver.ts';
import { createSender, type Sender } from '../sequence/sender.ts';
import type { Ack } from '../wire/ack.ts';
import type { CloseContract } from '../wire/contract-messages.ts';
import type { Frame } from '../wire/frame.ts';
import type { Id } from '../wire/id.ts';
import { provideModes } from '../wire/message-types.ts';
import type { Lane, Pack } from '../wire/pack.ts';

/**
 * One consumer: what it sends, lane by lane, and our answers. It is told the time, and acts on
 * nothing else; `deliver` is called with each frame that comes in its turn and is paid for.
 */
export interface Consumer {
  readonly id: Id;
  /** False where the Pack leads to nothing: old, unpaid, or on one lane too many. */
  take(pack: Pack, now: number): boolean;
  acked(ack: Ack, now: number): void;
  /** Answers by the lane of the last Pack; false where the frame is dropped. */
  answer(frame: Frame, now: number): boolean;
  acks(now: number): readonly Ack[];
  /** Packs to send now, at most so many. */
  packs(now: number, most: number): readonly Pack[];
  /** Contracts to ask for and reports to send; ends what is over. */
  keepBooks(now: number): Step;
  wakeAt(now: number): number;
  /** Nothing is left of it. */
  isGone(): boolean;
  end(): readonly CloseContract[];
  /** Our contracts to it, to be kept. */
  save(): readonly AccountData[];
}

interface Step {
  readonly asks: readonly ContractAsk[];
  readonly reports: readonly CloseContract[];
}

/** A contract to ask the platform for; each is answered once, to `contracts`. */
export interface ContractAsk {
  readonly destinationId: Id;
  readonly transferByteCount: number;
  readonly isCompanion: boolean;
  readonly forceStream: boolean;
  readonly contracts: OwnContracts;
}

export interface ConsumerOptions {
  readonly id: Id;
  readonly ownId: Id;
  readonly ledger: ReceivedContracts;
  readonly clock: ServiceClock;
  readonly receiveBudget: MemoryBudget;
  readonly sendBudget: MemoryBudget;
  readonly newId: () => Id;
  readonly deliver: (frame: Frame, now: number) => void;
}

/** 2 classes of stream, 2 of companion and 9 lanes are possible; programs use three. */
const mostLanes = 16;
/**
 * Packets that wait for one consumer: what it is sent while its first contract is asked for, a
 * quarter of a second at 32 Mbit/s.
 */
const queueBytes = 1024 * 1024;

interface Incoming {
  readonly receiver: Receiver;
  readonly contracts: IncomingContracts;
}

interface Reply {
  readonly lane: Lane;
  readonly sender: Sender;
  readonly contracts: OwnContracts;
}

export function createConsumer(options: ConsumerOptions): Consumer {
  const lanes = new Map<string, Incoming>();
  const replies = new Map<string, Reply>();
  let last: { readonly lane: Lane; readonly contracts: IncomingContracts } | undefined;
  let reports: CloseContract[] = [];

  const endLane = (key: string): void => {
    lanes.get(key)?.receiver.end();
    lanes.get(key)?.contracts.end();
    lanes.delete(key);
  };
  const endReply = (key: string): void => {
    const reply = replies.get(key);
    reply?.sender.end();
    reports.push(...(reply?.contracts.end() ?? []));
    replies.delete(key);
  };

  const openLane = (pack: Pack): Incoming => {
    const contracts = createIncomingContracts(options.ledger, options.id);
    const receiver = createReceiver({
      sequenceId: pack.sequenceId,
      budget: options.receiveBudget,
      knowsContract: contracts.knows,
      deliver(inTurn, now) {
        if (!contracts.pay(inTurn, now)) return false;
        last = { lane: inTurn.lane, contracts };
        for (const frame of inTurn.frames) options.deliver(frame, now);
        return true;
      },
    });
    return { receiver, contracts };
  };

  /** State is made only for what is paid: the contract is looked at before anything is kept. */
  const isPaid = ({ contract }: Pack, now: number): boolean =>
    contract !== undefined && options.ledger.admit(contract, options.id, now).kind === 'verified';

  /**
   * A newer sequence may be a consumer that was started again: it checks our contracts by another
   * secret now, so answers begin again with it, with contracts of their own.
   */
  const beginAgain = (key: string): void => {
    endLane(key);
    for (const reply of replies.keys()) endReply(reply);
  };

  const findLane = (pack: Pack, now: number): Incoming | undefined => {
    const key = toKey(pack.lane);
    const known = lanes.get(key);
    if (known !== undefined && pack.sequenceId <= known.receiver.sequenceId)
      return pack.sequenceId === known.receiver.sequenceId ? known : undefined;
    if (!isPaid(pack, now) || (known === undefined && lanes.size >= mostLanes)) return undefined;
    if (known !== undefined) beginAgain(key);
    const made = openLane(pack);
    lanes.set(key, made);
    return made;
  };

  const findReply = (): Reply | undefined => {
    const mode = last?.contracts.mode();
    if (last === undefined || mode === undefined) return undefined;
    const lane = { ...last.lane, isCompanion: mode !== provideModes.network };
    const key = toKey(lane);
    const known = replies.get(key);
    if (known !== undefined) return known;
    const { ownId, clock, sendBudget: budget, newId } = options;
    const contracts = createOwnContracts({ ownId, peerId: options.id, clock });
    const sender = createSender({
      sequenceId: newId(),
      lane,
      payment: contracts,
      newMessageId: newId,
      queueBytes,
      budget,
    });
    const made = { lane, sender, contracts };
    replies.set(key, made);
    return made;
  };

  return {
    id: options.id,
    take(pack, now) {
      const lane = findLane(pack, now);
      lane?.receiver.take(pack, now);
      return lane !== undefined;
    },
    acked(ack, now) {
      for (const { sender } of replies.values()) sender.take(ack, now);
    },
    answer: (frame, now) => findReply()?.sender.offer(frame, now) ?? false,
    acks: (now) => [...lanes.values()].flatMap(({ receiver }) => receiver.acks(now)),
    packs(now, most) {
      const packs: Pack[] = [];
      for (const { sender } of replies.values())
        packs.push(...sender.step(now, most - packs.length));
      return packs;
    },
    keepBooks(now) {
      for (const [key, { receiver }] of lanes) {
        const end = receiver.ended(now);
        if (end === 'gap' || end === 'idle') endLane(key);
      }
      const asks: ContractAsk[] = [];
      for (const [key, { lane, sender, contracts }] of replies) {
        const step = contracts.step(now);
        reports.push(...step.reports);
        if (step.ask !== undefined)
          asks.push({
            destinationId: options.id,
            transferByteCount: step.ask,
            isCompanion: lane.isCompanion,
            forceStream: lane.forceStream,
            contracts,
          });
        if (sender.ended(now) !== undefined) endReply(key);
      }
      const taken = reports;
      reports = [];
      return { asks, reports: taken };
    },
    wakeAt(now) {
      let soonest = Number.POSITIVE_INFINITY;
      for (const { receiver } of lanes.values()) soonest = Math.min(soonest, receiver.wakeAt());
      for (const { sender } of replies.values()) soonest = Math.min(soonest, sender.wakeAt(now));
      return soonest;
    },
    save: () => [...replies.values()].flatMap(({ contracts }) => contracts.save()),
    isGone: () => lanes.size === 0 && replies.size === 0,
    end() {
      for (const key of lanes.keys()) endLane(key);
      for (const key of replies.keys()) endReply(key);
      return reports;
    },
  };
}

function toKey({ forceStream, isCompanion, number }: Lane): string {
  return `${Number(forceStream)}${Number(isCompanion)}${number}`;
}
