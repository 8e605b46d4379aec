import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createLink, type LinkEffect } from '../../../src/connect/socket/link.ts';
import { createIdSource } from '../../../src/connect/wire/id.ts';
import { encodePackFrame } from '../../../src/connect/wire/transfer-frame.ts';
import { createLineTest } from '../../../src/reference-service/platform/line-test.ts';

const bytesPerMs = 6000;
const wayMs = 10;
const ids = createIdSource({ randomBytes });
const [ownId, consumerId] = [ids.next(1), ids.next(2)];

/** One direction of a line of 6 MB/s: what is sent comes in order, as fast as it allows. */
function createPipe() {
  const onTheWay: { readonly at: number; readonly bytes: Buffer }[] = [];
  let freeAt = 0;
  return {
    send(bytes: Buffer, now: number): void {
      freeAt = Math.max(now, freeAt) + bytes.length / bytesPerMs;
      onTheWay.push({ at: freeAt + wayMs, bytes });
    },
    arrived(now: number): readonly Buffer[] {
      const next = onTheWay.findIndex(({ at }) => at > now);
      const count = next < 0 ? onTheWay.length : next;
      return onTheWay.splice(0, count).map(({ bytes }) => bytes);
    },
  };
}

function makeFrame(sourceId: typeof ownId, destinationId: typeof ownId): Buffer {
  const packet = { type: 15, bytes: randomBytes(1000), isRaw: true };
  return encodePackFrame(
    { sourceId, destinationId, streamId: undefined },
    {
      messageId: ids.next(3),
      sequenceId: ids.next(4),
      sequenceNumber: 1,
      isHead: false,
      frames: [packet],
      wantsNoAck: false,
      contract: undefined,
      tag: undefined,
      contractId: undefined,
      lane: { forceStream: false, isCompanion: false, number: 0 },
    },
  );
}

test('under 300 packets a second each way both tests of a round count, at the speed of the line', () => {
  const [down, up] = [createPipe(), createPipe()];
  const link = createLink({ ownId, hosts: 1, random: () => 0 });
  const at = (now: number) => ({ now, platformNow: now });
  const line = createLineTest({ openedAt: at(0), isFirst: true, randomBytes });
  const [toUs, ours] = [makeFrame(consumerId, ownId), makeFrame(ownId, consumerId)];
  const counts = { offered: 0, sent: 0, received: 0, heard: 0 };
  let now = 0;
  const act = (effects: readonly LinkEffect[]): void => {
    for (const effect of effects) {
      if (effect.kind === 'send') up.send(effect.bytes, now);
      if (effect.kind === 'frame') counts.received++;
    }
  };
  act(link.step(0));
  act(link.opened(0, 0));
  for (; now < 65_000; now += 1) {
    for (const bytes of down.arrived(now)) act(link.received(0, bytes, now));
    for (const bytes of up.arrived(now)) {
      if (bytes.equals(ours)) counts.heard++;
      if (bytes.length > 0) line.heard(bytes, at(now));
    }
    for (const bytes of line.step(at(now))) down.send(bytes, now);
    act(link.step(now));
    if ((now * 3) % 10 >= 3) continue;
    counts.offered++;
    down.send(toUs, now);
    act(link.send(ours, now));
  }
  const { bytesPerSecond, latencyMs, speedTests } = line.result();
  expect(speedTests).toEqual({ counted: 2, spoiled: 0, unanswered: 0 });
  expect(bytesPerSecond).toBeGreaterThan(0.85 * bytesPerMs * 1000);
  expect(latencyMs).toBeLessThan(2 * wayMs + 10);
  // What waited for the end of a test was sent after it.
  expect(counts.offered).toBeGreaterThan(19_000);
  expect([counts.received, counts.heard].every((count) => counts.offered - count < 20)).toBe(true);
});
