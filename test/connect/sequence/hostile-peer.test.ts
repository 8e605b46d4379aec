import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHeldPacks, createMemoryBudget } from '../../../src/connect/sequence/hold-back.ts';
import type { PackLimit } from '../../../src/connect/sequence/outgoing-queue.ts';
import type { Payment } from '../../../src/connect/sequence/payment.ts';
import { createSender, type Sender } from '../../../src/connect/sequence/sender.ts';
import type { Ack } from '../../../src/connect/wire/ack.ts';
import type { Pack } from '../../../src/connect/wire/pack.ts';
import { assertLaw } from '../../unit/law.ts';
import { testIds } from '../support/contracts.ts';

const ids = testIds(4);
const frame = { type: 16, bytes: Buffer.alloc(1060), isRaw: true };
const tiny = { ...frame, bytes: Buffer.alloc(1) };
const by = { contractId: ids.next(1), contract: Buffer.alloc(1000) };
const paid: Payment = {
  take: () => ({ kind: 'charged', by }),
  contractLength: () => by.contract.length,
  acked: () => undefined,
};
const alone: PackLimit = { frames: 1, bytes: Number.POSITIVE_INFINITY };
const wayMs = 50;

const makeSender = (packLimit?: PackLimit): Sender =>
  createSender({
    sequenceId: ids.next(1),
    lane: { forceStream: false, isCompanion: true, number: 0 },
    newMessageId: () => ids.next(1),
    queueBytes: 1024 * 1024,
    payment: paid,
    packLimit,
    budget: createMemoryBudget(64 * 1024 * 1024),
  });

const ackOf = (pack: Pack, special: Partial<Ack> = {}): Ack => ({
  messageId: pack.messageId,
  sequenceId: pack.sequenceId,
  isSelective: false,
  tag: pack.tag,
  missingContractId: undefined,
  recoversContracts: true,
  laneVersion: 1,
  ...special,
});

/** Sends all that the sender takes, and has each Pack answered a round trip later. */
function drive(
  sender: Sender,
  of: {
    readonly from: number;
    readonly until: number;
    readonly frame: typeof frame;
    readonly answer: (arrived: readonly Pack[]) => readonly Ack[];
  },
) {
  let onTheWay: (readonly [number, Pack])[] = [];
  let bytes = 0;
  let packs = 0;
  for (let now = of.from; now < of.until; now++) {
    while (sender.offer(of.frame, now));
    const arrived = onTheWay.filter(([at]) => at <= now).map(([, pack]) => pack);
    onTheWay = onTheWay.filter(([at]) => at > now);
    for (const ack of of.answer(arrived)) sender.take(ack, now);
    for (const pack of sender.step(now, 1000)) {
      packs++;
      for (const one of pack.frames) bytes += one.bytes.length;
      onTheWay.push([now + wayMs, pack]);
    }
  }
  return { bytes, packs };
}

const honest = (arrived: readonly Pack[]): readonly Ack[] => arrived.map((pack) => ackOf(pack));
const lastAlone = (arrived: readonly Pack[]): readonly Ack[] =>
  arrived.slice(-1).map((pack) => ackOf(pack, { isSelective: true }));

test('a peer that acknowledges the last Pack alone has the others sent a few times, and not all the while', () => {
  const sender = makeSender();
  drive(sender, { from: 0, until: 3000, frame, answer: honest });
  const { bytes } = drive(sender, { from: 3000, until: 60_000, frame, answer: lastAlone });
  const { unackedBytes } = sender.counters();
  expect(unackedBytes).toBeGreaterThan(1024 * 1024);
  expect(bytes / unackedBytes).toBeLessThan(15);
});

test('a peer that asks for the contract all the while gets it ten times a second', () => {
  const sender = makeSender();
  for (let count = 0; count < 12; count++) sender.offer(frame, 0);
  const packs = sender.step(0, 1000);
  let again = 0;
  for (let now = 1; now <= 5000; now++) {
    const asked = packs[now % packs.length] as Pack;
    sender.take(ackOf(asked, { missingContractId: by.contractId }), now);
    again += sender.step(now, 1000).length;
  }
  // A few of them are probes.
  expect(again).toBeGreaterThan(40);
  expect(again).toBeLessThan(70);
});

test('however small they are, no more than two thousand Packs are on their way', () => {
  const sender = makeSender(alone);
  const first = drive(sender, { from: 0, until: 3000, frame: tiny, answer: honest });
  expect(first.packs).toBeGreaterThan(5000);
  drive(sender, { from: 3000, until: 8000, frame: tiny, answer: () => [] });
  expect(sender.counters().unackedBytes).toBeLessThanOrEqual(2048);
});

/** What is to be held, where each takes as much as the others. */
function createModel(most: number) {
  const numbers = new Set<number>();
  return {
    numbers,
    hold(number: number): boolean {
      numbers.delete(number);
      const highest = Math.max(0, ...numbers);
      const isFull = numbers.size >= most;
      if (isFull && number >= highest) return false;
      if (isFull) numbers.delete(highest);
      numbers.add(number);
      return true;
    },
    dropBelow(number: number): void {
      for (const one of [...numbers]) if (one < number) numbers.delete(one);
    },
  };
}

test('what has no room is given up from the highest number down, whatever comes in which order', () => {
  const many = { minLength: 60, maxLength: 200, size: 'max' } as const;
  const orders = fc.array(fc.integer({ min: 1, max: 400 }), many);
  assertLaw(fc.tuple(orders, fc.integer({ min: 2000, max: 4000 })), ([order, length]) => {
    const budget = createMemoryBudget(64 * 1024 * 1024);
    const held = createHeldPacks(budget);
    const cost = 20 * length + 256;
    const model = createModel(Math.floor((2.5 * 1024 * 1024) / cost));
    for (const [at, number] of order.entries()) {
      expect(held.hold(packOf(number, 20 * length), at)).toBe(model.hold(number));
      const below = at % 50 === 49 ? Math.min(...model.numbers) + 3 : 0;
      held.dropBelow(below);
      model.dropBelow(below);
    }
    for (const number of new Set(order)) expect(held.has(number)).toBe(model.numbers.has(number));
    expect(budget.used()).toBe(model.numbers.size * cost);
    for (const number of model.numbers) expect(held.take(number)?.sequenceNumber).toBe(number);
    expect([held.isEmpty(), budget.used()]).toEqual([true, 0]);
  });
});

const packOf = (sequenceNumber: number, length: number): Pack => ({
  messageId: ids.next(1),
  sequenceId: ids.next(1),
  sequenceNumber,
  isHead: false,
  frames: [{ type: 15, bytes: Buffer.alloc(length), isRaw: true }],
  wantsNoAck: false,
  contract: undefined,
  tag: undefined,
  contractId: undefined,
  lane: { forceStream: false, isCompanion: false, number: 0 },
});
