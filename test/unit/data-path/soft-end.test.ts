import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findSoftEnd, largestPacketBytes } from '../../../src/data-path/cap-end.ts';
import { assertLaw } from '../law.ts';

test.each([
  ['2 % of it', 10e9, 9.8e9],
  ['1 GB of it at most', 500e9, 499e9],
  ['1 GB of it, where that is 2 %', 50e9, 49e9],
  ['a packet at least', 1e6, 1e6 - 65_536],
  ['half of it at most', 100_000, 50_000],
  ['half of it, of the smallest', 1, 1],
])('the end of a cap is %s', (_claim, capBytes, softEnd) => {
  expect(findSoftEnd(capBytes)).toBe(softEnd);
});

test('it is a whole number within the cap, with room for what is open', () => {
  assertLaw(
    fc.integer({ min: 2 * largestPacketBytes, max: Number.MAX_SAFE_INTEGER }),
    (capBytes) => {
      const softEnd = findSoftEnd(capBytes);
      expect(Number.isInteger(softEnd)).toBe(true);
      expect(softEnd).toBeGreaterThanOrEqual(Math.floor(capBytes / 2));
      expect(capBytes - softEnd).toBeGreaterThanOrEqual(largestPacketBytes - 1);
      expect(capBytes - softEnd).toBeLessThanOrEqual(1e9);
    },
  );
});
