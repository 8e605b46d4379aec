import { expect, test } from 'vitest';
import { createMemoryBudget } from '../../../src/connect/sequence/hold-back.ts';
import { createReceiver } from '../../../src/connect/sequence/receiver.ts';
import type { Pack } from '../../../src/connect/wire/pack.ts';
import { testIds } from '../support/contracts.ts';

const ids = testIds(21);
const sequenceId = ids.next(1);
const packOf = (sequenceNumber: number): Pack => ({
  messageId: ids.next(1),
  sequenceId,
  sequenceNumber,
  isHead: false,
  frames: [],
  wantsNoAck: false,
  contract: undefined,
  tag: { sentAt: sequenceNumber },
  contractId: undefined,
  lane: { forceStream: false, isCompanion: false, number: 0 },
});

function setUp(withholdsFrom: number, selectAfterMs?: number) {
  const delivered: number[] = [];
  const receiver = createReceiver({
    sequenceId,
    budget: createMemoryBudget(1_000_000),
    knowsContract: () => true,
    deliver({ sequenceNumber }, now) {
      delivered.push(sequenceNumber);
      if (sequenceNumber === withholdsFrom) receiver.withhold({ selectAfterMs }, now);
      return true;
    },
  });
  return { receiver, delivered };
}

test('what is withheld is delivered, and only what came before it is acknowledged', () => {
  const { receiver, delivered } = setUp(2);
  const packs = [0, 1, 2, 3, 4].map(packOf);
  for (const pack of packs) receiver.take(pack, 0);
  expect(delivered).toEqual([0, 1, 2, 3, 4]);
  expect(receiver.acks(10)).toMatchObject([{ messageId: packs[1]?.messageId }]);
  // Sent again, they bring nothing; one from before is answered as ever, without a tag.
  for (const pack of packs.slice(2)) receiver.take(pack, 300);
  expect(receiver.acks(400)).toEqual([]);
  receiver.take(packs[0] as Pack, 500);
  expect(receiver.acks(510)).toMatchObject([{ messageId: packs[1]?.messageId, tag: undefined }]);
});

test('one selective ack comes in its time, and no other', () => {
  const { receiver } = setUp(0, 1500);
  const packs = [0, 1, 3].map(packOf);
  for (const pack of packs) receiver.take(pack, 0);
  expect(receiver.acks(1499)).toEqual([]);
  expect(receiver.wakeAt()).toBe(1500);
  expect(receiver.acks(1500)).toMatchObject([
    { messageId: packs[0]?.messageId, isSelective: true },
  ]);
  expect(receiver.acks(5000)).toEqual([]);
});

test('once it is taken back, everything is acknowledged at once', () => {
  const { receiver } = setUp(0);
  const packs = [0, 1, 2].map(packOf);
  for (const pack of packs) receiver.take(pack, 0);
  expect(receiver.acks(100)).toEqual([]);
  receiver.acknowledge(200);
  // The time of what waited says nothing of the path.
  expect(receiver.acks(210)).toMatchObject([{ messageId: packs[2]?.messageId, tag: undefined }]);
});
