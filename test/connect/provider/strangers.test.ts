import { expect, test } from 'vitest';
import { toProviderFrame } from '../../../src/connect/wire/ip-frames.ts';
import type { Pack } from '../../../src/connect/wire/pack.ts';
import { decodeTransferFrame, encodePackFrame } from '../../../src/connect/wire/transfer-frame.ts';
import { testIds } from '../support/contracts.ts';
import { makePacket } from '../support/packets.ts';
import { createWorld } from '../support/world.ts';

const line = { loss: 0, duplication: 0, delay: 20, jitter: 0 };
const packetOf = (number: number) => {
  const payload = Buffer.alloc(400);
  payload.writeUInt32BE(number);
  return makePacket({ version: 4, protocol: 17, payload });
};
const numbersOf = (packets: readonly Buffer[]) => packets.map((packet) => packet.readUInt32BE(28));
const upTo = (count: number) => [...Array(count).keys()];

/** A consumer's first Packs, the one with the contract before all others. */
function setUp() {
  const world = createWorld({ nature: line, seed: 1, device: () => [] });
  const consumer = world.addConsumer();
  for (const number of upTo(20)) consumer.send(packetOf(number), world.now());
  const [opening, ...others] = consumer.step(world.now());
  if (opening === undefined || others.length === 0) throw new Error('nothing was sent');
  return { world, consumer, opening, others };
}

test('what overtook its contract is delivered in order as soon as the contract comes', () => {
  const { world, opening, others } = setUp();
  for (const frame of others.toReversed()) world.deliver(frame);
  const before = world.engine.step(world.now(), 1000);
  expect(before.packets).toEqual([]);
  expect(world.engine.counters()).toMatchObject({ consumers: 0, dropped: { unpaid: 0 } });
  world.deliver(opening);
  const { packets } = world.engine.step(world.now(), 1000);
  expect(numbersOf(packets)).toEqual(upTo(20));
});

test('a lost contract comes again after a round trip, as any Pack does', () => {
  const { world, consumer, others } = setUp();
  for (const frame of others) world.deliver(frame);
  world.run(300);
  expect(world.engine.counters().upBytes).toBe(20 * packetOf(0).length);
  expect(consumer.sender().counters().probes).toBe(0);
});

const ids = testIds(3);
function encode(of: Partial<Pack>, world = setUp().world): Buffer {
  const path = { sourceId: ids.next(1), destinationId: world.providerId, streamId: undefined };
  return encodePackFrame(path, {
    messageId: ids.next(1),
    sequenceId: ids.next(1),
    sequenceNumber: 5,
    isHead: false,
    frames: [toProviderFrame(packetOf(1))],
    wantsNoAck: false,
    contract: undefined,
    tag: { sentAt: 1 },
    contractId: undefined,
    lane: { forceStream: false, isCompanion: false, number: 0 },
    ...of,
  });
}

test('a contract that is only named is asked for, as after our own restart', () => {
  const { world } = setUp();
  const contractId = ids.next(1);
  world.deliver(encode({ isHead: true, contractId }, world));
  const { frames, packets } = world.engine.step(world.now(), 1000);
  expect(packets).toEqual([]);
  expect(frames.map((frame) => decodeTransferFrame(frame).body)).toMatchObject([
    { kind: 'ack', ack: { missingContractId: contractId, isSelective: false } },
  ]);
});

test('ten thousand strangers are given a mebibyte and no consumer’s place, for half a minute', () => {
  const { world, opening, others } = setUp();
  let answers = 0;
  const settle = (now: number) => {
    answers += world.engine.step(now, 1000).frames.length;
  };
  for (let count = 0; count < 10_000; count++) world.deliver(encode({}, world));
  settle(world.now());
  expect(answers).toBe(64);
  expect(world.engine.counters()).toMatchObject({
    consumers: 0,
    dropped: { unpaid: 10_000 - 64 },
  });
  // A consumer that pays comes in all the same.
  world.deliver(opening);
  settle(world.now());
  expect(world.engine.counters().consumers).toBe(1);
  settle(world.now() + 31_000);
  answers = 0;
  for (let count = 0; count < 200; count++) world.deliver(encode({}, world));
  settle(world.now() + 31_001);
  expect(answers).toBe(64);
  expect(others.length).toBeGreaterThan(0);
});

test('one stranger has four sequences of 128 Packs', () => {
  const { world } = setUp();
  const sourceId = ids.next(1);
  const path = { sourceId, destinationId: world.providerId, streamId: undefined };
  for (let sequence = 0; sequence < 10; sequence++) {
    const sequenceId = ids.next(1);
    for (let number = 1; number <= 200; number++) {
      const pack = decodeTransferFrame(encode({ sequenceId, sequenceNumber: number }, world)).body;
      if (pack.kind === 'pack') world.deliver(encodePackFrame(path, pack.pack));
    }
  }
  expect(world.engine.step(world.now(), 1000).frames.length).toBe(4 * 128);
});
