import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Books } from '../../../src/connect/contract/account.ts';
import { toPast } from '../../../src/connect/engine/past.ts';
import { readFromEngine, writeMessage } from '../../../src/connect/engine/read-messages.ts';
import { readIpHeader } from '../../../src/connect/packet/ip-packet.ts';
import { readAddress } from '../../../src/connect/packet/rewrite.ts';
import { assertLaw } from '../../unit/law.ts';
import { address, makePacket } from '../support/packets.ts';
import type { TestConsumer } from '../support/test-consumer.ts';
import { createWorld, type World, type WorldOptions } from '../support/world.ts';

/** Longer than a flow may be silent. */
const longEnough = 2500;
const calm = { loss: 0, duplication: 0, delay: 5, jitter: 0 };

function toPacket(number: number, destination: Buffer): Buffer {
  const payload = Buffer.alloc(400);
  payload.writeUInt32BE(number);
  return makePacket({ version: 4, protocol: 17, payload, source: address(4, 9), destination });
}

/** The books as the next engine reads them off the disk. */
function toKept(world: World): Books {
  const beside = { number: 1, largestId: null, published: null };
  const line = writeMessage({ type: 'keep', books: world.engine.save(), ...beside });
  const message = readFromEngine(line.trimEnd());
  if (message.type !== 'keep') throw new Error('not what was kept');
  return toPast(message.books, world.now());
}

/** A server that sends to the address of a request, whether anything answers or not. */
function createDownloads(options: Partial<WorldOptions> = {}) {
  const seen: Buffer[] = [];
  let number = 0;
  const device = (packet: Buffer): readonly Buffer[] => {
    const header = readIpHeader(packet);
    if (header === undefined) throw new Error('the device was given no sound packet');
    seen.push(Buffer.from(readAddress(packet, header, 'source')));
    return [];
  };
  const world = createWorld({ nature: calm, seed: 1, ...options, device });
  return {
    world,
    /** The addresses of requests, in order. */
    seen,
    request(consumer: TestConsumer): void {
      const before = seen.length;
      consumer.send(toPacket(0, address(4, 2)), world.now());
      world.run(1000);
      // On a bad line it may have been lost.
      for (let tries = 0; tries < 4 && seen.length === before; tries++) world.run(1000);
    },
    /** Sends for so long; the longest time without a packet that came to the consumer, in ms. */
    send(consumer: TestConsumer, of: { readonly to: Buffer; readonly ms: number }): number {
      let [count, since, longest] = [consumer.received.length, world.now(), 0];
      const until = world.now() + of.ms;
      world.run(of.ms + 500, () => {
        if (consumer.received.length > count || world.now() >= until) since = world.now();
        count = consumer.received.length;
        longest = Math.max(longest, world.now() - since);
        if (world.now() < until && world.now() % 20 === 0)
          world.engine.packet(toPacket(number++, of.to), world.now());
      });
      return longest;
    },
  };
}

const numbersOf = ({ received }: TestConsumer) => received.map((packet) => packet.readUInt32BE(28));
const firstOf = <T>(values: readonly T[]): T => {
  const [first] = values;
  if (first === undefined) throw new Error('there is none');
  return first;
};

test('the engine is killed and replaced: who only receives is sent to again within two seconds, and nothing is counted twice', () => {
  const nature = fc.record({
    loss: fc.constantFrom(0, 0.01, 0.03),
    duplication: fc.constantFrom(0, 0.05),
    delay: fc.integer({ min: 1, max: 80 }),
    jitter: fc.integer({ min: 0, max: 20 }),
  });
  const values = fc.tuple(nature, fc.integer({ min: 0, max: 900 }), fc.nat());
  assertLaw(values, ([line, age, seed]) => {
    const { world, seen, request, send } = createDownloads({ nature: line, seed });
    const consumer = world.addConsumer();
    request(consumer);
    const to = firstOf(seen);
    send(consumer, { to, ms: 1000 });
    const books = toKept(world);
    // What is counted after that is lost, and never counted twice.
    send(consumer, { to, ms: age });
    const before = new Set(consumer.got.keys());
    world.replaceEngine(books);
    expect(send(consumer, { to, ms: longEnough })).toBeLessThanOrEqual(2000);
    const numbers = numbersOf(consumer);
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
    expect(world.engine.counters().dropped).toMatchObject({ noAddress: 0, full: 0 });

    // Its own contract goes on, too: both engines carried something of it.
    request(consumer);
    expect(seen).toEqual([to, to]);
    // The consumer counts what was acknowledged, and on a bad line an ack may be lost, too.
    world.run(10_000);
    world.report(world.engine.end(world.now()));
    for (const [contractId, bytes] of consumer.sent)
      expect(world.reported.get(contractId)).toBe(bytes);
    for (const [contractId, bytes] of consumer.got) {
      const reported = world.reported.get(contractId) ?? 0;
      if (before.has(contractId)) expect(reported).toBeLessThanOrEqual(bytes);
      else expect(reported).toBe(bytes);
    }
    expect([...consumer.got.keys()].some((contractId) => !before.has(contractId))).toBe(true);
  });
});

