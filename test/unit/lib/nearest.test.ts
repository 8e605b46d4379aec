import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findNearest } from '../../../src/lib/edit-distance.ts';
import { assertLaw } from '../law.ts';

test.each([
  ['mod', ['mode', 'cap'], 'mode'],
  ['rate_limits', ['rate_limit', 'mode'], 'rate_limit'],
  ['mdoe', ['mode'], 'mode'],
  ['lsiten', ['listen', 'socket'], 'listen'],
  ['LEVEL', ['level'], 'level'],
  ['zzz', ['mode', 'cap'], undefined],
  ['anything', [], undefined],
])('%s among %j means %s', (name, known, expected) => {
  expect(findNearest(name, known)).toBe(expected);
});

test('a known name means itself', () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z_]{1,12}$/), { minLength: 1 });
  assertLaw(names, (known) => {
    for (const name of known) expect(findNearest(name, known)).toBe(name);
  });
});

test('a very long name costs nothing and means nothing', () => {
  expect(findNearest('x'.repeat(100_000), ['mode'])).toBeUndefined();
});
