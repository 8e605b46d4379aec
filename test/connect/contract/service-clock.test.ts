import { expect, test } from 'vitest';
import { createOwnContracts } from '../../../src/connect/contract/own-contracts.ts';
import { createServiceClock } from '../../../src/connect/contract/service-clock.ts';
import { makeContract, testIds } from '../support/contracts.ts';

const start = 1_700_000_000_000;
const hour = 3_600_000;

test('a contract ages by our clock, however far the service is ahead or behind', () => {
  const ids = testIds();
  for (const off of [-hour, 0, hour]) {
    const clock = createServiceClock();
    const contractId = ids.next(start + off);
    expect(clock.createdAt(contractId, start + 20)).toBe(start + 20);
    const later = start + 300_000;
    expect(clock.time(later) - clock.createdAt(contractId, later)).toBe(299_980);
  }
});

test('by a hastened clock contracts age so many times as fast', () => {
  const ids = testIds();
  const clock = createServiceClock();
  clock.hasten(15, start);
  // The service's own clock, which a sandbox keeps from one life to the next, is an hour ahead.
  const madeAt = (now: number): number => start + hour + 15 * (now - start);
  const first = ids.next(madeAt(start));
  expect(clock.createdAt(first, start)).toBe(clock.time(start));
  const later = start + 16_000;
  const second = ids.next(madeAt(later));
  expect(clock.time(later) - clock.createdAt(second, later)).toBe(0);
  expect(clock.time(later) - clock.createdAt(first, later)).toBe(240_000);
  // From one socket to the next the platform may have been started again, and not be hastened.
  clock.hasten(1, later);
  expect(clock.time(later + 1000) - clock.createdAt(first, later + 1000)).toBe(241_000);
});

test('counts are reported before the service closes a contract, also where that is hastened', () => {
  const ids = testIds();
  const [ownId, peerId] = [ids.next(1), ids.next(2)];
  const clock = createServiceClock();
  clock.hasten(15, start);
  const own = createOwnContracts({ ownId, peerId, clock });
  own.take(10, start);
  own.step(start);
  const terms = { sourceId: ownId, destinationId: peerId, byteCount: 1024 * 1024, mode: 4 };
  own.granted(
    makeContract({ ...terms, contractId: ids.next(start), secret: Buffer.alloc(32) }),
    start,
  );
  const reportedAt: number[] = [];
  for (let now = start; now < start + 20_000; now += 100) {
    const { kind, ...taken } = own.take(10, now) as ReturnType<typeof own.take> & {
      readonly by: Parameters<typeof own.acked>[0];
    };
    own.acked(taken.by, kind === 'opens' ? 1 : 10);
    const { reports } = own.step(now);
    if (reports.length > 0) reportedAt.push(now - start);
  }
  // 225 and 285 s of the service, and the next moment at which all are reported on.
  expect(reportedAt).toEqual([15_000, 19_000, 19_700]);
});
