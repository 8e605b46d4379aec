import { expect, test } from 'vitest';
import { echo } from '../support/echo.ts';
import { makePacket } from '../support/packets.ts';
import { createWorld } from '../support/world.ts';

const calm = { loss: 0, duplication: 0, delay: 5, jitter: 0 };

test.each([
  [1100, 1],
  [1101, 0],
  [2500, 0],
  [3000, 0],
])('of a ping of %i bytes come %i back, and the consumer goes on', (length, pongs) => {
  const world = createWorld({ nature: calm, seed: 2, device: echo });
  const consumer = world.addConsumer();
  const packet = makePacket({ version: 4, protocol: 17, payload: Buffer.alloc(100) });
  consumer.send(packet, world.now());
  world.run(500);
  consumer.ping(Buffer.alloc(length), world.now());
  world.run(500);
  expect(consumer.pongs).toHaveLength(pongs);
  consumer.send(packet, world.now());
  world.run(500);
  expect(consumer.received).toHaveLength(2);
  expect(world.engine.counters().dropped.unsound).toBe(1 - pongs);
});
