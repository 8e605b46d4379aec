import { expect, test } from 'vitest';
import { sealedLimits } from '../../../src/connect/sealed/limits.ts';
import { echo } from '../support/echo.ts';
import { addSealedConsumer } from '../support/sealed-consumer.ts';
import {
  numbersOf,
  openSealed,
  openSealedWorld,
  packetOf,
  runUntil,
  sendOfStrangers,
} from '../support/sealed-world.ts';

test('after a restart of ours, a consumer is told that its key is gone, and is served by another', async () => {
  const { world, peer } = await openSealed();
  world.replaceEngine(world.engine.save());
  peer.consumer.send(packetOf(1), world.now());
  await runUntil(world, [peer], () => peer.consumer.received.length === 2);
  expect(numbersOf(peer.consumer.received)).toEqual([0, 1]);
  expect(peer.count).toMatchObject({ nacks: 1, plainPackets: 0 });
  expect(peer.handshakes()).toBe(2);
});

test('strangers that send sealed frames are answered by nothing, and nothing is kept of them', () => {
  const world = openSealedWorld();
  const asked = world.engine.changes();
  sendOfStrangers(world, 1000);
  const step = world.engine.step(world.now(), 100);
  expect(step.frames).toEqual([]);
  expect(step.asks).toHaveLength(sealedLimits.unknownAsks);
  expect(world.engine.counters()).toMatchObject({ consumers: 0, dropped: { unreadable: 1000 } });
  expect(world.engine.changes()).toBe(asked);
});

test('a consumer that says that it cannot read is sent nothing in plaintext, and all of it later', async () => {
  let answer = Buffer.alloc(0);
  const world = openSealedWorld({
    device(packet) {
      const answers = echo(packet);
      answer = Buffer.from(answers[0] ?? answer);
      return answers;
    },
  });
  const peer = addSealedConsumer(world, { isRequired: true });
  peer.offer(world.now());
  peer.consumer.send(packetOf(0), world.now());
  await runUntil(world, [peer], () => peer.consumer.received.length === 1);
  world.run(5000);
  // Anyone who relays it may say so.
  peer.sayNack(world.now());
  world.run(1000);
  world.engine.packet(Buffer.from(answer), world.now());
  world.run(1000);
  expect(peer.consumer.received).toHaveLength(1);
  peer.consumer.send(packetOf(1), world.now());
  await runUntil(world, [peer], () => peer.consumer.received.length === 3);
  expect(numbersOf(peer.consumer.received)).toEqual([0, 0, 1]);
  expect(peer.count.plainPackets).toBe(0);
});
