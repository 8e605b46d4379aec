import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { noBytes } from '../../../src/connect/wire/frame.ts';
import { echo } from '../support/echo.ts';
import { calm, numbersOf, packetOf } from '../support/sealed-world.ts';
import { createWorld } from '../support/world.ts';

const seconds = 1000;

test.each([
  ['at once', 0],
  ['while its sequence is still known', 100 * seconds],
  ['when that is over, and ours to it is not', 130 * seconds],
  ['just before ours is over', 290 * seconds],
  ['when both are', 310 * seconds],
])('a consumer that was started again is answered at once, %s', (_name, silence) => {
  const world = createWorld({ nature: calm, seed: 1, device: echo });
  const consumer = world.addConsumer();
  consumer.send(packetOf(0), world.now());
  world.run(1000);
  expect(consumer.received).toHaveLength(1);
  world.run(silence);
  // It checks our contracts by another secret now.
  consumer.restart(randomBytes(32));
  consumer.send(packetOf(1), world.now());
  world.run(1000);
  expect(numbersOf(consumer.received)).toEqual([0, 1]);
  expect(consumer.unpaid()).toBe(0);
});

/** A consumer that sent one packet, and is sent to by its server since. */
function openDownload() {
  let answer = noBytes;
  let pushed = 0;
  const world = createWorld({
    nature: calm,
    seed: 1,
    device(packet) {
      answer = Buffer.from(echo(packet)[0] ?? answer);
      return [];
    },
  });
  const consumer = world.addConsumer();
  consumer.send(packetOf(0), world.now());
  world.run(100);
  const push = (): void => {
    const packet = Buffer.from(answer);
    packet.writeUInt32BE(pushed++, 28);
    // It is echoed with its checksum of before: nobody looks at it on this way.
    world.engine.packet(packet, world.now());
  };
  /** Only acks come of the consumer meanwhile, until its own sequence is over on both ends. */
  const runQuietly = (ms: number): void => {
    for (const until = world.now() + ms; world.now() < until; world.run(500)) push();
  };
  return { world, consumer, push, runQuietly, pushed: () => [...Array(pushed).keys()] };
}

test('one that only receives and then sends by a new sequence loses nothing of what is on its way', () => {
  const { world, consumer, push, runQuietly, pushed } = openDownload();
  runQuietly(310 * seconds);
  consumer.send(packetOf(1), world.now());
  for (let count = 0; count < 10; count++) {
    push();
    world.run(1);
  }
  world.run(10 * seconds);
  expect(numbersOf(consumer.received)).toEqual(pushed());
});
