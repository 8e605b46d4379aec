import { createMemoryBudget, type MemoryBudget } from '../../../src/connect/sequence/hold-back.ts';
import type { Payment } from '../../../src/connect/sequence/payment.ts';
import { createReceiver, type Receiver } from '../../../src/connect/sequence/receiver.ts';
import { createSender, type Sender } from '../../../src/connect/sequence/sender.ts';
import type { Ack } from '../../../src/connect/wire/ack.ts';
import { createIdSource, type Id } from '../../../src/connect/wire/id.ts';
import type { Pack } from '../../../src/connect/wire/pack.ts';
import { type Chance, createChance, createLink, type LinkNature } from './link.ts';

/** A sender and a receiver with a link between them, in virtual time. */
export interface Pair {
  readonly sender: Sender;
  readonly receiver: Receiver;
  readonly budget: MemoryBudget;
  readonly sendBudget: MemoryBudget;
  readonly delivered: readonly Delivered[];
  /** How often the Pack that was lost most often was lost. */
  mostLost(): number;
  /** The most acks in a row that were lost. */
  acksLostInRow(): number;
  /**
   * Runs until the time is over. `each` is called at each step, and says when it wants the next.
   */
  run(until: number, each?: (now: number) => number): number;
  readonly now: () => number;
}

export interface Delivered {
  readonly bytes: Buffer;
  readonly at: number;
}

export interface PairOptions {
  readonly nature: LinkNature;
  readonly seed: number;
  readonly payment: Payment;
  readonly queueBytes?: number;
  readonly deliver?: (pack: Pack) => boolean;
}

export const chanceBytes = (chance: Chance) => (length: number) =>
  Buffer.from(Array.from({ length }, () => Math.floor(chance() * 256)));

export function createPair(options: PairOptions): Pair {
  const chance = createChance(options.seed);
  const ids = createIdSource({ randomBytes: chanceBytes(chance) });
  const packs = createLink<Pack>(options.nature, chance);
  const acks = createLink<Ack>(options.nature, chance);
  const budget = createMemoryBudget(4 * 1024 * 1024);
  const sendBudget = createMemoryBudget(16 * 1024 * 1024);
  const known = new Set<Id>();
  const delivered: Delivered[] = [];
  const lost = new Map<Id, number>();
  let now = 0;
  const ackLosses = { row: 0, most: 0 };
  const sender = createSender({
    sequenceId: ids.next(1_700_000_000_000),
    lane: { forceStream: false, isCompanion: true, number: 0 },
    payment: options.payment,
    newMessageId: () => ids.next(1_700_000_000_000),
    queueBytes: options.queueBytes ?? 16 * 1024 * 1024,
    budget: sendBudget,
  });
  const receiver = createReceiver({
    sequenceId: sender.sequenceId,
    budget,
    knowsContract: (id) => known.has(id),
    deliver(pack, at) {
      if (options.deliver?.(pack) === false) return false;
      for (const { bytes } of pack.frames) delivered.push({ bytes: Buffer.from(bytes), at });
      return true;
    },
  });

  const send = (pack: Pack): void => {
    if (!packs.send(pack, now)) lost.set(pack.messageId, (lost.get(pack.messageId) ?? 0) + 1);
  };
  const say = (ack: Ack): void => {
    ackLosses.row = acks.send(ack, now) ? 0 : ackLosses.row + 1;
    ackLosses.most = Math.max(ackLosses.most, ackLosses.row);
  };
  const turn = (): void => {
    for (const pack of packs.arrived(now)) receiver.take(pack, now);
    for (const ack of acks.arrived(now)) sender.take(ack, now);
    for (const ack of receiver.acks(now)) say(ack);
    for (const pack of sender.step(now, 1000)) send(pack);
  };

  return {
    sender,
    receiver,
    budget,
    sendBudget,
    delivered,
    mostLost: () => Math.max(0, ...lost.values()),
    acksLostInRow: () => ackLosses.most,
    now: () => now,
    run(until, each) {
      while (now < until) {
        const wanted = each?.(now) ?? until;
        turn();
        const next = Math.min(packs.nextAt(), acks.nextAt(), receiver.wakeAt(), sender.wakeAt(now));
        now = Math.max(now + 1, Math.min(next, wanted, until));
      }
      return now;
    },
  };
}