test('what a consumer sends while engines are killed comes once, and is counted once', () => {
  const { world, seen, request } = createDownloads();
  const consumer = world.addConsumer();
  request(consumer);
  const before = seen.length;
  let sent = 0;
  for (let kills = 0; kills < 10; kills++) {
    world.run(200, () => {
      if (world.now() % 5 === 0) consumer.send(toPacket(sent++, address(4, 2)), world.now());
    });
    // Some of it was counted just now, and is not acknowledged yet: it is sent again.
    world.replaceEngine(toKept(world));
  }
  world.run(3000);
  world.report(world.engine.end(world.now()));
  expect(sent).toBe(400);
  expect(seen.length - before).toBe(sent);
  expect(consumer.sent.size).toBe(1);
  for (const [contractId, bytes] of consumer.sent)
    expect(world.reported.get(contractId)).toBe(bytes);
});

test('an engine that was told to end leaves the next one who was there', () => {
  const { world, seen, request, send } = createDownloads();
  const consumer = world.addConsumer();
  request(consumer);
  world.report(world.engine.end(world.now()));
  world.replaceEngine(toKept(world));
  // Killed at once, before anything came: it is still known to the one after.
  world.replaceEngine(toKept(world));
  send(consumer, { to: firstOf(seen), ms: 1000 });
  expect(consumer.received).toHaveLength(50);
});

test('a consumer that begins again after the engine is answered by contracts of its new secret', () => {
  const { world, seen, request, send } = createDownloads();
  const consumer = world.addConsumer();
  request(consumer);
  world.replaceEngine(toKept(world));
  send(consumer, { to: firstOf(seen), ms: 1000 });
  expect(consumer.received).toHaveLength(50);
  consumer.restart(Buffer.alloc(32, 7));
  request(consumer);
  send(consumer, { to: firstOf(seen), ms: 1000 });
  expect(consumer.received).toHaveLength(100);
  expect(consumer.unpaid()).toBe(0);
});

test('where the service grants nothing, what comes is dropped, the refusals are counted, and the consumer is forgotten', () => {
  const { world, seen, request, send } = createDownloads({ refuses: () => true });
  const consumer = world.addConsumer();
  request(consumer);
  world.replaceEngine(toKept(world));
  const { addresses } = firstOf(world.engine.save().consumers ?? []);
  expect(addresses).toHaveLength(1);
  send(consumer, { to: firstOf(seen), ms: 60_000 });
  expect(consumer.received).toEqual([]);
  const { consumers, renewals, dropped } = world.engine.counters();
  expect(consumers).toBe(0);
  expect(renewals.refused).toBeGreaterThan(3);
  expect(dropped.noAddress).toBeGreaterThan(1000);
  expect(dropped.unsent).toBeGreaterThan(1000);
  const { noAddress, unsent, full, late } = dropped;
  expect(noAddress + unsent + full + late).toBe(60_000 / 20);
  expect(world.engine.save().consumers).toEqual([]);
});

test('who was silent for two minutes is not known any more, and his address leads to nobody', () => {
  const { world, seen, request, send } = createDownloads();
  const consumer = world.addConsumer();
  request(consumer);
  const books = toKept(world);
  world.run(120_000);
  world.replaceEngine(books);
  send(consumer, { to: firstOf(seen), ms: 1000 });
  expect(consumer.received).toEqual([]);
  expect(world.engine.counters().dropped.noAddress).toBe(50);
  expect(world.engine.save().consumers).toEqual([]);
});

test('an address of an earlier life is given to nobody else while it is kept', () => {
  const { world, seen, request, send } = createDownloads({ poolSize: 2 });
  const consumer = world.addConsumer();
  request(consumer);
  const kept = firstOf(seen);
  world.replaceEngine(toKept(world));
  const others = [world.addConsumer(), world.addConsumer()];
  for (const other of others) request(other);
  // The second one finds none left.
  expect(seen).toHaveLength(2);
  expect(seen[1]).not.toEqual(kept);
  expect(world.engine.counters().dropped.noAddress).toBe(1);
  send(consumer, { to: kept, ms: 1000 });
  expect(consumer.received).toHaveLength(50);
  expect(others.map(({ received }) => received.length)).toEqual([0, 0]);
});

test('who is not wished for any more is not answered from the books either, and stays there', () => {
  const { world, seen, request, send } = createDownloads();
  const consumer = world.addConsumer();
  request(consumer);
  world.replaceEngine(toKept(world));
  world.engine.setWish('network');
  send(consumer, { to: firstOf(seen), ms: 1000 });
  expect(consumer.received).toEqual([]);
  expect(world.engine.save().consumers).toHaveLength(1);
});
