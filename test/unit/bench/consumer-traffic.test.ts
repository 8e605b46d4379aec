import { expect, test } from 'vitest';
import { computeGapSeconds, parseSlice } from '../../../tools/bench/consumer-traffic.ts';

test('a slice is read, and nothing else', () => {
  expect(parseSlice('slice 1763800000000 5 12')).toEqual({
    atMs: 1763800000000,
    silentMs: 5,
    longestMs: 12,
  });
  expect(parseSlice('Error: slice 1 2 3')).toBeUndefined();
});

const slices = [
  { atMs: 900, silentMs: 3, longestMs: 5000 },
  { atMs: 1000, silentMs: 90, longestMs: 12 },
  { atMs: 1100, silentMs: 190, longestMs: 0 },
  { atMs: 1200, silentMs: 4, longestMs: 286 },
];

test.each<[string, number, number]>([
  ['the longest silence since then, not an earlier one', 1000, 0.286],
  ['a silence that goes on counts as long as it is', 1150, 0.286],
  ['nothing was noticed', 1300, 0],
])('%s', (_, sinceMs, seconds) => {
  expect(computeGapSeconds(slices, sinceMs)).toBe(seconds);
});

test('a silence that goes on is a gap', () => {
  expect(computeGapSeconds(slices.slice(0, 3), 1000)).toBe(0.19);
});
