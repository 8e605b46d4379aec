import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatBitrate,
  formatBytes,
  formatSeconds,
  formatUsdc,
  parseDurationSeconds,
} from '../../../src/lib/units.ts';
import { assertLaw } from '../law.ts';

describe('an amount of data for people', () => {
  test.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.00 kB'],
    [1024, '1.02 kB'],
    [999_499, '999 kB'],
    [999_500, '1.00 MB'],
    [1_500_000, '1.50 MB'],
    [500e9, '500 GB'],
    [500 * 1024 ** 3, '537 GB'],
    [5e12, '5.00 TB'],
    [5000e15, '5000 PB'],
  ])('of %d bytes is %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  test('has no exponent, and is right to half a percent', () => {
    const factors: Record<string, number> = {
      B: 1,
      kB: 1e3,
      MB: 1e6,
      GB: 1e9,
      TB: 1e12,
      PB: 1e15,
    };
    assertLaw(fc.maxSafeInteger().map(Math.abs), (bytes) => {
      const [number = '', unit = ''] = formatBytes(bytes).split(' ');
      expect(number).toMatch(/^\d{1,4}(\.\d{1,3})?$/);
      expect(Math.abs(Number(number) * (factors[unit] ?? 0) - bytes)).toBeLessThanOrEqual(
        bytes * 0.006,
      );
    });
  });
});

test.each([
  [0, '0 kbit/s'],
  [12, '0.0960 kbit/s'],
  [1000, '8.00 kbit/s'],
  [124_990, '1.00 Mbit/s'],
  [3_012_500, '24.1 Mbit/s'],
  [125_000_000, '1.00 Gbit/s'],
])('%d bytes a second are %s', (bytesPerSecond, text) => {
  expect(formatBitrate(bytesPerSecond)).toBe(text);
});

describe('an amount of money', () => {
  test.each([
    [0, '0 USDC'],
    [0.000_000_4, '<0.000001 USDC'],
    [-0.000_000_4, '>-0.000001 USDC'],
    [0.000_001, '0.000001 USDC'],
    [0.000_012_3, '0.000012 USDC'],
    [0.000_43, '0.00043 USDC'],
    [0.0084, '0.0084 USDC'],
    [0.420_069, '0.4201 USDC'],
    [0.999_96, '1.00 USDC'],
    [11.9, '11.90 USDC'],
    [1234.567, '1234.57 USDC'],
    [-2.5, '-2.50 USDC'],
  ])('of %d USDC is %s', (usdc, text) => {
    expect(formatUsdc(usdc)).toBe(text);
  });

  test('never looks like nothing where something was earned', () => {
    assertLaw(fc.double({ min: Number.MIN_VALUE, max: 1e9, noNaN: true }), (usdc) => {
      expect(formatUsdc(usdc)).toMatch(/[1-9]/);
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
  ['1h30m', 5400],
  ['3 h 5 min', 11_100],
  ['1h 30', undefined],
  ['1w', undefined],
  ['1H', undefined],
  ['9999999999s', undefined],
  ['1constructor', undefined],
])('the duration %j is %s seconds', (text, seconds) => {
  expect(parseDurationSeconds(text)).toBe(seconds);
});
