import { expect, test } from 'vitest';
import { largestMessage } from '../../../src/connect/wire/message-types.ts';
import {
  createTcpReceiver,
  createTcpSender,
  makeSegment,
  readNumber,
  readSource,
} from '../support/tcp.ts';
import { createWorld } from '../support/world.ts';

/** Bytes that the socket takes in a ms: some 4 Mbit/s. */
const bytesPerMs = 0.5 * 1100;
const endless = 1_000_000;
const runMs = 15_000;
/** Its sender has found out by then how much the line takes. */
const settledMs = 3000;

/** A download without an end by TCP, through a socket that takes little. */
function download(nature: Parameters<typeof createWorld>[0]['nature']) {
  const sender = createTcpSender(endless);
  let outer: Buffer | undefined;
  let room = largestMessage;
  const world = createWorld({
    nature,
    seed: 8,
    most: () => (room > 0 ? 1 : 0),
    onSent(bytes) {
      room -= bytes;
    },
    device(packet) {
      if (outer === undefined) outer = readSource(packet);
      else sender.acked(readNumber(packet), world.now());
      return [];
    },
  });
  const consumer = world.addConsumer(64 * 1024 * 1024);
  const receiver = createTcpReceiver(endless, world.now());
  consumer.send(makeSegment(0, 0), world.now());
  const startAt = world.now();
  const sentAt = new Map<number, number>();
  let [filledAt, taken, longestWait] = [startAt, 0, 0];
  world.run(runMs, () => {
    const now = world.now();
    room = Math.min(largestMessage, room + bytesPerMs * (now - filledAt));
    filledAt = now;
    for (const number of outer === undefined ? [] : sender.step(now)) {
      sentAt.set(number, now);
      world.engine.packet(makeSegment(number, 1000, outer), now);
    }
    for (const packet of consumer.received.slice(taken)) {
      const number = readNumber(packet);
      if (now - startAt > settledMs)
        longestWait = Math.max(longestWait, now - (sentAt.get(number) ?? now));
      receiver.take(number, now);
    }
    taken = consumer.received.length;
    const ack = receiver.ack(now);
    if (ack !== undefined) consumer.send(makeSegment(ack, 0), now);
  });
  return { longestWait, receiver, engine: world.engine };
}

test.each([
  ['calm', { loss: 0, duplication: 0, delay: 10, jitter: 0 }],
  ['lossy', { loss: 0.01, duplication: 0.01, delay: 20, jitter: 10 }],
])(
  'on a slow, %s line packets wait for less than half a second, and most of it is used',
  (_, nature) => {
    const { longestWait, receiver, engine } = download(nature);
    expect(longestWait).toBeLessThan(500);
    expect(receiver.longestSilence()).toBeLessThan(1000);
    expect(receiver.next()).toBeGreaterThan((0.5 * bytesPerMs * runMs) / 1100);
    expect(engine.counters().dropped).toMatchObject({ full: 0 });
  },
);
