import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { takeLineSample } from '../../../src/provide/household.ts';
import {
  beginHousehold,
  type HouseholdState,
  type LineSample,
} from '../../../src/provide/household-state.ts';
import { assertLaw } from '../law.ts';

const calmMs = 40;
const lateMs = 300;
const lineBits = 20e6;

/**
 * Half a second after half a second: what each was like, beside a line that what is shared fills
 * without delays.
 */
function live(
  before: HouseholdState,
  given: readonly Partial<LineSample>[],
): readonly HouseholdState[] {
  const states: HouseholdState[] = [];
  let state = before;
  const fromMs = Math.max(0, lastMs.get(before) ?? 0);
  for (const [index, each] of given.entries()) {
    const atMs = fromMs + (index + 1) * 500;
    const loadBits = Math.min(lineBits, state.rateBits);
    state = takeLineSample(state, {
      atMs,
      delayMs: calmMs,
      loadBits,
      ownBits: 0,
      ceilingBits: Number.POSITIVE_INFINITY,
      ...each,
    });
    lastMs.set(state, atMs);
    states.push(state);
  }
  return states;
}

/** When each state was. */
const lastMs = new WeakMap<HouseholdState, number>();
const times = (count: number, sample: Partial<LineSample>) =>
  Array.from({ length: count }, () => sample);
const reach = (before: HouseholdState, given: readonly Partial<LineSample>[]) =>
  live(before, given).at(-1) ?? before;

/** The share has found the end of the line, and nobody else was there. */
const found = reach(beginHousehold, [
  ...times(20, {}),
  ...times(2, { delayMs: 60 }),
  ...times(16, {}),
]);
/** The household had the line, and has left it since a moment. */
const yielded = reach(found, [...times(20, { delayMs: lateMs }), ...times(14, {})]);

describe('the rate', () => {
  test('is free before anything was late', () => {
    expect(reach(beginHousehold, times(100, {})).rateBits).toBe(Number.POSITIVE_INFINITY);
  });

  test.each([
    ['before anything was seen', beginHousehold],
    ['at the end of the line', found],
    ['after the household had it', yielded],
  ])('stays what it is where nobody answers: %s', (_, before) => {
    const { rateBits, late } = reach(before, times(20, { delayMs: undefined }));
    expect({ rateBits, late }).toEqual({ rateBits: before.rateBits, late: before.late });
  });

  test('is given up where nobody answers for more than a minute, and learnt again after it', () => {
    const silent = reach(yielded, times(119, { delayMs: undefined }));
    expect(silent.rateBits).toBe(yielded.rateBits);
    expect(reach(silent, times(3, { delayMs: undefined }))).toEqual(beginHousehold);
  });

  test('is not cut for one long delay, which may be chance, and is for a second one', () => {
    expect(reach(found, times(1, { delayMs: lateMs })).rateBits).toBeGreaterThanOrEqual(
      found.rateBits,
    );
    expect(reach(found, times(2, { delayMs: lateMs })).rateBits).toBeLessThan(found.rateBits);
    const [, , , last] = live(found, [{ delayMs: lateMs }, {}, { delayMs: lateMs }, {}]);
    expect(last?.rateBits, 'not in a row').toBeGreaterThanOrEqual(found.rateBits);
  });

  test('is cut a little where it felt for the end of the line, and to its floor where it was far below', () => {
    expect(reach(found, times(2, { delayMs: lateMs })).rateBits).toBeGreaterThan(0.9 * lineBits);
    const far = reach(yielded, times(8, {}));
    expect(far.rateBits).toBeLessThan(0.8 * lineBits);
    expect(
      reach(far, times(2, { delayMs: lateMs })).rateBits,
      'two may be chance there',
    ).toBeGreaterThan(lineBits / 10);
    expect(reach(far, times(3, { delayMs: lateMs })).rateBits).toBeLessThan(lineBits / 10);
  });

  test('is cut to its floor by one long delay while this device itself is at work', () => {
    expect(reach(found, [{ delayMs: lateMs, ownBits: 5e6 }]).rateBits).toBeLessThan(lineBits / 10);
    expect(
      reach(found, [{ delayMs: calmMs, ownBits: 5e6 }]).rateBits,
      'which alone is no reason',
    ).toBe(reach(found, [{}]).rateBits);
    expect(reach(found, [{ delayMs: lateMs, ownBits: 50e3 }]).rateBits, 'so little is none').toBe(
      found.rateBits,
    );
  });

  test('falls further while delays stay long, and never below what connections need', () => {
    const rates = live(found, times(120, { delayMs: lateMs })).map(({ rateBits }) => rateBits);
    expect(rates.at(-1)).toBeLessThan(lineBits / 10);
    expect(Math.min(...rates)).toBeGreaterThan(lineBits / 60);
    expect(rates).toEqual(rates.toSorted((one, other) => other - one));
  });

  test('is cut by delays that are a little long again and again, as downloads that feel for room make them', () => {
    expect(reach(found, times(12, { delayMs: calmMs + 10 })).rateBits).toBeLessThan(found.rateBits);
  });

  test('is given back quickly where the way is calm, and slowly where it is not', () => {
    const calm = reach(yielded, times(14, {}));
    const restless = reach(yielded, times(14, { delayMs: calmMs + 5 }));
    expect(calm.rateBits).toBeGreaterThan(2 * restless.rateBits);
    expect(restless.rateBits).toBeGreaterThan(yielded.rateBits);
  });

  test('does not grow in the moment after a cut, and not where consumers want no more', () => {
    const cut = reach(found, times(2, { delayMs: lateMs }));
    expect(reach(cut, [{}]).rateBits).toBe(cut.rateBits);
    expect(reach(yielded, times(20, { loadBits: yielded.rateBits / 10 })).rateBits).toBe(
      yielded.rateBits,
    );
  });

  test('is not cut before the line is known where so little is shared that another makes the delays', () => {
    const little = { loadBits: 200e3 };
    const restless = reach(beginHousehold, [
      ...times(4, little),
      ...times(10, { ...little, delayMs: lateMs }),
    ]);
    expect(restless.rateBits).toBe(Number.POSITIVE_INFINITY);
    expect(
      reach(restless, times(3, { loadBits: 5e6, delayMs: lateMs })).rateBits,
      'more is',
    ).toBeLessThan(5e6);
  });

  test('makes so much room the first time that an empty way can be seen', () => {
    const full = reach(beginHousehold, [
      ...times(4, { delayMs: 200 }),
      ...times(2, { delayMs: 220 }),
    ]);
    expect(full.rateBits).toBeLessThan(0.8 * lineBits);
    expect(full.rateBits).toBeGreaterThan(0.5 * lineBits);
  });

  test('forgets a line that a burst made too fast', () => {
    const burst = reach(beginHousehold, [
      {},
      ...times(2, { delayMs: 60, loadBits: 1.2 * lineBits }),
    ]);
    const felt = reach(burst, [...times(14, {}), ...times(2, { delayMs: 60 })]);
    expect(burst.lineBits).toBe(1.2 * lineBits);
    expect(felt.lineBits).toBeLessThan(1.2 * lineBits);
    expect(felt.lineBits).toBeGreaterThanOrEqual(lineBits);
  });
});

