import { expect, test } from 'vitest';
import { createOutgoingQueue } from '../../../src/connect/sequence/outgoing-queue.ts';
import { messageTypes } from '../../../src/connect/wire/message-types.ts';

const packet = (length: number) => ({
  type: messageTypes.ipPacketFromProvider,
  bytes: Buffer.alloc(length),
  isRaw: true,
});
const control = (length: number) => ({
  type: messageTypes.encryptedControl,
  bytes: Buffer.alloc(length),
  isRaw: false,
});

test('controls go first, each alone, and packets that are held stay behind them', () => {
  let isHeld = true;
  const queue = createOutgoingQueue(10_000, { isHeld: () => isHeld });
  for (const frame of [packet(100), packet(200), control(300), control(400)]) queue.push(frame, 0);
  expect(queue.isUrgent()).toBe(true);
  const lengths: (readonly number[])[] = [];
  const takeAll = () => {
    while (!queue.isEmpty()) {
      const bytes = queue.nextBytes(1100);
      const frames = queue.shift(1100);
      lengths.push(frames.map((frame) => frame.bytes.length));
      expect(bytes).toBe(frames.reduce((sum, frame) => sum + frame.bytes.length, 0));
    }
  };
  takeAll();
  expect(lengths).toEqual([[300], [400]]);
  expect(queue.isUrgent()).toBe(false);
  expect(queue.count()).toBe(2);
  isHeld = false;
  takeAll();
  expect(lengths.at(-1)).toEqual([100, 200]);
  expect(queue.bytes()).toBe(0);
});

test('all that waits is taken out in the order in which it would go, also what is held', () => {
  const queue = createOutgoingQueue(10_000, { isHeld: () => true });
  for (const frame of [packet(100), packet(200), packet(300), control(400)]) queue.push(frame, 0);
  expect(queue.takeAll().map((frame) => frame.bytes.length)).toEqual([400, 100, 200, 300]);
  expect([queue.count(), queue.bytes(), queue.nextBytes(1100)]).toEqual([0, 0, 0]);
  expect(queue.push(packet(500), 0)).toBe(true);
  expect(queue.takeAll().map((frame) => frame.bytes.length)).toEqual([500]);
});

test('where packets that wait for a key fill the queue, the controls that bring one find room, and no more than that', () => {
  const queue = createOutgoingQueue(10_000, { isHeld: () => true });
  while (queue.push(packet(1000), 0));
  const packets = queue.count();
  let controls = 0;
  while (queue.push(control(1200), 0)) controls++;
  expect(packets).toBe(9);
  expect(controls).toBeGreaterThan(10);
  expect(queue.bytes()).toBeLessThan(100_000);
  expect(queue.push(packet(1000), 0)).toBe(false);
  // Controls come first there: their room is still their own.
  const next = createOutgoingQueue(10_000, { isHeld: () => true });
  const isTaken = queue.takeAll().map((frame) => next.push(frame, 0));
  expect([isTaken.length, isTaken.includes(false)]).toEqual([packets + controls, false]);
});
