import type { AccountData } from '../contract/account.ts';
import { createAskPace } from '../contract/ask-pace.ts';
import type { Refusals } from '../contract/asking.ts';
import { createOwnContracts, type OwnContracts } from '../contract/own-contracts.ts';
import type { ServiceClock } from '../contract/service-clock.ts';
import type { MemoryBudget } from '../sequence/hold-back.ts';
import { createPatience } from '../sequence/patience.ts';
import { createSender, type Sender } from '../sequence/sender.ts';
import type { Ack } from '../wire/ack.ts';
import type { CloseContract } from '../wire/contract-messages.ts';
import type { Frame } from '../wire/frame.ts';
import type { Id } from '../wire/id.ts';
import { countAnswerBytes } from '../wire/ip-frames.ts';
import { isSameLane, type Lane, type Pack, toLaneKey } from '../wire/pack.ts';
import type { ContractAsk } from './contract-ask.ts';
import type { Carried, Drops } from './counters.ts';
import { createHoleWatch, type HoleWatch } from './hole-watch.ts';
import type { Renewals } from './renewal.ts';

/** Our answers to one consumer: a sequence for each lane that it is answered by. */
export interface Replies {
  /** The sequence of a lane; it is begun by the first call. */
  find(lane: Lane): Sender;
  /** True where it is an answer of the consumer to one of these sequences. */
  acked(ack: Ack, now: number): boolean;
  /** Packs to send now, at most so many. */
  packs(now: number, most: number): readonly Pack[];
  /** Contracts to ask for; ends what is over. */
  step(now: number): readonly ContractAsk[];
  /** The consumer has a new contract, made at this time. */
  anchored(createdAt: number): void;
  /**
   * Bytes of answers that were sent by contracts which the service had closed by then; it never
   * shrinks.
   */
  unpaidBytes(): number;
  isRunningOut(now: number): boolean;
  /** Too much was left unacknowledged: nothing more is sent. */
  isAbused(): boolean;
  /** Something was sent that is not acknowledged. */
  isUnanswered(): boolean;
  wakeAt(now: number): number;
  isEmpty(): boolean;
  endAll(): void;
  /**
   * Ends them, and what was never sent goes on by new ones. What was sent is left: it may have
   * arrived, and would be counted by two contracts. Acks of it that are under way still count. With
   * the first session of encryption it is also sent again where it is lost, since the consumer has
   * both sequences then. With a later one, the new sequence takes the place of the old one there,
   * so nothing is done where all was acknowledged.
   */
  beginAgain(session: 'first' | 'again', now: number): void;
  takeReports(): readonly CloseContract[];
  save(): readonly AccountData[];
}

export interface RepliesOptions {
  readonly consumerId: Id;
  readonly ownId: Id;
  readonly clock: ServiceClock;
  readonly budget: MemoryBudget;
  readonly newId: () => Id;
  readonly renewals: Renewals;
  readonly onLate: (frames: number) => void;
  /** What only goes sealed cannot be sealed now. */
  readonly isHeld: () => boolean;
  readonly onAcked: (frames: readonly Frame[]) => void;
  readonly drops: Pick<Drops, 'unsent'>;
  readonly carried: Pick<Carried, 'downBytes'>;
}

/**
 * Packets that wait for one consumer: what it is sent while its first contract is asked for, a
 * quarter of a second at 32 Mbit/s. What waits for long is dropped long before this is full.
 */
const queueBytes = 1024 * 1024;

/**
 * What is not acknowledged when a sequence ends is paid by nobody. A consumer that begins again and
 * again could download by that, so it may leave so much, and as much as it has acknowledged.
 */
const mostAbandoned = 16 * 1024 * 1024;

/** So long after a sequence ended for another one, acks of it are heard. */
const lastAcks = 5000;

interface Reply {
  readonly lane: Lane;
  readonly sender: Sender;
  readonly contracts: OwnContracts;
  readonly holes: HoleWatch;
}

