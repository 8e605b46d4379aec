import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { decodeTransferFrame } from '../../../src/connect/wire/transfer-frame.ts';
import { echo } from '../support/echo.ts';
import { addSealedConsumer } from '../support/sealed-consumer.ts';
import {
  bad,
  calm,
  numbersOf,
  openSealedWorld,
  packetOf,
  runUntil,
} from '../support/sealed-world.ts';
import { createWorld } from '../support/world.ts';

const upTo = (count: number) => [...Array(count).keys()];

test('a consumer that offers to seal is answered sealed, and nothing is lost on the way there', async () => {
  const world = openSealedWorld();
  const peer = addSealedConsumer(world);
  peer.consumer.send(packetOf(0), world.now());
  await runUntil(world, [peer], () => peer.consumer.received.length === 1);
  expect(peer.count.sealed).toBe(0);
  peer.offer(world.now());
  await runUntil(world, [peer], peer.isSealing);
  const before = { ...peer.count };
  for (let number = 1; number < 50; number++) peer.consumer.send(packetOf(number), world.now());
  await runUntil(world, [peer], () => peer.consumer.received.length === 50);
  expect(numbersOf(peer.consumer.received)).toEqual(upTo(50));
  expect(peer.count.sealed).toBeGreaterThan(before.sealed);
  expect(peer.count.plainPackets).toBe(before.plainPackets);
  expect(peer.consumer.unpaid()).toBe(0);
});

test('one that offers nothing is answered as without it, beside one that seals', async () => {
  const world = openSealedWorld();
  const plain = world.addConsumer();
  const peer = addSealedConsumer(world);
  peer.offer(world.now());
  for (let number = 0; number < 20; number++) {
    plain.send(packetOf(number), world.now());
    peer.consumer.send(packetOf(number), world.now());
  }
  await runUntil(
    world,
    [peer],
    () => peer.isSealing() && plain.received.length + peer.consumer.received.length === 40,
  );
  expect(numbersOf(plain.received)).toEqual(upTo(20));
  expect(numbersOf(peer.consumer.received)).toEqual(upTo(20));
});

describe('a consumer that requires it', () => {
  test.each([
    ['a calm line', calm],
    ['a bad line', bad],
  ])('has not one packet in plaintext, either way, on %s', async (_name, nature) => {
    const plain: string[] = [];
    const world = openSealedWorld({
      nature,
      relay(bytes, from) {
        const { body } = decodeTransferFrame(bytes);
        if (body.kind === 'pack' && body.pack.frames.some(({ type }) => type < 20))
          plain.push(from);
        return [bytes];
      },
    });
    const peer = addSealedConsumer(world, { isRequired: true });
    peer.offer(world.now());
    for (let number = 0; number < 300; number++) peer.consumer.send(packetOf(number), world.now());
    await runUntil(world, [peer], () => peer.consumer.received.length === 300);
    expect(numbersOf(peer.consumer.received)).toEqual(upTo(300));
    expect(plain).toEqual([]);
    // Both ends count the same of each contract, once the last acks have come.
    world.run(5000);
    world.report(world.engine.end(world.now()));
    for (const [contractId, bytes] of [...peer.consumer.sent, ...peer.consumer.got])
      expect(world.reported.get(contractId)).toBe(bytes);
  });

  test('is served without a break when it shakes hands anew', async () => {
    const world = openSealedWorld();
    const peer = addSealedConsumer(world, { isRequired: true });
    for (const round of upTo(3)) {
      peer.offer(world.now());
      for (let at = 0; at < 20; at++) peer.consumer.send(packetOf(round * 20 + at), world.now());
      await runUntil(world, [peer], () => peer.consumer.received.length === (round + 1) * 20);
    }
    expect(numbersOf(peer.consumer.received)).toEqual(upTo(60));
    expect(peer.count.plainPackets).toBe(0);
  });

  test('that was started again is answered by its new key, and by none of the old one', async () => {
    const world = openSealedWorld();
    const peer = addSealedConsumer(world, { isRequired: true });
    peer.offer(world.now());
    peer.consumer.send(packetOf(0), world.now());
    await runUntil(world, [peer], () => peer.consumer.received.length === 1);
    peer.forget();
    peer.consumer.restart(randomBytes(32));
    peer.offer(world.now());
    peer.consumer.send(packetOf(1), world.now());
    await runUntil(world, [peer], () => peer.consumer.received.length === 2);
    expect(numbersOf(peer.consumer.received)).toEqual([0, 1]);
    expect(peer.count.plainPackets).toBe(0);
  });
});

test('where nothing is sealed here, a consumer that offers it is served in plaintext', async () => {
  const world = createWorld({ nature: calm, seed: 1, device: echo });
  const peer = addSealedConsumer(world);
  peer.offer(world.now());
  for (let number = 0; number < 20; number++) peer.consumer.send(packetOf(number), world.now());
  await runUntil(world, [peer], () => peer.consumer.received.length === 20);
  expect(peer.isSealing()).toBe(false);
  expect(numbersOf(peer.consumer.received)).toEqual(upTo(20));
});

test('where the platform does not know the consumer’s key, it is not sealed, and served', async () => {
  const world = openSealedWorld({ consumerKey: randomBytes(32) });
  const peer = addSealedConsumer(world);
  for (let number = 0; number < 20; number++) peer.consumer.send(packetOf(number), world.now());
  peer.offer(world.now());
  await runUntil(world, [peer], () => peer.consumer.received.length === 20);
  expect(peer.count.sealed).toBe(0);
});

test('twenty consumers at once, each by keys of its own, on a bad line', async () => {
  const world = openSealedWorld({ nature: bad });
  const peers = upTo(20).map((at) => addSealedConsumer(world, { isRequired: at % 2 === 0 }));
  for (const { consumer, offer } of peers) {
    offer(world.now());
    for (let number = 0; number < 30; number++) consumer.send(packetOf(number), world.now());
  }
  await runUntil(world, peers, () =>
    peers.every(({ consumer }) => consumer.received.length === 30),
  );
  for (const [at, { consumer, count }] of peers.entries()) {
    expect(numbersOf(consumer.received)).toEqual(upTo(30));
    expect(consumer.unpaid()).toBe(0);
    if (at % 2 === 0) expect(count.plainPackets).toBe(0);
  }
});

describe('hostile', () => {
  test('a sealed frame that was changed is nothing', async () => {
    let isChanged = false;
    const world = openSealedWorld({
      relay(bytes, from) {
        if (!isChanged || from === world.providerId) return [bytes];
        const changed = Buffer.from(bytes);
        changed[changed.length - 10] = (changed.at(-10) ?? 0) ^ 1;
        return [changed];
      },
    });
    const peer = addSealedConsumer(world, { isRequired: true });
    peer.offer(world.now());
    peer.consumer.send(packetOf(0), world.now());
    await runUntil(world, [peer], () => peer.consumer.received.length === 1);
    isChanged = true;
    peer.consumer.send(packetOf(1), world.now());
    world.run(1000);
    expect(peer.consumer.received).toHaveLength(1);
    expect(world.engine.counters().dropped.unreadable).toBeGreaterThan(0);
    isChanged = false;
    await runUntil(world, [peer], () => peer.consumer.received.length === 2);
  });
});
