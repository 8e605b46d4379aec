import { expect, test } from 'vitest';
import { largestMessage } from '../../../src/connect/wire/message-types.ts';
import {
  createTcpReceiver,
  createTcpSender,
  makeSegment,
  readNumber,
  readSource,
  type TcpReceiver,
} from '../support/tcp.ts';
import { createWorld } from '../support/world.ts';

const segments = 600;
/** Bytes that fit in front of the socket, and that leave it in a ms: some 35 Mbit/s. */
const buffer = 64 * 1100;
const bytesPerMs = 4 * 1100;

/** Twenty downloads by TCP through one socket, all begun together. */
function download(nature: Parameters<typeof createWorld>[0]['nature'], seed: number) {
  const senders = new Map<string, ReturnType<typeof createTcpSender>>();
  const outers = new Map<string, Buffer>();
  let room = buffer;
  const world = createWorld({
    nature,
    seed,
    most: () => Math.max(0, Math.floor(room / largestMessage)),
    onSent(bytes) {
      room -= bytes;
    },
    device(packet) {
      const outer = readSource(packet);
      const key = outer.toString('hex');
      outers.set(key, outer);
      const known = senders.get(key);
      if (known === undefined) senders.set(key, createTcpSender(segments));
      else known.acked(readNumber(packet), world.now());
      return [];
    },
  });
  const startAt = world.now();
  const receivers = new Map<ReturnType<typeof world.addConsumer>, TcpReceiver>();
  for (let count = 0; count < 20; count++) {
    const consumer = world.addConsumer(8 * 1024 * 1024);
    receivers.set(consumer, createTcpReceiver(segments, startAt));
    consumer.send(makeSegment(0, 0), startAt);
  }
  const taken = new Map<object, number>();
  let filledAt = startAt;
  world.run(15_000, () => {
    const now = world.now();
    room = Math.min(buffer, room + bytesPerMs * (now - filledAt));
    filledAt = now;
    for (const [key, sender] of senders)
      for (const number of sender.step(now))
        world.engine.packet(makeSegment(number, 1000, outers.get(key)), now);
    for (const [consumer, receiver] of receivers) {
      for (const packet of consumer.received.slice(taken.get(consumer) ?? 0))
        receiver.take(readNumber(packet), now);
      taken.set(consumer, consumer.received.length);
      const ack = receiver.ack(now);
      if (ack !== undefined) consumer.send(makeSegment(ack, 0), now);
    }
  });
  const times = [...receivers.values()].map((one) => (one.doneAt() ?? Number.NaN) - startAt);
  return { receivers: [...receivers.values()], times, world };
}

test.each([
  ['a calm line', { loss: 0, duplication: 0, delay: 10, jitter: 0 }],
  ['a line that loses one in a hundred', { loss: 0.01, duplication: 0.01, delay: 20, jitter: 10 }],
])('twenty consumers with TCP share %s, and none is silent for a second', (_, nature) => {
  const { receivers, times, world } = download(nature, 5);
  for (const receiver of receivers) {
    expect(receiver.next()).toBe(segments);
    expect(receiver.longestSilence()).toBeLessThan(1000);
  }
  expect(Math.max(...times)).toBeLessThanOrEqual(1.5 * Math.min(...times));
  expect(world.engine.counters().renewals.holes).toBe(0);
});
