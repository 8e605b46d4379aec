import { expect, test } from 'vitest';
import {
  formatAgo,
  formatBitrate,
  formatCount,
  formatGib,
  formatHours,
  formatShare,
  formatUsdc,
} from '../../../../src/cli/present/amounts.ts';

test.each([
  [undefined, '-'],
  [0, '0 B'],
  [0.000_000_001, '1 B'],
  [0.001, '1.07 MB'],
  [0.5, '537 MB'],
  [1.5, '1.61 GB'],
  [2048, '2.20 TB'],
])('%d GiB are %s', (gib, text) => {
  expect(formatGib(gib)).toBe(text);
});

test.each([
  [undefined, '-'],
  [0.0123, '0.0123 USDC'],
])('%d USDC are %s', (usdc, text) => {
  expect(formatUsdc(usdc)).toBe(text);
});

test.each([
  [undefined, '-'],
  ['2026-03-14T12:00:00Z', 'now'],
  ['2026-03-14T11:59:59.5Z', 'now'],
  ['2026-03-14T11:59:30Z', '30 s ago'],
  ['2026-03-14T11:55:00.123456789Z', '5 min ago'],
  ['2026-03-14T09:00:01Z', '2 h ago'],
  ['2026-03-11T11:00:00+01:00', '3 d ago'],
  ['2026-03-14T12:10:00Z', 'in 10 min'],
  ['yesterday', 'yesterday'],
  ['', ''],
])('the time %j is %j', (time, text) => {
  expect(formatAgo(time, new Date('2026-03-14T12:00:00Z'))).toBe(text);
});

test.each([
  [undefined, '-'],
  [0, '0 s'],
  [0.5, '30 min'],
  [23.75, '23 h 45 min'],
  [49, '2 d 1 h'],
])('%d hours are %s', (hours, text) => {
  expect(formatHours(hours)).toBe(text);
});

test.each([
  [undefined, '-'],
  [0, '0 %'],
  [0.004, '0.4 %'],
  [0.0994, '9.9 %'],
  [0.0996, '10 %'],
  [1, '100 %'],
])('a share of %d is %s', (share, text) => {
  expect(formatShare(share)).toBe(text);
});

test.each([
  [undefined, '-'],
  [1_537_500, '12.3 Mbit/s'],
])('%d bytes a second are %s', (bytesPerSecond, text) => {
  expect(formatBitrate(bytesPerSecond)).toBe(text);
});

test.each([
  [undefined, '-'],
  [0, '0'],
  [10_000, '10000'],
])('a count of %d is %s', (count, text) => {
  expect(formatCount(count)).toBe(text);
});

test.each([-5, -1e-9, 1e300, Number.POSITIVE_INFINITY, Number.NaN])(
  '%d is no amount that a device can have, so it is shown as unknown',
  (amount) => {
    for (const format of [formatGib, formatUsdc, formatHours, formatBitrate, formatCount])
      expect(format(amount)).toBe('-');
    expect(formatShare(amount)).toBe('-');
  },
);
