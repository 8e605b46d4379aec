import { afterAll, describe, expect, test } from 'vitest';
import { TributaryError } from '../../src/errors/codes.ts';
import { removeFolder, targets } from '../fuzz/targets.ts';
import { tryTarget } from '../fuzz/try-target.ts';

afterAll(removeFolder);

// The short form of `npm run fuzz`: always the same cases.
describe.each(targets)('$name', (target) => {
  test('takes what it is for, and ends for anything else in an error with a code', async () => {
    const { faults } = await tryTarget(target, 1, (cases) => cases >= 60);
    expect(faults).toEqual([]);
  });
});

test.each([
  ['throws something else', () => JSON.parse('{')],
  ['says too much', () => Promise.reject(new TributaryError('command-failed', 'x'.repeat(5000)))],
] as const)('a reader that %s is found', async (_what, run) => {
  const { faults } = await tryTarget({ name: 'x', samples: ['a'], run }, 1, (cases) => cases >= 3);
  expect(faults).toHaveLength(3);
});

test('a reader whose result is judged bad is found, and can be tried again', async () => {
  const target = {
    name: 'x',
    samples: ['ab'],
    run: (text: string) => text,
    judge: (text: unknown) => (text === 'ab' ? undefined : 'other'),
  };
  const { faults } = await tryTarget(target, 1, (cases) => cases >= 50);
  const again = await tryTarget(target, 1, (cases) => cases >= 50);
  expect(faults.length).toBeGreaterThan(0);
  expect(again.faults).toEqual(faults);
});
