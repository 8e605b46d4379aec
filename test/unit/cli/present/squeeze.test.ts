import fc from 'fast-check';
import { expect, test } from 'vitest';
import { squeeze } from '../../../../src/cli/commands/stats/figures.ts';

test.each([
  { values: [], room: 3, squeezed: [] },
  { values: [1, 2], room: 3, squeezed: [1, 2] },
  { values: [1, 3, 5, 9], room: 2, squeezed: [2, 7] },
  { values: [1, undefined, undefined, undefined], room: 2, squeezed: [1, undefined] },
  { values: [1, 2, 3], room: 2, squeezed: [1, 2.5] },
])('$values has room in $room as $squeezed', ({ values, room, squeezed }) => {
  expect(squeeze(values, room)).toEqual(squeezed);
});

test('nothing is left out and nothing is made up', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1 }),
      fc.integer({ min: 1, max: 20 }),
      (values, room) => {
        const squeezed = squeeze(values, room).map((value) => value ?? Number.NaN);
        expect(squeezed).toHaveLength(Math.min(values.length, room));
        expect(Math.min(...squeezed)).toBeGreaterThanOrEqual(Math.min(...values));
        expect(Math.max(...squeezed)).toBeLessThanOrEqual(Math.max(...values));
      },
    ),
  );
});
