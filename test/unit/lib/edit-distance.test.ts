import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { countEdits } from '../../../src/lib/edit-distance.ts';
import { assertLaw } from '../law.ts';

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['munihc', 'munich', 1],
  ['germny', 'germany', 1],
  ['abcd', 'badc', 2],
  ['berlin', 'berlin', 0],
])('from %j to %j takes %i edits', (one, other, edits) => {
  expect(countEdits(one, other)).toBe(edits);
});

test('is exact up to a bound, and only said to be more beyond it', () => {
  const text = fc.stringMatching(/^[abc]{0,8}$/);
  assertLaw(fc.tuple(text, text, fc.nat(9)), ([one, other, most]) => {
    const edits = countEdits(one, other);
    if (edits <= most) expect(countEdits(one, other, most)).toBe(edits);
    else expect(countEdits(one, other, most)).toBeGreaterThan(most);
  });
});

test('is equal in both directions, and at most the longer text’s length', () => {
  const text = fc.stringMatching(/^[abc]{0,8}$/);
  assertLaw(fc.tuple(text, text), ([one, other]) => {
    expect(countEdits(one, other)).toBe(countEdits(other, one));
    expect(countEdits(one, other)).toBeLessThanOrEqual(Math.max(one.length, other.length));
    expect(countEdits(one, other) === 0).toBe(one === other);
  });
});
