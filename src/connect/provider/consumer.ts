import type { AccountData } from '../contract/account.ts';
import type { Anchor } from '../contract/incoming.ts';
import type { ReceivedContracts } from '../contract/received-contracts.ts';
import { type ProvideWish, publishedModes } from '../contract/secrets.ts';
import type { ServiceClock } from '../contract/service-clock.ts';
import type { MemoryBudget } from '../sequence/hold-back.ts';
import type { Ack } from '../wire/ack.ts';
import type { CloseContract } from '../wire/contract-messages.ts';
import type { Frame } from '../wire/frame.ts';
import type { Id } from '../wire/id.ts';
import { provideModes } from '../wire/message-types.ts';
import { type Pack, toLaneKey } from '../wire/pack.ts';
import { createIncomingLane, type IncomingLane } from './incoming-lane.ts';
import { isAtLimit, type Renewals } from './renewal.ts';
import { type ContractAsk, createReplies } from './replies.ts';

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
  /** Packs to send now, at most so many. */
  packs(now: number, most: number): readonly Pack[];
  /** Contracts to ask for and reports to send; ends what is over. */
  keepBooks(now: number): Step;
  wakeAt(now: number): number;
  /** Nothing is left of it. */
  isGone(): boolean;
  /** Ends what was paid by contracts of a mode that is not published for this wish. */
  narrow(wish: ProvideWish): void;
  end(): readonly CloseContract[];
  /** Our contracts to it, to be kept. */
  save(): readonly AccountData[];
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
  /** Unpaid bytes that a consumer may carry from one of its contracts to the next. */
  readonly mostUnpaidBytes: number;
  readonly deliver: (frame: Frame, now: number) => void;
}

/** 2 classes of stream, 2 of companion and 9 lanes are possible; programs use three. */
const mostLanes = 16;
/** So long after a renewal, answers that get no ack show that it was another consumer's start. */
const proofAfter = 5000;

/** What is unpaid is looked at so often; what is to be sent, at each step. */
const lookEvery = 1000;

