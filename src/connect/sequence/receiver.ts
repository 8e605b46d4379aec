import type { Ack, Tag } from '../wire/ack.ts';
import type { Id } from '../wire/id.ts';
import type { Pack } from '../wire/pack.ts';
import { createHeldPacks, type MemoryBudget } from './hold-back.ts';

/**
 * What comes in by one lane of a peer, put in order. Every time is in whole ms of one clock that
 * never goes back. `take` hears a Pack and hands over, by `deliver`, what is now in order; `acks`
 * gives what is to be said to the peer, once `wakeAt` has come. Packs are delivered before they are
 * acknowledged.
 */
export interface Receiver {
  readonly sequenceId: Id;
  take(pack: Pack, now: number): void;
  acks(now: number): readonly Ack[];
  wakeAt(): number;
  /**
   * Hears and delivers what comes from now on, but acknowledges nothing of it: the peer's sequence
   * ends by it, and the next one brings a contract. Called inside of `deliver`, it begins with the
   * Pack that is being delivered. With `selectAfterMs`, that Pack is acknowledged selectively once.
   */
  withhold(how: { readonly selectAfterMs?: number | undefined }, now: number): void;
  /** Acknowledges everything at once that was withheld. */
  acknowledge(now: number): void;
  /** Why it is over. A sequence that was refused stays, so that what is sent again is dropped. */
  ended(now: number): ReceiverEnd | undefined;
  /** Packs below this number were delivered. */
  next(): number;
  /** Gives back the memory of what never came in order. */
  end(): void;
  counters(): ReceiverCounters;
}

type ReceiverEnd = 'refused' | 'gap' | 'idle';

interface ReceiverCounters {
  readonly delivered: number;
  readonly duplicates: number;
  readonly outOfOrder: number;
}

export interface ReceiverOptions {
  readonly sequenceId: Id;
  /**
   * Hands over one Pack in its turn: its contract is checked and charged there. False refuses the
   * whole sequence: nothing of it is taken any more.
   */
  readonly deliver: (pack: Pack, now: number) => boolean;
  /** Whether this sequence knows the contract of that id. */
  readonly knowsContract: (contractId: Id) => boolean;
  readonly budget: MemoryBudget;
  /** Packs below this number were delivered in an earlier life. */
  readonly firstNumber?: number;
  /** Called with each of those that is sent again, once and in order: its contract goes on. */
  readonly recall?: (pack: Pack, now: number) => void;
  /** Called for each Pack that is not taken, and has no answer. */
  readonly onDrop?: (why: DropReason) => void;
}

/** It is not paid, or its sequence is refused; or there is no room for what came too early. */
export type DropReason = 'unpaid' | 'noRoom';

/** Acks are collected for so long, as the official receiver does. */
const ackDelay = 10;
/** A Pack that waits for an earlier one for so long ends the sequence; the wire says 60 s. */
const longestGap = 60_000;
/** The wire says 120 s. */
const longestIdle = 120_000;

