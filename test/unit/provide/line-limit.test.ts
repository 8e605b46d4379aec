import { expect, test } from 'vitest';
import { decideLineLimit, type RateLimit } from '../../../src/provide/line-limit.ts';

type Given = Parameters<typeof decideLineLimit>[0];
const none: Given = { override: undefined, schedule: undefined, configured: {} };
const line: RateLimit = { line: 20e6 };

test.each<readonly [string, Partial<Given>, ReturnType<typeof decideLineLimit>]>([
  ['none without any', {}, undefined],
  [
    'the configured one of the line',
    { configured: line },
    { bitsPerSecond: 20e6, source: 'configured' },
  ],
  [
    'the scheduled one before it, also a higher one',
    { configured: line, schedule: { line: 95e6 } },
    { bitsPerSecond: 95e6, source: 'schedule' },
  ],
  [
    'the configured one where the entry has none',
    { configured: line, schedule: {} },
    { bitsPerSecond: 20e6, source: 'configured' },
  ],
  [
    'the one set by hand before both',
    { configured: line, schedule: { line: 1e6 }, override: { line: 30e6 } },
    { bitsPerSecond: 30e6, source: 'override' },
  ],
  [
    'the scheduled one where only a mode was set by hand',
    { schedule: { line: 1e6 }, override: { line: undefined } },
    { bitsPerSecond: 1e6, source: 'schedule' },
  ],
])('the limit is %s', (_claim, change, expected) => {
  expect(decideLineLimit({ ...none, ...change })).toEqual(expected);
});