export function createConsumer(options: ConsumerOptions): Consumer {
  const { ownId, clock, newId, renewals, sendBudget: budget } = options;
  const lanes = new Map<string, IncomingLane>();
  const replies = createReplies({
    consumerId: options.id,
    ownId,
    clock,
    budget,
    newId,
    renewals,
  });
  /** The lane of the last packet or ping. */
  let last: IncomingLane | undefined;
  let anchor: Anchor | undefined;
  let dataAt: number | undefined;
  /** Unpaid bytes of lanes that are over. */
  let endedUnpaid = 0;
  /** All of them when the newest contract came, and when they were counted last. */
  let unpaidBefore = 0;
  let unpaidCounted = 0;
  /** A planned renewal that no ack has proven yet. */
  let renewedAt: number | undefined;
  let lookAt = Number.NEGATIVE_INFINITY;

  const endLane = (key: string): void => {
    const lane = lanes.get(key);
    endedUnpaid += lane?.unpaidBytes() ?? 0;
    lane?.end();
    if (lanes.delete(key)) options.laneBudget.give(1);
  };
  const endReplies = (): void => {
    replies.endAll();
    renewedAt = undefined;
  };
  const sumUnpaid = (): number => {
    let sum = endedUnpaid + replies.unpaidBytes();
    for (const lane of lanes.values()) sum += lane.unpaidBytes();
    return sum;
  };

  /** By the newest contract of the consumer, ours are granted. */
  const findAnchor = (lane: IncomingLane): void => {
    const newest = lane.newest();
    if (newest === undefined || newest.createdAt <= (anchor?.createdAt ?? -1)) return;
    anchor = newest;
    unpaidBefore = sumUnpaid();
    replies.anchored(newest.createdAt);
  };

  const openLane = (pack: Pack): IncomingLane => {
    const lane: IncomingLane = createIncomingLane({
      sourceId: options.id,
      lane: pack.lane,
      sequenceId: pack.sequenceId,
      ledger: options.ledger,
      budget: options.receiveBudget,
      renewals,
      facts: () => ({
        hasSignalLane: [...lanes.values()].some((one) => one.isSignalLane()),
        anchor,
        dataAt,
      }),
      deliver(inTurn, kind, now) {
        findAnchor(lane);
        if (kind === 'data') dataAt = now;
        if (kind === 'data' || kind === 'ping') last = lane;
        for (const frame of inTurn.frames) options.deliver(frame, now);
      },
    });
    return lane;
  };

  /** State is made only for what is paid: the contract is looked at before anything is kept. */
  const isPaid = ({ contract }: Pack, now: number): boolean =>
    contract !== undefined && options.ledger.admit(contract, options.id, now).kind === 'verified';

  /**
   * A newer sequence that was not waited for may be a consumer that was started again: it checks
   * our contracts by another secret now, so answers begin again with it, with contracts of their
   * own.
   */
  const replace = (key: string, known: IncomingLane, now: number): void => {
    const rule = known.replacedBy(now);
    endLane(key);
    if (rule === undefined) {
      endReplies();
      return;
    }
    renewedAt = now;
    if (rule === 'signal') renewals.bySignal++;
    else renewals.byPause++;
  };

  const findLane = (pack: Pack, now: number): IncomingLane | undefined => {
    const key = toLaneKey(pack.lane);
    const known = lanes.get(key);
    if (known !== undefined && pack.sequenceId <= known.sequenceId)
      return pack.sequenceId === known.sequenceId ? known : undefined;
    if (!isPaid(pack, now) || (known === undefined && lanes.size >= mostLanes)) return undefined;
    if (known !== undefined) replace(key, known, now);
    if (!options.laneBudget.take(1)) return undefined;
    const made = openLane(pack);
    lanes.set(key, made);
    return made;
  };

  /** Where no ack proves a renewal, it was another start of the consumer after all. */
  const proveRenewal = (now: number): void => {
    const isDue = renewedAt !== undefined && now - renewedAt >= proofAfter;
    if (isDue && replies.isUnanswered()) endReplies();
  };
  const keepLimit = (now: number): void => {
    const sum = sumUnpaid();
    renewals.bridgedBytes += sum - unpaidCounted;
    unpaidCounted = sum;
    const unpaidBytes = sum - unpaidBefore;
    const isRunningOut = replies.isRunningOut(now);
    const { mostUnpaidBytes } = options;
    if (!isAtLimit({ unpaidBytes, mostUnpaidBytes, isRunningOut })) return;
    for (const lane of lanes.values()) if (!lane.isSignalLane()) lane.giveUp(now);
  };

  return {
    id: options.id,
    take(pack, now) {
      const lane = findLane(pack, now);
      lane?.take(pack, now);
      return lane !== undefined;
    },
    acked(ack, now) {
      const isOurs = replies.acked(ack, now);
      if (isOurs) renewedAt = undefined;
      return isOurs;
    },
    answer(frame, now) {
      const mode = last?.mode();
      if (last === undefined || mode === undefined || replies.isAbused()) return false;
      const lane = { ...last.lane, isCompanion: mode !== provideModes.network };
      return replies.find(lane).offer(frame, now);
    },
    acks: (now) => [...lanes.values()].flatMap((lane) => lane.acks(now)),
    packs: replies.packs,
    keepBooks(now) {
      for (const [key, lane] of lanes) if (lane.isOver(now)) endLane(key);
      if (now >= lookAt) {
        lookAt = now + lookEvery;
        proveRenewal(now);
        keepLimit(now);
      }
      const asks = replies.step(now);
      return { asks, reports: replies.takeReports() };
    },
    wakeAt(now) {
      let soonest = replies.wakeAt(now);
      for (const lane of lanes.values()) soonest = Math.min(soonest, lane.wakeAt());
      return soonest;
    },
    narrow(wish) {
      const isWished = (lane: IncomingLane): boolean =>
        publishedModes[wish].some((mode) => mode === lane.mode());
      for (const [key, lane] of lanes) if (!isWished(lane)) endLane(key);
      if (last === undefined || isWished(last)) return;
      last = undefined;
      endReplies();
    },
    save: replies.save,
    isGone: () => lanes.size === 0 && replies.isEmpty(),
    end() {
      for (const key of lanes.keys()) endLane(key);
      replies.endAll();
      return replies.takeReports();
    },
  };
}
