import { expect, test } from 'vitest';
import { createMemoryBudget } from '../../../src/connect/sequence/hold-back.ts';
import type { PackLimit } from '../../../src/connect/sequence/outgoing-queue.ts';
import { createPatience } from '../../../src/connect/sequence/patience.ts';
import type { Payment } from '../../../src/connect/sequence/payment.ts';
import { createSender, type Sender } from '../../../src/connect/sequence/sender.ts';
import type { SenderOptions } from '../../../src/connect/sequence/sender-options.ts';
import type { Ack } from '../../../src/connect/wire/ack.ts';
import type { Pack } from '../../../src/connect/wire/pack.ts';
import { testIds } from '../support/contracts.ts';
import { freeOfCharge } from '../support/free-of-charge.ts';

const ids = testIds(3);
const frame = { type: 16, bytes: Buffer.alloc(1060), isRaw: true };
const by = { contractId: ids.next(1), contract: Buffer.from('contract') };
const paid: Payment = {
  take: () => ({ kind: 'charged', by }),
  contractLength: () => by.contract.length,
  acked: () => undefined,
};

function setUp(
  payment: Payment = freeOfCharge,
  count = 300,
  packLimit: PackLimit | undefined = undefined,
): Sender {
  const sender = makeSender({ payment, packLimit, budget: createMemoryBudget(1024 * 1024) });
  for (let number = 0; number < count; number++) sender.offer(frame, 0);
  return sender;
}

function makeSender(of: Pick<SenderOptions, 'payment' | 'packLimit' | 'budget'>): Sender {
  return createSender({
    sequenceId: ids.next(1),
    lane: { forceStream: false, isCompanion: true, number: 0 },
    newMessageId: () => ids.next(1),
    queueBytes: 1024 * 1024,
    ...of,
  });
}

/** Where a test counts Packs, each packet has one of its own. */
const alone: PackLimit = { frames: 1, bytes: Number.POSITIVE_INFINITY };

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

test('it never sends a burst: sixteen Packs at once at first, and the window at most', () => {
  const sender = setUp();
  expect(sender.step(0, 1000).length).toBe(16);
  expect(sender.step(0, 1000).length).toBe(0);
  let sent = 16;
  for (let now = 1; now < 90; now++) sent += sender.step(now, 1000).length;
  // 64 KiB hold 20 Packs of three.
  expect(sent).toBe(20);
});

test('on a path that takes much, thirty-two Packs at once are the most', () => {
  const sender = setUp(freeOfCharge, 0);
  let onTheWay: (readonly [number, Pack])[] = [];
  let most = 0;
  for (let now = 0; now < 1000; now++) {
    while (sender.offer(frame, now));
    for (const [at, pack] of onTheWay) if (at <= now) sender.take(ackOf(pack), now);
    onTheWay = onTheWay.filter(([at]) => at > now);
    const packs = sender.step(now, 1000);
    most = Math.max(most, packs.length);
    for (const pack of packs) onTheWay.push([now + 10, pack]);
  }
  expect(most).toBe(32);
});

test('what waits goes together, up to what a message holds, and nobody waits for more', () => {
  const sender = setUp(freeOfCharge, 0);
  for (const length of [1100, 1100, 40, 1100, 1100, 40])
    sender.offer({ ...frame, bytes: Buffer.alloc(length) }, 0);
  expect(sender.step(0, 1000).map(({ frames }) => frames.length)).toEqual([4, 2]);
  sender.offer(frame, 1);
  expect(sender.step(1, 1000).map(({ frames }) => frames.length)).toEqual([1]);
  for (let count = 0; count < 40; count++) sender.offer({ ...frame, bytes: Buffer.alloc(40) }, 2);
  expect(sender.step(2, 1000).map(({ frames }) => frames.length)).toEqual([32, 8]);
});

test('who sends as the network’s programs do puts two small frames together, no large ones', () => {
  const sender = setUp(freeOfCharge, 0, { frames: 2, bytes: 1100 });
  for (const length of [40, 40, 40, 1080, 1000, 1000])
    sender.offer({ ...frame, bytes: Buffer.alloc(length) }, 0);
  expect(sender.step(0, 1000).map(({ frames }) => frames.length)).toEqual([2, 1, 1, 1, 1]);
});

test('a Pack that a contract has no room for waits for the next one, whole', () => {
  let left = 3000;
  const sender = setUp(
    {
      ...paid,
      take(bytes) {
        if (bytes > left) return { kind: 'waits' };
        left -= bytes;
        return { kind: 'charged', by };
      },
    },
    6,
  );
  expect(sender.step(0, 1000)).toEqual([]);
  left = 10_000;
  expect(sender.step(1, 1000).map(({ frames }) => frames.length)).toEqual([3, 3]);
  expect(left).toBe(10_000 - 6 * 1060);
});

