import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findPeriod, type PeriodSettings } from '../../../src/provide/period.ts';
import { assertLaw } from '../law.ts';

const month = (resetDay: number): PeriodSettings => ({ period: 'month', resetDay });
const week = (resetDay: number): PeriodSettings => ({ period: 'week', resetDay });
const day: PeriodSettings = { period: 'day', resetDay: 1 };

describe('a period goes from midnight to midnight on the wall in Berlin', () => {
  const rows: readonly (readonly [string, PeriodSettings, string, string, string])[] = [
    ['the day', day, '2026-07-15T12:00Z', '2026-07-14T22:00Z', '2026-07-15T22:00Z'],
    [
      'the day when the clock is put forward: 23 hours',
      day,
      '2026-03-29T12:00Z',
      '2026-03-28T23:00Z',
      '2026-03-29T22:00Z',
    ],
    [
      'the day when the clock is put back: 25 hours',
      day,
      '2026-10-25T12:00Z',
      '2026-10-24T22:00Z',
      '2026-10-25T23:00Z',
    ],
    [
      'the last minute of a day',
      day,
      '2026-07-15T21:59:59Z',
      '2026-07-14T22:00Z',
      '2026-07-15T22:00Z',
    ],
    [
      'the first minute of a day',
      day,
      '2026-07-15T22:00Z',
      '2026-07-15T22:00Z',
      '2026-07-16T22:00Z',
    ],
    [
      'the week from Monday',
      week(1),
      '2026-07-15T12:00Z',
      '2026-07-12T22:00Z',
      '2026-07-19T22:00Z',
    ],
    [
      'the week from Sunday',
      week(7),
      '2026-07-15T12:00Z',
      '2026-07-11T22:00Z',
      '2026-07-18T22:00Z',
    ],
    [
      'the week on its first day',
      week(3),
      '2026-07-15T12:00Z',
      '2026-07-14T22:00Z',
      '2026-07-21T22:00Z',
    ],
    [
      'the week on its last day',
      week(4),
      '2026-07-15T12:00Z',
      '2026-07-08T22:00Z',
      '2026-07-15T22:00Z',
    ],
    ['the month', month(1), '2026-07-15T12:00Z', '2026-06-30T22:00Z', '2026-07-31T22:00Z'],
    [
      'the month before its reset day',
      month(20),
      '2026-07-15T12:00Z',
      '2026-06-19T22:00Z',
      '2026-07-19T22:00Z',
    ],
    [
      'the month over the end of the year',
      month(20),
      '2027-01-05T12:00Z',
      '2026-12-19T23:00Z',
      '2027-01-19T23:00Z',
    ],
    [
      'the 31st in a month of 30 days: its last',
      month(31),
      '2026-04-30T12:00Z',
      '2026-04-29T22:00Z',
      '2026-05-30T22:00Z',
    ],
    [
      'the 31st in February: its last',
      month(31),
      '2026-02-15T12:00Z',
      '2026-01-30T23:00Z',
      '2026-02-27T23:00Z',
    ],
    [
      'the 30th in a leap February: the 29th',
      month(30),
      '2028-02-29T12:00Z',
      '2028-02-28T23:00Z',
      '2028-03-29T22:00Z',
    ],
    [
      'the month in which the clock is put forward',
      month(1),
      '2026-03-15T12:00Z',
      '2026-02-28T23:00Z',
      '2026-03-31T22:00Z',
    ],
  ];
  test.each(rows)('%s', (_claim, settings, now, start, end) => {
    expect(findPeriod(settings, new Date(now), 'Europe/Berlin')).toEqual({
      start: new Date(start),
      end: new Date(end),
    });
  });
});

const anySettings = fc.oneof(
  fc.constant(day),
  fc.integer({ min: 1, max: 7 }).map(week),
  fc.integer({ min: 1, max: 31 }).map(month),
);
const anyZone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/Havana',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
);
const anyInstant = fc.date({
  min: new Date('2000-01-01'),
  max: new Date('2037-12-31'),
  noInvalidDate: true,
});

test('every instant lies in its period, and the next begins where it ends', () => {
  assertLaw(fc.tuple(anySettings, anyInstant, anyZone), ([settings, now, zone]) => {
    const { start, end } = findPeriod(settings, now, zone);
    expect(start.getTime()).toBeLessThanOrEqual(now.getTime());
    expect(end.getTime()).toBeGreaterThan(now.getTime());
    expect(findPeriod(settings, start, zone)).toEqual({ start, end });
    expect(findPeriod(settings, end, zone).start).toEqual(end);
    expect(findPeriod(settings, new Date(end.getTime() - 1), zone)).toEqual({ start, end });
  });
});
