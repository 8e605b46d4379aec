import { expect, test } from 'vitest';
import { createServiceClock } from '../../../src/connect/contract/service-clock.ts';
import { noRenewals } from '../../../src/connect/provider/renewal.ts';
import { createReplies } from '../../../src/connect/provider/replies.ts';
import { createMemoryBudget } from '../../../src/connect/sequence/hold-back.ts';
import { messageTypes } from '../../../src/connect/wire/message-types.ts';
import { testIds } from '../support/contracts.ts';

const start = 1_700_000_000_000;
const lane = { forceStream: false, isCompanion: true, number: 0 };
const packet = { type: messageTypes.ipPacketFromProvider, bytes: Buffer.alloc(100), isRaw: true };

function setUp() {
  const ids = testIds();
  return createReplies({
    consumerId: ids.next(1),
    ownId: ids.next(2),
    clock: createServiceClock(),
    budget: createMemoryBudget(1024 * 1024),
    newId: () => ids.next(start),
    renewals: { ...noRenewals },
    onLate: () => undefined,
    isHeld: () => false,
    onAcked: () => undefined,
    drops: { unsent: 0 },
    carried: { downBytes: 0 },
  });
}

/** Asks in so many seconds, each of them refused at once, with answers that begin again in each. */
function countAsks(seconds: number, replies = setUp(), from = start): number {
  let asks = 0;
  for (let now = from; now < from + seconds * 1000; now += 100) {
    replies.find(lane).offer(packet, now);
    replies.packs(now, 10);
    for (const { contracts } of replies.step(now)) {
      asks++;
      contracts.refused(now);
    }
    if (now % 1000 === 900) replies.beginAgain('again', now);
  }
  return asks;
}

test('a consumer that has answers begin again does not have the service asked more often', () => {
  // After 1, 2 and 4 s, and then each 5 s.
  expect(countAsks(60)).toBeLessThan(15);
});

test('with a new contract of the consumer, the service is asked at once', () => {
  const replies = setUp();
  countAsks(60, replies);
  replies.anchored(start + 60_000);
  expect(countAsks(1, replies, start + 60_000)).toBe(1);
});