export function createReplies(options: RepliesOptions): Replies {
  const { consumerId, budget, newId } = options;
  const open = new Map<string, Reply>();
  /** Sequences that another one follows on, until when they are heard. */
  const leaving = new Map<Reply, number>();
  /** Of these, what is sent again. */
  const resending = new Set<Reply>();
  /** What was answered last, so that the next packet of a flow finds it without making a key. */
  let latest: Reply | undefined;
  let anchoredAt: number | undefined;
  /** Since then: a consumer that has us begin again and again does not make us ask more often. */
  let refusals: Refusals | undefined;
  const mayAsk = createAskPace();
  /** Of the sequences that are over. */
  const ended = { unpaid: 0, acked: 0, abandoned: 0 };
  let reports: CloseContract[] = [];

  const finish = (reply: Reply): void => {
    const { unackedBytes, queuedFrames } = reply.sender.counters();
    ended.unpaid += reply.contracts.unpaidBytes();
    ended.acked += reply.contracts.ackedBytes();
    ended.abandoned += unackedBytes;
    options.renewals.abandonedBytes += reply.contracts.abandonedBytes();
    options.drops.unsent += queuedFrames;
    reply.sender.end();
    reports.push(...reply.contracts.end());
    leaving.delete(reply);
    resending.delete(reply);
  };
  const remove = (key: string, reply: Reply): void => {
    refusals = reply.contracts.refusals();
    open.delete(key);
    if (latest === reply) latest = undefined;
  };
  const end = (key: string, reply: Reply): void => {
    finish(reply);
    remove(key, reply);
  };
  const make = (lane: Lane): Reply => {
    const of = { peerId: consumerId, anchoredAt, refusals, mayAsk };
    const contracts = createOwnContracts({ ...options, ...of });
    const sender = createSender({
      sequenceId: newId(),
      lane,
      payment: contracts,
      newMessageId: newId,
      queueBytes,
      budget,
      patience: createPatience(),
      onLate: options.onLate,
      isHeld: options.isHeld,
      onAcked: options.onAcked,
      onSent(frames, now) {
        const bytes = countAnswerBytes(frames);
        options.carried.downBytes += bytes;
        contracts.carried(bytes, now);
      },
    });
    return { lane, sender, contracts, holes: createHoleWatch() };
  };
  const stepOne = ({ lane, contracts }: Reply, now: number): readonly ContractAsk[] => {
    const { ask, reports: made } = contracts.step(now);
    reports.push(...made);
    if (ask === undefined) return [];
    const { isCompanion, forceStream } = lane;
    const transferByteCount = ask;
    return [{ destinationId: consumerId, transferByteCount, isCompanion, forceStream, contracts }];
  };

  const find = (lane: Lane): Sender => {
    if (latest !== undefined && isSameLane(latest.lane, lane)) return latest.sender;
    const key = toLaneKey(lane);
    latest = open.get(key) ?? make(lane);
    open.set(key, latest);
    return latest.sender;
  };
  const isUnanswered = (): boolean =>
    [...open.values()].some(({ sender }) => sender.counters().unackedBytes > 0);
  const leave = (key: string, reply: Reply, now: number): void => {
    const unsent = reply.sender.takeUnsent();
    remove(key, reply);
    leaving.set(reply, now + lastAcks);
    for (const frame of unsent) if (!find(reply.lane).offer(frame, now)) options.drops.unsent++;
  };

  return {
    find,
    acked(ack, now) {
      const all = [...open.values(), ...leaving.keys()];
      for (const { sender } of all) sender.take(ack, now);
      return all.some(({ sender }) => sender.sequenceId === ack.sequenceId);
    },
    packs(now, most) {
      const packs: Pack[] = [];
      for (const { sender } of resending)
        for (const pack of sender.step(now, most - packs.length))
          packs.push({ ...pack, isOutside: true });
      for (const { sender } of open.values()) packs.push(...sender.step(now, most - packs.length));
      return packs;
    },
    step(now) {
      const asks: ContractAsk[] = [];
      for (const [reply, until] of leaving)
        if (now >= until || reply.sender.counters().unackedBytes === 0) finish(reply);
      for (const [key, reply] of open) {
        if (reply.holes.look(reply.sender.counters(), now)) options.renewals.holes++;
        asks.push(...stepOne(reply, now));
        if (reply.sender.ended(now) !== undefined) end(key, reply);
      }
      return asks;
    },
    anchored(createdAt) {
      anchoredAt = createdAt;
      refusals = undefined;
      for (const { contracts } of open.values()) contracts.anchored(createdAt);
    },
    unpaidBytes() {
      let sum = ended.unpaid;
      for (const { contracts } of [...open.values(), ...leaving.keys()])
        sum += contracts.unpaidBytes();
      return sum;
    },
    isRunningOut: (now) => [...open.values()].some(({ contracts }) => contracts.isRunningOut(now)),
    isAbused: () => ended.abandoned > mostAbandoned + ended.acked,
    isUnanswered,
    wakeAt(now) {
      let soonest = Number.POSITIVE_INFINITY;
      for (const { sender } of [...open.values(), ...resending])
        soonest = Math.min(soonest, sender.wakeAt(now));
      return soonest;
    },
    isEmpty: () => open.size === 0 && leaving.size === 0,
    endAll() {
      for (const reply of leaving.keys()) finish(reply);
      for (const [key, reply] of open) end(key, reply);
    },
    beginAgain(session, now) {
      for (const [key, reply] of [...open]) {
        if (session === 'first') resending.add(reply);
        leave(key, reply, now);
      }
    },
    takeReports() {
      const taken = reports;
      reports = [];
      return taken;
    },
    save: () => [...open.values(), ...leaving.keys()].flatMap(({ contracts }) => contracts.save()),
  };
}
