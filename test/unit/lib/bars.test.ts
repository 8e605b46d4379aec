import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderBar, renderSparkline } from '../../../src/lib/bars.ts';
import { assertLaw } from '../law.ts';

describe('a sparkline', () => {
  test.each<[string, readonly (number | undefined)[], number, string]>([
    ['has a height a value', [0, 1, 2, 3, 4, 5, 6, 7, 8], 8, '▁▂▃▄▅▆▇██'],
    ['leaves a blank where nothing is known', [1, undefined, 1], 1, '█ █'],
    ['is flat where there is nothing', [0, 0, 0], 0, '▁▁▁'],
    ['does not leave its line', [-5, 99], 10, '▁█'],
    ['is empty for no value', [], 10, ''],
  ])('%s', (_, values, most, line) => {
    expect(renderSparkline(values, most)).toBe(line);
  });

  test('never has a lower character for a higher value', () => {
    assertLaw(
      fc.tuple(fc.nat(1000), fc.nat(1000), fc.integer({ min: 1, max: 1000 })),
      ([one, other, most]) => {
        const heights = '▁▂▃▄▅▆▇█';
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        const at = (value: number) => heights.indexOf(renderSparkline([value], most));
        expect(at(low)).toBeLessThanOrEqual(at(high));
      },
    );
  });
});

describe('a bar', () => {
  test.each([
    [0, 10, 8, ''],
    [5, 10, 8, '████'],
    [10, 10, 8, '████████'],
    [1, 16, 2, '▏'],
    [9, 16, 2, '█▏'],
    [0.001, 10, 8, '▏'],
    [20, 10, 8, '████████'],
    [-1, 10, 8, ''],
    [1, 0, 8, ''],
  ])('for %d of %d on %d columns is %j', (value, most, width, bar) => {
    expect(renderBar(value, most, width)).toBe(bar);
  });

  test('never has more columns than it was given', () => {
    const values = fc.tuple(
      fc.nat(1_000_000),
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.integer({ min: 1, max: 60 }),
    );
    assertLaw(values, ([value, most, width]) => {
      expect(renderBar(value, most, width).length).toBeLessThanOrEqual(width);
    });
  });
});
