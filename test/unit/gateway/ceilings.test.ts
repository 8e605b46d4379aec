import { describe, expect, test } from 'vitest';
import {
  type Ceilings,
  type GivenCeilings,
  renderCount,
  toCeilings,
} from '../../../src/gateway/ceilings.ts';

const gibibyte = 1024 ** 3;

describe('the ceilings of a machine', () => {
  // Memory in GiB, what its kernel tracks by default; then total, per consumer, new per second,
  // half-open.
  test.each<[number, number | undefined, readonly number[]]>([
    [0.25, 2048, [1024, 64, 8, 32]],
    [0.5, 4096, [2048, 128, 16, 64]],
    [0.9, 7372, [3686, 230, 28, 115]],
    [1, 8192, [4096, 256, 32, 128]],
    [2, 65_536, [8192, 512, 64, 256]],
    [8, 262_144, [8192, 512, 64, 256]],
    [64, 1_000_000, [8192, 512, 64, 256]],
    // Before the kernel tracks anything the same as after it, where its own default is in force.
    [0.5, undefined, [2048, 128, 16, 64]],
    [1, undefined, [4096, 256, 32, 128]],
    [8, undefined, [8192, 512, 64, 256]],
    // Here the owner has changed the kernel's own ceiling.
    [8, 1000, [500, 31, 3, 15]],
    [0.25, 262_144, [1024, 64, 8, 32]],
    [0.01, 8, [4, 1, 1, 1]],
  ])('with %s GiB that tracks %s', (memory, conntrackMax, expected) => {
    const { total, perConsumer, newPerSecond, halfOpen } = toCeilings({
      memoryBytes: memory * gibibyte,
      conntrackMax,
    });
    expect([total, perConsumer, newPerSecond, halfOpen]).toEqual(expected);
  });

  const room = { memoryBytes: 8 * gibibyte, conntrackMax: 262_144 };
  const usual = { total: 8192, perConsumer: 512, newPerSecond: 64, halfOpen: 256 };
  test.each<[string, GivenCeilings, Ceilings]>([
    ['nothing', {}, usual],
    ['nothing but names', { total: undefined, perConsumer: undefined }, usual],
    [
      'a total, which the others follow',
      { total: 1600 },
      { total: 1600, perConsumer: 100, newPerSecond: 12, halfOpen: 50 },
    ],
    [
      'a total above what the kernel tracks',
      { total: 999_999 },
      { total: 262_144, perConsumer: 16_384, newPerSecond: 2048, halfOpen: 8192 },
    ],
    ['no total', { total: 0 }, { ...usual, total: 0 }],
    ['a part', { perConsumer: 40 }, { ...usual, perConsumer: 40, halfOpen: 20 }],
    ['no part', { perConsumer: 0 }, { ...usual, perConsumer: 0 }],
    [
      'everything',
      { total: 9, perConsumer: 8, newPerSecond: 7, halfOpen: 6 },
      { total: 9, perConsumer: 8, newPerSecond: 7, halfOpen: 6 },
    ],
    [
      'no ceilings',
      { total: 0, perConsumer: 0, newPerSecond: 0, halfOpen: 0 },
      { total: 0, perConsumer: 0, newPerSecond: 0, halfOpen: 0 },
    ],
  ])('where the owner gives %s', (_, given, expected) => {
    expect(toCeilings(room, given)).toEqual(expected);
  });

  test('leave half of what the kernel tracks, and one address less than a third of all', () => {
    for (const conntrackMax of [64, 1000, 4096, 65_536, 262_144]) {
      const { total, perConsumer } = toCeilings({ ...room, conntrackMax });
      expect(total).toBeLessThanOrEqual(conntrackMax / 2);
      expect(perConsumer * 5).toBeLessThan(total / 2);
    }
  });
});

test.each([1, 4, 127, 128, 129, 2048, 8192, 1_000_000])(
  '%i connections are dealt out to short lists',
  (most) => {
    const [, lists, each] =
      /numgen inc mod (\d+) ct count over (\d+)/.exec(renderCount('all_consumers', most)) ?? [];
    expect(Number(each)).toBeLessThanOrEqual(128);
    expect(Number(lists) * Number(each)).toBeLessThanOrEqual(most);
    expect(Number(lists) * Number(each)).toBeGreaterThan(most * 0.98);
  },
);
