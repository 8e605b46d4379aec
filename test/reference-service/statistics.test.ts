import { describe, expect, test } from 'vitest';
import { dayMs, hourMs } from '../../src/lib/units.ts';
import {
  byDay,
  byHour,
  limitLookback,
  listConnectionEvents,
  sumConsumerTransfer,
  toGib,
  toPayout,
} from '../../src/reference-service/answer-provider-statistics.ts';
import { noUsage, sumUsage } from '../../src/reference-service/usage.ts';
import { findWindowStart } from '../../src/reference-service/usage-hours.ts';

const gib = 1024 ** 3;
const at = (text: string) => Date.parse(`${text}:00:00Z`);
const createHour = (text: string, rxBytes: number) => {
  return { ...noUsage, hourMs: at(text), rxBytes, txBytes: rxBytes, onlineMs: 60_000, sessions: 1 };
};
const hours = [
  createHour('2026-02-28T22', gib),
  createHour('2026-02-28T23', 2 * gib),
  createHour('2026-03-01T00', 0),
];

test('transfer is what moved both ways in GiB, and the payout goes with it', () => {
  expect(toGib(sumUsage(hours))).toBe(6);
  expect(toPayout(sumUsage(hours))).toBeCloseTo(0.3);
});

test('hours are keyed yyyy-mm-dd-hh, days yyyy-mm-dd', () => {
  expect(byHour(hours, (usage) => usage.onlineMs / 60_000)).toEqual({
    '2026-02-28-22': 1,
    '2026-02-28-23': 1,
    '2026-03-01-00': 1,
  });
  expect(byDay([{ day: at('2026-02-28T00') / dayMs }], () => 6)).toEqual({ '2026-02-28': 6 });
});

test('a consumer had its share of what moved on a day, as far as the window holds it', () => {
  const day = at('2026-02-28T00') / dayMs;
  const shares = [1, 0.25].map((share, index) => ({ consumerId: 'one', day: day + index, share }));
  const days = [{ ...noUsage, day, rxBytes: gib, txBytes: gib }];
  expect(sumConsumerTransfer(shares, days)).toEqual({ '2026-02-28': 2, '2026-03-01': 0 });
  expect(
    sumConsumerTransfer(shares.slice(1), [{ ...noUsage, day: day + 1, rxBytes: 8 * gib }]),
  ).toEqual({
    '2026-03-01': 2,
  });
});

describe('a window of', () => {
  test.each([
    [1, 1],
    [0.25, 1],
    [24.5, 25],
    [1e300, 87_600],
  ])('%d hours counts as %d', (lastN, lookback) => {
    expect(limitLookback(lastN)).toBe(lookback);
  });
  test.each([0, -3, Number.NaN])('%d hours is refused', (lastN) => {
    expect(() => limitLookback(lastN)).toThrow(/above zero/);
  });
  test('24 hours holds 24 of them, the current one with them', () => {
    const now = at('2026-03-01T12') + 1_234_567;
    expect((at('2026-03-01T12') - findWindowStart(now, 24)) / hourMs + 1).toBe(24);
  });
});

test('only comings and goings inside the window are events', () => {
  const connection = {
    clientId: 'a',
    connectionId: 'one',
    connectedMs: 1000,
    disconnectedMs: 5000,
  };
  expect(
    listConnectionEvents(
      [connection, { ...connection, connectedMs: 6000, disconnectedMs: null }],
      2000,
    ),
  ).toEqual([
    { atMs: 5000, connected: false },
    { atMs: 6000, connected: true },
  ]);
});