export function createReceiver(options: ReceiverOptions): Receiver {
  const held = createHeldPacks(options.budget);
  let next = options.firstNumber ?? 0;
  let usedAt: number | undefined;
  let isRefused = false;
  let highest: (Said & { readonly number: number }) | undefined;
  /** What is to be said at `ackAt`. */
  let saysHighest = false;
  let hasNews = false;
  const selective = new Map<number, Said>();
  const missing = new Map<Id, Said & { readonly contractId: Id }>();
  let ackAt = Number.POSITIVE_INFINITY;
  let withheld: Withheld | undefined;
  const count = { delivered: 0, duplicates: 0, outOfOrder: 0 };

  const sayLater = (now: number): void => {
    ackAt = Math.min(ackAt, now + ackDelay);
  };

  const dueAt = (): number => Math.min(ackAt, withheld?.selectAt ?? Number.POSITIVE_INFINITY);

  const deliver = (pack: Pack, now: number): boolean => {
    if (!options.deliver(pack, now)) {
      isRefused = true;
      options.onDrop?.('unpaid');
      held.clear();
      return false;
    }
    count.delivered++;
    return true;
  };

  const takeInTurn = (pack: Pack, now: number): void => {
    let turn: Pack | undefined = pack;
    while (turn !== undefined && deliver(turn, now)) {
      highest = { messageId: turn.messageId, tag: turn.tag, number: turn.sequenceNumber };
      next = turn.sequenceNumber + 1;
      if (withheld === undefined) {
        saysHighest = true;
        hasNews = true;
      } else withheld.first ??= turn.messageId;
      turn = held.take(next);
    }
    sayLater(now);
  };

  const takeEarly = (pack: Pack, now: number): void => {
    if (!held.has(pack.sequenceNumber) && !held.hold(pack, now)) {
      options.onDrop?.('noRoom');
      return;
    }
    count.outOfOrder++;
    if (withheld !== undefined) return;
    selective.set(pack.sequenceNumber, { messageId: pack.messageId, tag: pack.tag });
    sayLater(now);
  };

  const takeAgain = (pack: Pack, now: number): void => {
    count.duplicates++;
    if (withheld !== undefined && pack.sequenceNumber >= withheld.from) return;
    const { messageId, sequenceNumber: number } = pack;
    if (number > (highest?.number ?? -1)) {
      options.recall?.(pack, now);
      highest = { messageId, tag: undefined, number };
    }
    saysHighest = true;
    sayLater(now);
  };

  const takeOrdered = (pack: Pack, now: number): void => {
    const { contractId } = pack;
    const names = pack.isHead && pack.contract === undefined && contractId !== undefined;
    if (names && !options.knowsContract(contractId)) {
      missing.set(pack.messageId, { messageId: pack.messageId, tag: undefined, contractId });
      sayLater(now);
      return;
    }
    if (pack.isHead && pack.sequenceNumber > next) {
      next = pack.sequenceNumber;
      held.dropBelow(next);
    }
    if (pack.sequenceNumber === next) takeInTurn(pack, now);
    else if (pack.sequenceNumber > next) takeEarly(pack, now);
    else takeAgain(pack, now);
  };

  const sayHighest = (): readonly Ack[] => {
    const said = withheld === undefined ? highest : withheld.before;
    if (!saysHighest || said === undefined) return [];
    // Where only duplicates came, there is no tag: their time says nothing.
    return [toAck({ ...said, tag: hasNews ? said.tag : undefined })];
  };
  const sayWithheld = (now: number): readonly Ack[] => {
    if (withheld === undefined || now < withheld.selectAt) return [];
    withheld.selectAt = Number.POSITIVE_INFINITY;
    const { first } = withheld;
    if (first === undefined) return [];
    return [toAck({ messageId: first, tag: undefined }, { isSelective: true })];
  };

  return {
    sequenceId: options.sequenceId,
    take(pack, now) {
      usedAt = now;
      if (isRefused) options.onDrop?.('unpaid');
      else if (!pack.wantsNoAck) takeOrdered(pack, now);
      else if (pack.contractId === undefined || options.knowsContract(pack.contractId))
        deliver(pack, now);
    },
    acks(now) {
      if (now < dueAt()) return [];
      ackAt = Number.POSITIVE_INFINITY;
      const acks = [...sayHighest(), ...sayWithheld(now)];
      for (const [number, said] of selective)
        if (number >= next) acks.push(toAck(said, { isSelective: true }));
      for (const said of missing.values())
        acks.push(toAck(said, { missingContractId: said.contractId }));
      saysHighest = false;
      hasNews = false;
      selective.clear();
      missing.clear();
      return acks;
    },
    wakeAt() {
      const oldest = held.oldestAt();
      const endAt = oldest === undefined ? (usedAt ?? 0) + longestIdle : oldest + longestGap;
      return Math.min(dueAt(), endAt);
    },
    withhold({ selectAfterMs = Number.POSITIVE_INFINITY }, now) {
      withheld ??= { from: next, before: highest, first: undefined, selectAt: now + selectAfterMs };
    },
    acknowledge(now) {
      if (withheld === undefined) return;
      withheld = undefined;
      saysHighest = true;
      sayLater(now);
    },
    ended(now) {
      const oldest = held.oldestAt();
      if (oldest !== undefined && now - oldest >= longestGap) return 'gap';
      const isIdle = oldest === undefined && usedAt !== undefined && now - usedAt >= longestIdle;
      if (isIdle) return 'idle';
      return isRefused ? 'refused' : undefined;
    },
    next: () => next,
    end: () => held.clear(),
    counters: () => ({ ...count }),
  };

  function toAck(said: Said, special?: Partial<Ack>): Ack {
    return {
      messageId: said.messageId,
      sequenceId: options.sequenceId,
      isSelective: false,
      tag: said.tag,
      missingContractId: undefined,
      // We can ask for a contract that we do not know, and take every lane.
      recoversContracts: true,
      laneVersion: 1,
      ...special,
    };
  }
}

interface Said {
  readonly messageId: Id;
  readonly tag: Tag | undefined;
}

/** Acks that are kept back, from one number on. */
interface Withheld {
  readonly from: number;
  /** What is acknowledged all the same: the Pack before. */
  readonly before: Said | undefined;
  /** The first Pack that is not acknowledged, once it came. */
  first: Id | undefined;
  selectAt: number;
}
