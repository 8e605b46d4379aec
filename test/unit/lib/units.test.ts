import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatBytes, formatSeconds, parseDurationSeconds } from '../../../src/lib/units.ts';
import { assertLaw } from '../law.ts';

describe('an amount of data for people', () => {
  test.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '0.977 KiB'],
    [1024, '1.00 KiB'],
    [1_572_864, '1.50 MiB'],
    [1_023_590, '0.976 MiB'],
    [1023 * 1024, '0.999 MiB'],
    [5 * 1024 ** 4, '5.00 TiB'],
    [5000 * 1024 ** 5, '5000 PiB'],
  ])('of %d bytes is %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  test('is never in powers of ten, and right to half a percent', () => {
    const factors: Record<string, number> = {
      B: 1,
      KiB: 2 ** 10,
      MiB: 2 ** 20,
      GiB: 2 ** 30,
      TiB: 2 ** 40,
      PiB: 2 ** 50,
    };
    assertLaw(fc.maxSafeInteger().map(Math.abs), (bytes) => {
      const [number = '', unit = ''] = formatBytes(bytes).split(' ');
      expect(number).toMatch(/^\d{1,4}(\.\d{1,3})?$/);
      expect(Math.abs(Number(number) * (factors[unit] ?? 0) - bytes)).toBeLessThanOrEqual(bytes * 0.006);
    });
  });
});

test.each([
  [0, '0 s'],
  [-5, '0 s'],
  [59.6, '1 min'],
  [61, '1 min 1 s'],
  [3600, '1 h'],
  [11_100, '3 h 5 min'],
  [86_400 + 59, '1 d'],
  [90_000, '1 d 1 h'],
])('%d seconds are %s for people', (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text);
});

test.each([
  ['90s', 90],
  ['30m', 1800],
  ['30 min', 1800],
  [' 2h ', 7200],
  ['1d', 86_400],
  ['0s', 0],
  ['2', undefined],
  ['h', undefined],
  ['-1h', undefined],
  ['1.5h', undefined],
  ['1h30m', undefined],
  ['1w', undefined],
  ['1H', undefined],
  ['9999999999s', undefined],
  ['1constructor', undefined],
])('the duration %j is %s seconds', (text, seconds) => {
  expect(parseDurationSeconds(text)).toBe(seconds);
});
