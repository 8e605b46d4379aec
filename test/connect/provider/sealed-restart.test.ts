import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createFrameCipher } from '../../../src/connect/sealed/frames.ts';
import { sealedLimits } from '../../../src/connect/sealed/limits.ts';
import { encodeSealedFrame } from '../../../src/connect/wire/transfer-frame.ts';
import { echo } from '../support/echo.ts';
import { addSealedConsumer } from '../support/sealed-consumer.ts';
import { numbersOf, openSealedWorld, packetOf, runUntil } from '../support/sealed-world.ts';

test('after a restart of ours, a consumer is told that its key is gone, and is served by another', async () => {
  const world = openSealedWorld();
  const peer = addSealedConsumer(world, { isRequired: true });
  peer.offer(world.now());
  peer.consumer.send(packetOf(0), world.now());
  await runUntil(world, [peer], () => peer.consumer.received.length === 1);
  world.replaceEngine(world.engine.save());
  peer.consumer.send(packetOf(1), world.now());
  await runUntil(world, [peer], () => peer.count.nacks > 0);
  peer.forget();
  peer.offer(world.now());
  await runUntil(world, [peer], () => peer.consumer.received.length === 2);
  expect(numbersOf(peer.consumer.received)).toEqual([0, 1]);
  expect(peer.count.plainPackets).toBe(0);
});

test('strangers that send sealed frames are answered by nothing, and nothing is kept of them', () => {
  const world = openSealedWorld();
  const cipher = createFrameCipher(randomBytes(32), randomBytes);
  const asked = world.engine.changes();
  for (let count = 0; count < 1000; count++) {
    const sourceId = world.ids.next(world.now());
    const path = { sourceId, destinationId: world.providerId, streamId: undefined };
    const bytes = cipher.seal(Buffer.alloc(200));
    world.deliver(encodeSealedFrame(path, { bytes, role: 1, isCompanion: false }));
  }
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
