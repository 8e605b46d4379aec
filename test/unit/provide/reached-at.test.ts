import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { projectReachedAt } from '../../../src/provide/period.ts';
import { assertLaw } from '../law.ts';

const dayMs = 86_400_000;
const since = new Date('2026-03-01T00:00:00Z');
const periodEnd = new Date('2026-04-01T00:00:00Z');
const on = (day: number) => new Date(since.getTime() + day * dayMs);
const used = { since, bytes: 250e9, capBytes: 500e9, periodEnd };

describe('at the pace of this period the cap', () => {
  test('is reached when as many days again have passed as half of it took', () => {
    expect(projectReachedAt(used, on(12.5))).toEqual(new Date('2026-03-26T00:00:00Z'));
  });

  test('is judged from where the count began, not from a beginning that nobody counted', () => {
    expect(projectReachedAt({ ...used, since: on(10) }, on(12.5))).toEqual(on(15));
  });

  test.each([
    ['without a cap', { ...used, capBytes: undefined }, on(12.5)],
    ['before a day was seen', used, on(0.99)],
    ['by a clock that went back', used, on(-5)],
    ['while nothing was used', { ...used, bytes: 0 }, on(12.5)],
    ['once it is reached', { ...used, bytes: 500e9 }, on(12.5)],
    ['where the period ends before', used, on(15.5)],
    ['where the period ends just then', used, on(15.5)],
  ])('is not known %s', (_, given, now) => {
    expect(projectReachedAt(given, now)).toBeUndefined();
  });

  test('is reached in the time that is left of the period, or not at all', () => {
    const bytes = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
    assertLaw(
      fc.tuple(bytes, bytes, fc.double({ min: -40, max: 40, noNaN: true })),
      ([bytes, capBytes, day]) => {
        const reachedAt =
          projectReachedAt({ ...used, bytes, capBytes }, on(day))?.getTime() ?? on(day).getTime();
        expect(reachedAt).toBeGreaterThanOrEqual(on(day).getTime());
        if (reachedAt > on(day).getTime()) expect(reachedAt).toBeLessThan(periodEnd.getTime());
      },
    );
  });
});
