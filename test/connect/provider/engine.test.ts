import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readIpHeader } from '../../../src/connect/packet/ip-packet.ts';
import { readAddress } from '../../../src/connect/packet/rewrite.ts';
import { assertLaw } from '../../unit/law.ts';
import { echo } from '../support/echo.ts';
import { address, isSound, makePacket } from '../support/packets.ts';
import { createWorld, type World } from '../support/world.ts';

const calm = { loss: 0, duplication: 0, delay: 5, jitter: 0 };
const packetOf = (number: number, version: 4 | 6 = 4, length = 400) => {
  const payload = Buffer.alloc(length);
  payload.writeUInt32BE(number);
  return makePacket({ version, protocol: 17, payload });
};
const numbersOf = (packets: readonly Buffer[], start = 28) =>
  packets.map((packet) => packet.readUInt32BE(start));

/** What both ends counted, of every contract that anything was counted of. */
function expectEqualCounts(world: World): void {
  world.report(world.engine.end(world.now()));
  const counted = new Map(world.consumers.flatMap(({ sent, got }) => [...sent, ...got]));
  for (const [contractId, bytes] of counted) {
    expect(world.reported.get(contractId)).toBe(bytes);
    expect(bytes).toBeLessThanOrEqual(world.sizes.get(contractId) ?? 0);
  }
  for (const [contractId, bytes] of world.reported)
    expect(counted.get(contractId) ?? 0).toBe(bytes);
}

