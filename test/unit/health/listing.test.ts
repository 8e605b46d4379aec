import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitCarried, toShares } from '../../../src/health/listing.ts';
import { consumersSource } from '../../../tools/docs/sample-facts.ts';

const bytes = fc.nat(1_000_000_000);

test('what was carried is paid but for what is known not to be, and nothing is counted twice', async () => {
  const sums = fc.record({
    upBytes: bytes,
    downBytes: bytes,
    overheadBytes: bytes,
    acceptedContracts: fc.nat(),
    unpaidBytes: bytes,
    bridgedBytes: bytes,
    doubtfulBytes: bytes,
  });
  await fc.assert(
    fc.property(sums, (given) => {
      const split = splitCarried(given);
      const unpaid = split.bridgedBytes + split.unpaidBytes + split.doubtfulBytes;
      expect(split.carriedBytes).toBe(given.upBytes + given.downBytes);
      expect(split.paidBytes).toBe(Math.max(0, split.carriedBytes - unpaid));
    }),
  );
});

test('a window of which nothing is known has no share', () => {
  const { market } = consumersSource;
  const nothing = { valid: 0, known: 0, wanted: 57, all: 60 };
  const minutes = market && { ...market.minutes, hour: nothing };
  expect(toShares(minutes && { minutes })).toEqual({ '12h': 717 / 720, '7d': 10_070 / 10_080 });
  expect(toShares(undefined)).toEqual({});
});