describe('the owner’s limit', () => {
  const sample = fc.record({
    delayMs: fc.oneof(fc.constant(undefined), fc.double({ min: 0, max: 1000, noNaN: true })),
    loadBits: fc.double({ min: 0, max: 1e9, noNaN: true }),
    ownBits: fc.double({ min: 0, max: 1e9, noNaN: true }),
    ceilingBits: fc.constantFrom(64e3, 1e6, 20e6, Number.POSITIVE_INFINITY),
  });

  test('is never passed, and something is always left, whatever is measured', () => {
    assertLaw(fc.array(sample, { maxLength: 80 }), (samples) => {
      for (const [index, state] of live(beginHousehold, samples).entries()) {
        const { ceilingBits = Number.NaN } = samples[index] ?? {};
        const leastBits = Math.min(64e3, ceilingBits);
        expect(state.rateBits).toBeLessThanOrEqual(ceilingBits);
        expect(state.rateBits).toBeGreaterThanOrEqual(leastBits);
      }
    });
  });

  test('is followed at once where it was all that held what is shared', () => {
    const limited = reach(beginHousehold, times(10, { ceilingBits: 1e6 }));
    expect(limited.rateBits).toBe(1e6);
    expect(reach(limited, [{ ceilingBits: 5e6 }]).rateBits).toBe(5e6);
    expect(reach(limited, [{ delayMs: undefined }]).rateBits).toBe(Number.POSITIVE_INFINITY);
  });
});

test('the same trace always gives the same decisions', async () => {
  // A line of 20 Mbit/s with Wi-Fi; a household from 30 s to 60 s, this device's own download from
  // 90 s to 110 s.
  const trace = readFileSync(join(import.meta.dirname, 'household-trace.txt'), 'utf8')
    .trimEnd()
    .split('\n');
  let state = beginHousehold;
  const decisions = trace.map((row, index) => {
    const [delay, loadKbits, ownKbits] = row.split(' ');
    state = takeLineSample(state, {
      atMs: (index + 1) * 500,
      delayMs: delay === '-' ? undefined : Number(delay),
      loadBits: Number(loadKbits) * 1000,
      ownBits: Number(ownKbits) * 1000,
      ceilingBits: Number.POSITIVE_INFINITY,
    });
    return `${row} → ${Number.isFinite(state.rateBits) ? Math.round(state.rateBits / 1000) : 'free'}`;
  });
  await expect(`${decisions.join('\n')}\n`).toMatchFileSnapshot(
    '../../golden/household-decisions.txt',
  );
});