test('packets go out by an address of the pool, and the answers come back to their sender', () => {
  const world = createWorld({ nature: calm, seed: 1, device: echo });
  const consumer = world.addConsumer();
  for (let number = 0; number < 10; number++) consumer.send(packetOf(number), world.now());
  for (let number = 10; number < 20; number++) consumer.send(packetOf(number, 6), world.now());
  world.run(2000);
  expect(numbersOf(consumer.received.slice(0, 10))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(numbersOf(consumer.received.slice(10), 48)).toEqual(
    [...Array(10).keys()].map((n) => n + 10),
  );
  for (const packet of consumer.received) {
    expect(isSound(packet)).toBe(true);
    const header = readIpHeader(packet);
    if (header === undefined) throw new Error('not a packet');
    expect(readAddress(packet, header, 'destination')).toEqual(address(header.version, 1));
  }
  expectEqualCounts(world);
});

test('on a bad line all packets come back in order, but for those that waited too long, and both ends count the same', () => {
  const nature = fc.record({
    loss: fc.constantFrom(0, 0.01, 0.03),
    duplication: fc.constantFrom(0, 0.05),
    delay: fc.integer({ min: 1, max: 80 }),
    jitter: fc.integer({ min: 0, max: 20 }),
  });
  const values = fc.tuple(
    nature,
    fc.integer({ min: 1, max: 3 }),
    fc.integer({ min: 1, max: 250 }),
    fc.nat(),
  );
  assertLaw(values, ([line, consumers, count, seed]) => {
    // Small contracts: each consumer goes through several of them in both directions.
    const world = createWorld({ nature: line, seed, device: echo, companionBytes: () => 20_000 });
    for (let at = 0; at < consumers; at++) world.addConsumer(30_000);
    for (const consumer of world.consumers)
      for (let number = 0; number < count; number++) consumer.send(packetOf(number), world.now());
    world.run(20_000);
    let received = 0;
    for (const consumer of world.consumers) {
      const numbers = numbersOf(consumer.received);
      expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
      expect(consumer.unpaid()).toBe(0);
      received += numbers.length;
    }
    expect(received + world.engine.counters().dropped.late).toBe(consumers * count);
    expectEqualCounts(world);
  });
});

test('twenty consumers share a slow line evenly, and none waits for a second', () => {
  const world = createWorld({ nature: calm, seed: 11, device: echo, most: 12 });
  for (let at = 0; at < 20; at++) world.addConsumer();
  for (const consumer of world.consumers)
    for (let number = 0; number < 1000; number++)
      consumer.send(packetOf(number, 4, 1000), world.now());
  world.run(300);
  const before = world.consumers.map(({ received }) => received.length);
  for (let step = 0; step < 3; step++) {
    world.run(100);
    const grown = world.consumers.map(({ received }, at) => received.length - (before[at] ?? 0));
    expect(Math.max(...grown)).toBeLessThanOrEqual(1.5 * Math.min(...grown));
    expect(Math.min(...grown)).toBeGreaterThan(0);
  }
});

test('a ping comes back with its bytes', () => {
  const world = createWorld({ nature: calm, seed: 2, device: echo });
  const consumer = world.addConsumer();
  consumer.ping(Buffer.from('are you there'), world.now());
  world.run(500);
  expect(consumer.pongs).toEqual([Buffer.from('are you there')]);
});

test('a consumer that was started again is answered again', () => {
  const world = createWorld({ nature: calm, seed: 3, device: echo });
  const consumer = world.addConsumer();
  for (let round = 0; round < 5; round++) {
    for (let number = 0; number < 50; number++) consumer.send(packetOf(number), world.now());
    world.run(1000);
    expect(consumer.received.length).toBe(50 * (round + 1));
    consumer.restart(Buffer.alloc(32, round));
  }
});

test('a slow flow is paid in both directions, though no contract ever fills', () => {
  const world = createWorld({ nature: calm, seed: 4, device: echo });
  const consumer = world.addConsumer();
  let number = 0;
  for (; number < 600; number++) {
    consumer.send(packetOf(number), world.now());
    world.run(1000);
  }
  expect(consumer.received.length).toBe(600);
  const sum = (counts: Iterable<number>) => [...counts].reduce((all, bytes) => all + bytes, 0);
  const carried = sum(consumer.got.values());
  const down = [...world.reported].filter(([contractId]) => consumer.got.has(contractId));
  // What is on its way now is reported later; everything before is.
  expect(sum(down.map(([, bytes]) => bytes))).toBeGreaterThan(0.5 * carried);
  const up = [...world.reported].filter(([contractId]) => consumer.sent.has(contractId));
  expect(sum(up.map(([, bytes]) => bytes))).toBeGreaterThan(0.4 * sum(consumer.sent.values()));
  expectEqualCounts(world);
});

test('with nobody to pay for the answers, they are dropped, and memory is bounded', () => {
  const world = createWorld({ nature: calm, seed: 5, device: echo, refuses: () => true });
  const consumer = world.addConsumer();
  for (let round = 0; round < 200; round++) {
    for (let number = 0; number < 30; number++) consumer.send(packetOf(number), world.now());
    world.run(100);
  }
  expect(consumer.received).toEqual([]);
  expect(world.engine.counters().dropped.full).toBeGreaterThan(1000);
  expect(world.engine.counters().downBytes).toBe(0);
});

test('what is said to be carried to consumers was sent, and counts once', () => {
  const lossy = { ...calm, loss: 0.03 };
  let room = 0;
  const world = createWorld({ nature: lossy, seed: 21, device: echo, most: () => room });
  const consumer = world.addConsumer(16 * 1024 * 1024);
  const feed = (packets: number): void => {
    for (let number = 0; number < packets; number++)
      consumer.send(packetOf(number, 4, 1000), world.now());
  };
  feed(20);
  world.run(1000);
  // The line takes nothing, so all of them wait.
  expect(world.engine.counters().downBytes).toBe(0);
  // It takes less than comes: some wait too long.
  room = 1;
  for (let round = 0; round < 20; round++) {
    feed(200);
    world.run(100);
  }
  world.run(60_000);
  const { downBytes, dropped } = world.engine.counters();
  const receivedBytes = consumer.received.reduce((sum, { length }) => sum + length, 0);
  expect(dropped.late).toBeGreaterThan(0);
  expect(downBytes).toBe(receivedBytes);
  expect(receivedBytes).toBeGreaterThan(0);
});

test('a provider that was started again gives each consumer the address that it had', () => {
  const addressesOf = (order: readonly number[]) => {
    const addresses = new Map<number, string>();
    const device = (packet: Buffer) => {
      const header = readIpHeader(packet);
      if (header === undefined) throw new Error('not a packet');
      const source = readAddress(packet, header, 'source').toString('hex');
      addresses.set(packet.readUInt32BE(28), source);
      return [];
    };
    const world = createWorld({ nature: calm, seed: 12, device });
    const consumers = order.map(() => world.addConsumer());
    for (const at of order) {
      consumers[at]?.send(packetOf(at), world.now());
      world.run(100);
    }
    return addresses;
  };
  const before = addressesOf([0, 1, 2, 3, 4]);
  expect(before.size).toBe(5);
  expect(addressesOf([4, 2, 0, 1, 3])).toEqual(before);
});

test('what stands still is forgotten', () => {
  const world = createWorld({ nature: calm, seed: 6, device: echo });
  for (let at = 0; at < 20; at++) world.addConsumer().send(packetOf(at), world.now());
  world.run(1000);
  expect(world.engine.counters().consumers).toBe(20);
  world.run(400_000);
  expect(world.engine.counters().consumers).toBe(0);
});

test('an earlier life’s contracts are closed with what was not reported of them', () => {
  const first = createWorld({ nature: calm, seed: 7, device: echo });
  const consumer = first.addConsumer();
  for (let number = 0; number < 20; number++) consumer.send(packetOf(number), first.now());
  first.run(2000);
  const books = JSON.parse(JSON.stringify(first.engine.save()));
  const second = createWorld({ nature: calm, seed: 8, device: echo, books });
  second.run(2000);
  for (const [contractId, bytes] of consumer.got)
    expect(second.reported.get(contractId)).toBe(bytes);
  second.run(2 * 3_600_000);
  for (const [contractId, bytes] of consumer.sent)
    expect(second.reported.get(contractId)).toBe(bytes);
});

test('who is not wished for any more is ended and reported, and comes back with the wish', () => {
  const world = createWorld({ nature: calm, seed: 7, device: echo });
  const consumer = world.addConsumer();
  for (let number = 0; number < 10; number++) consumer.send(packetOf(number), world.now());
  world.run(2000);
  expect(consumer.received).toHaveLength(10);
  // Still wished for: nothing happens to it.
  world.engine.setWish('public');
  world.run(2000);
  expect(world.engine.counters().consumers).toBe(1);
  expect(world.reported.size).toBe(0);

  world.engine.setWish('network');
  world.run(2000);
  for (const [contractId, bytes] of [...consumer.sent, ...consumer.got])
    expect(world.reported.get(contractId)).toBe(bytes);
  // What it had no ack for it may send again for a minute.
  expect(world.engine.counters().consumers).toBe(1);
  world.run(60_000);
  expect(world.engine.counters().consumers).toBe(0);
  for (let number = 10; number < 20; number++) consumer.send(packetOf(number), world.now());
  world.run(3000);
  expect(consumer.received).toHaveLength(10);
  expect(world.engine.counters().contracts.refused['mode-not-published']).toBeGreaterThan(0);

  world.engine.setWish('public');
  world.run(20_000);
  expect(numbersOf(consumer.received)).toEqual([...Array(20).keys()]);
  expectEqualCounts(world);
});