test('selective acks that lead to nothing are forgotten, and the lowest Pack goes with its contract', () => {
  const sender = setUp(paid, 20);
  const packs = sender.step(0, 1000);
  for (const pack of packs) sender.take(ackOf(pack, { isSelective: true }), 20);
  const again: Pack[] = [];
  for (let now = 20; now < 3000; now += 5) again.push(...sender.step(now, 1000));
  expect(sender.counters().distrusted).toBeGreaterThan(0);
  const [lowest] = packs;
  const repeated = again.filter(({ messageId }) => messageId === lowest?.messageId);
  expect(repeated.at(-1)).toMatchObject({ isHead: true, contract: by.contract, sequenceNumber: 0 });
  // What it held after that is sent again as well.
  expect(new Set(again.map(({ sequenceNumber }) => sequenceNumber))).toContain(1);
});

test('a peer that asks for the contract gets the Pack again with it', () => {
  const sender = setUp(paid, 3, alone);
  const [first, second] = sender.step(0, 1000);
  expect([first?.contract, second?.contract]).toEqual([by.contract, undefined]);
  sender.take(ackOf(second as Pack, { missingContractId: by.contractId }), 10);
  expect(sender.step(10, 1000)).toMatchObject([
    { sequenceNumber: 1, isHead: false, contract: by.contract },
  ]);
});

test('a Pack that is sent again carries the time of this sending', () => {
  const sender = setUp(freeOfCharge, 1);
  sender.step(0, 1000);
  expect(sender.step(500, 1000)).toMatchObject([{ tag: { sentAt: 500 } }]);
});

test('the time for which a Pack waited for an earlier one is no round trip', () => {
  const sender = setUp(freeOfCharge, 3, alone);
  const packs = sender.step(0, 1000);
  for (const pack of packs.slice(1)) sender.take(ackOf(pack, { isSelective: true }), 200);
  sender.take(ackOf(packs.at(-1) as Pack), 900);
  sender.offer(frame, 900);
  const [next] = sender.step(900, 1000);
  let now = 900;
  while (sender.step(now, 1000).length === 0 && now < 5000) now += 10;
  expect(next).toMatchObject({ sequenceNumber: 3 });
  // Of a path that takes 200 ms, nothing is waited for four times as long.
  expect(now - 900).toBeLessThan(800);
});

test('it ends after a minute without an ack, half a minute without a contract, five minutes idle', () => {
  const silent = setUp(freeOfCharge, 1);
  silent.step(0, 1000);
  expect([silent.ended(59_999), silent.ended(60_000)]).toEqual([undefined, 'unacknowledged']);
  const poor = setUp({ ...paid, take: () => ({ kind: 'waits' }) }, 1);
  poor.step(0, 1000);
  expect([poor.ended(29_999), poor.ended(30_000)]).toEqual([undefined, 'no-contract']);
  const idle = setUp(freeOfCharge, 1);
  const [pack] = idle.step(0, 1000);
  idle.take(ackOf(pack as Pack), 10);
  expect([idle.ended(299_999), idle.ended(300_000)]).toEqual([undefined, 'idle']);
});

test('acks that make no sense change nothing', () => {
  const sender = setUp(freeOfCharge, 3, alone);
  const [pack] = sender.step(0, 1000);
  sender.take(ackOf(pack as Pack, { messageId: ids.next(1) }), 5);
  sender.take(ackOf(pack as Pack, { sequenceId: ids.next(1) }), 5);
  expect(sender.counters().unackedBytes).toBe(3 * 1060);
  // A tag from the future is no round trip.
  sender.take(ackOf(pack as Pack, { tag: { sentAt: 1e15 } }), 5);
  expect(sender.counters().unackedBytes).toBe(2 * 1060);
});

test('what waits for a contract is not dropped, however long it waited', () => {
  let isPaid = false;
  const sender = createSender({
    sequenceId: ids.next(1),
    lane: { forceStream: false, isCompanion: true, number: 0 },
    payment: { ...paid, take: () => (isPaid ? { kind: 'charged', by } : { kind: 'waits' }) },
    newMessageId: () => ids.next(1),
    queueBytes: 1024 * 1024,
    budget: createMemoryBudget(1024 * 1024),
    patience: createPatience(),
    onLate: () => expect.unreachable(),
    packLimit: alone,
  });
  for (let number = 0; number < 60; number++) sender.offer(frame, 0);
  for (let now = 0; now < 3000; now += 60) expect(sender.step(now, 1000)).toEqual([]);
  isPaid = true;
  let sent = 0;
  // A busy machine: a few at a time, and seldom.
  for (let now = 3000; now < 3200; now += 20) sent += sender.step(now, 8).length;
  expect(sent).toBe(60);
});

test('empty answers take of the memory that all share what they take of the process', () => {
  const budget = createMemoryBudget(192 * 100);
  const sender = makeSender({ payment: freeOfCharge, packLimit: undefined, budget });
  const empty = { type: 16, bytes: Buffer.alloc(0), isRaw: true };
  const taken = Array.from({ length: 300 }, () => sender.offer(empty, 0)).filter(Boolean);
  expect(taken.length).toBe(100);
  sender.end();
  expect(budget.used()).toBe(0);
});
