import { expect, test } from 'vitest';
import { createClosedPart } from '../../../src/connect/sealed/closed-part.ts';
import { sealedLimits } from '../../../src/connect/sealed/limits.ts';
import type { SealedConsumer } from '../support/sealed-consumer.ts';
import {
  bad,
  calm,
  numbersOf,
  openSealed,
  packetOf,
  runUntil,
  sendOfStrangers,
} from '../support/sealed-world.ts';
import type { World } from '../support/world.ts';

const none = { received: [], own: [] };

async function expectServed(world: World, peer: SealedConsumer): Promise<void> {
  const before = world.now();
  peer.consumer.send(packetOf(1), world.now());
  await runUntil(world, [peer], () => peer.consumer.received.length === 2);
  expect(numbersOf(peer.consumer.received)).toEqual([0, 1]);
  expect(world.now() - before).toBeLessThan(10_000);
}

test.each([
  ['two lives that offer nothing', ['none', 'none']],
  ['a life for friends alone', ['friends']],
] as const)('a consumer that seals is known again after %s', async (_name, wishes) => {
  const { world, peer } = await openSealed();
  for (const wish of wishes) {
    world.replaceEngine(world.engine.save(), { wish });
    world.run(20_000);
  }
  expect(world.engine.save().consumers).toHaveLength(1);
  world.replaceEngine(world.engine.save());
  await expectServed(world, peer);
  expect(peer.count.plainPackets).toBe(0);
});

test('one that was not wished for any more when a life ended is known to the next one', async () => {
  const { world, peer } = await openSealed();
  world.engine.setWish('none');
  world.run(5000);
  world.replaceEngine(world.engine.save());
  await expectServed(world, peer);
});

test('kept consumers are as many as can be here, and as old as their keys', async () => {
  const { world } = await openSealed();
  const books = world.engine.save();
  world.replaceEngine(books, { wish: 'none' });
  world.run(sealedLimits.keyKeptMs - 10_000);
  expect(world.engine.save().consumers).toHaveLength(1);
  world.run(20_000);
  expect(world.engine.save().consumers).toEqual([]);
});

test.each([
  ['on a calm line', calm],
  ['on a bad one', bad],
])(
  'a consumer that seals and that nobody knows is told to begin again, %s',
  async (_name, nature) => {
    const { world, peer } = await openSealed({ isRequired: true, nature });
    world.replaceEngine(none);
    const before = world.now();
    peer.consumer.send(packetOf(1), world.now());
    await runUntil(world, [peer], () => peer.consumer.received.length >= 2);
    expect(world.now() - before).toBeLessThan(30_000);
    expect(peer.handshakes()).toBe(2);
    expect(peer.count.plainPackets).toBe(0);
  },
);

test('the contract by which it is told from a stranger is given back unused', async () => {
  const { world, peer } = await openSealed();
  world.replaceEngine(none);
  const known = new Set(world.sizes.keys());
  peer.consumer.send(packetOf(1), world.now());
  await runUntil(world, [peer], () => peer.count.nacks > 0);
  await runUntil(world, [peer], () => peer.consumer.received.length === 2);
  const [asked] = [...world.sizes.keys()].filter((id) => !known.has(id));
  if (asked === undefined) expect.unreachable();
  expect(world.closed).toContain(asked);
  expect(world.reported.get(asked)).toBe(0);
  expect(peer.consumer.got.has(asked)).toBe(false);
});

test('a consumer that seals to one that seals no more goes on in plaintext', async () => {
  const { world, peer } = await openSealed({ isRequired: false });
  world.replaceEngine(world.engine.save(), { sealedPart: createClosedPart() });
  await expectServed(world, peer);
  expect(peer.count.nacks).toBe(1);
});

test('while nothing is offered, nobody is asked about', async () => {
  const { world, peer } = await openSealed();
  world.replaceEngine(none, { wish: 'none' });
  peer.consumer.send(packetOf(1), world.now());
  world.run(10_000);
  expect(peer.count.nacks).toBe(0);
});

test('strangers cost a few asks, and nothing is said to them; an honest one is told all the same', async () => {
  const { world, peer } = await openSealed();
  world.replaceEngine(none);
  let asks = 0;
  const flood = (): void => {
    sendOfStrangers(world, 5000);
    const step = world.engine.step(world.now(), 100);
    expect(step.frames).toEqual([]);
    for (const ask of step.asks) world.engine.answered(ask, undefined, world.now());
    asks += step.asks.length;
  };
  for (let round = 0; round < 4; round++) {
    flood();
    world.run(1000);
  }
  expect(asks).toBe(sealedLimits.unknownAsks);
  expect(world.engine.counters()).toMatchObject({ consumers: 0, renewals: { refused: 0 } });
  world.run(sealedLimits.unknownPaceMs);
  peer.consumer.send(packetOf(1), world.now());
  await runUntil(world, [peer], () => peer.consumer.received.length >= 2);
});
