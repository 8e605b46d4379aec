import { describe, expect, test } from 'vitest';
import { chooseTop } from '../../../../src/status/page/chart.ts';
import { createWallClock } from '../../../../src/status/page/clock.ts';
import {
  compareSlots,
  describeDifference,
  pickTransfer,
} from '../../../../src/status/page/figures.ts';
import { fillSlots } from '../../../../src/status/page/slots.ts';
import { measureSpeed } from '../../../../src/status/page/view.ts';
import { createHistoryRow } from '../sample-past.ts';

const hourMs = 3_600_000;

describe('the difference between both counts', () => {
  test.each([
    [100, 98, '2.0 % less'],
    [100, 130, '30 % more'],
    [100, 100, 'as much'],
    [100_000, 100_001, 'as much'],
    [0, 0, 'as much'],
    [0, 5, 'more'],
    [5, 0, '100 % less'],
  ])('%d here and %d at the service: %s', (here, service, words) => {
    expect(describeDifference(here, service)).toBe(words);
  });

  test('is taken over the rows that both have counted', () => {
    const slots = [{ upBytes: 10, serviceBytes: 9 }, { upBytes: 20 }].map((counted, index) => {
      return { row: createHistoryRow(index * hourMs, counted), isWhole: true };
    });
    expect(compareSlots(slots, pickTransfer)).toEqual({ here: 30, both: { here: 10, service: 9 } });
    expect(compareSlots(slots.slice(1), pickTransfer)).toEqual({ here: 20, both: undefined });
  });
});

test.each([
  [0, 1],
  [1, 1],
  [1.1, 2],
  [3.2e9, 4e9],
  [4.1e9, 6e9],
  [8.5e6, 1e7],
])('a scale for %d ends at %d, which is round as its half is', (most, top) => {
  expect(chooseTop(most)).toBe(top);
});

describe('the bars of a chart', () => {
  test('end with the running hour, and an hour without a row stays empty', () => {
    const now = new Date('2026-03-14T12:15:00Z');
    const rows = ['2026-03-14T12:00:00Z', '2026-03-14T10:00:00Z'].map((time) =>
      createHistoryRow(Date.parse(time), { upBytes: 2 }),
    );
    const slots = fillSlots(rows, { unit: 'hour', count: 3, now, clock: createWallClock('UTC') });
    expect(slots.map(({ row, seconds, isWhole }) => [row?.upBytes, seconds, isWhole])).toEqual([
      [2, 3600, true],
      [undefined, 3600, false],
      [2, 900, false],
    ]);
  });

  test('leave out what the service said of a time before it was over', () => {
    const now = new Date('2026-03-14T12:15:00Z');
    const counted = { upBytes: 100, serviceBytes: 27 };
    const [startMs, endMs] = [
      Date.parse('2026-03-14T11:00:00Z'),
      Date.parse('2026-03-14T12:00:00Z'),
    ];
    const compare = (serviceUntilMs: number | undefined) => {
      const rows = [createHistoryRow(startMs, { ...counted, serviceUntilMs })];
      const slots = fillSlots(rows, { unit: 'hour', count: 3, now, clock: createWallClock('UTC') });
      return compareSlots(slots, pickTransfer).both;
    };
    expect(compare(endMs - 1)).toBeUndefined();
    expect([compare(endMs), compare(undefined)]).toEqual(Array(2).fill({ here: 100, service: 27 }));
  });

  test.each([
    ['Europe/Berlin', '2026-03-29T20:00:00Z', 23],
    ['Europe/Berlin', '2026-10-25T22:00:00Z', 25],
    ['Asia/Kolkata', '2026-03-29T10:00:00Z', 24],
  ])('begin at midnight in %s, also around %s', (zone, time, hours) => {
    const clock = createWallClock(zone);
    const now = new Date(Date.parse(time) + 24 * hourMs);
    const slots = fillSlots([], { unit: 'day', count: 30, now, clock });
    expect(new Set(slots.map(({ startMs }) => clock.formatClock(new Date(startMs))))).toEqual(
      new Set(['00:00']),
    );
    expect(slots.at(-2)?.seconds).toBe(hours * 3600);
  });

  test('take days that were counted by UTC as well', () => {
    const clock = createWallClock('America/New_York');
    const now = new Date('2026-03-20T15:00:00Z');
    const rows = Array.from({ length: 30 }, (_, index) =>
      createHistoryRow(Date.parse('2026-03-20T00:00:00Z') - index * 24 * hourMs),
    );
    const slots = fillSlots(rows, { unit: 'day', count: 30, now, clock });
    expect(slots.filter(({ row }) => row !== undefined)).toHaveLength(30);
  });
});

describe('the speed', () => {
  const before = { atMs: 0, upBytes: 1000, downBytes: 0 };

  test('is measured since the youngest reading that is old enough', () => {
    const readings = [before, { atMs: 9_000, upBytes: 9_000, downBytes: 900 }];
    expect(measureSpeed(readings, { atMs: 10_000, upBytes: 11_000, downBytes: 1000 })).toEqual({
      up: 1000,
      down: 100,
    });
  });

  test('is not known before a second reading, and never below zero', () => {
    expect(measureSpeed([before], { ...before, atMs: 3_000 })).toBeUndefined();
    expect(measureSpeed([before], { atMs: 5_000, upBytes: 0, downBytes: 0 })).toEqual({
      up: 0,
      down: 0,
    });
  });
});
