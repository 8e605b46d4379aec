import { afterEach, describe, expect, test, vi } from 'vitest';
import { createWallClock } from '../../../../src/status/page/clock.ts';

afterEach(() => void vi.unstubAllEnvs());

const time = new Date('2026-03-14T20:30:05Z');

describe('the clock of the page', () => {
  test.each([
    ['UTC', 'UTC (UTC)', '14 Mar, 20:30', '20:30:05'],
    ['Europe/Berlin', 'Europe/Berlin (UTC+1)', '14 Mar, 21:30', '21:30:05'],
    ['Asia/Kolkata', 'Asia/Kolkata (UTC+5:30)', '15 Mar, 02:00', '02:00:05'],
    ['America/St_Johns', 'America/St_Johns (UTC-2:30)', '14 Mar, 18:00', '18:00:05'],
  ])('shows what the wall in %s does, and says so', (zone, name, moment, seconds) => {
    const clock = createWallClock(zone);
    expect(clock.zoneAt(time)).toBe(name);
    expect(clock.formatMoment(time, new Date('2026-05-01T00:00:00Z'))).toBe(moment);
    expect(clock.formatClockSeconds(time)).toBe(seconds);
  });

  test("without a configured zone is the device's", () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    const clock = createWallClock(undefined);
    expect(clock.zoneAt(time)).toBe("the device's clock (UTC+9)");
    expect(clock.formatDay(time)).toBe('15 Mar');
  });

  test('leaves the day out for times of today, which begins at the time zone’s midnight', () => {
    const clock = createWallClock('America/Los_Angeles');
    expect(clock.formatMoment(new Date('2026-03-14T07:30:00Z'), time)).toBe('00:30');
    expect(clock.formatMoment(new Date('2026-03-14T06:30:00Z'), time)).toBe('13 Mar, 23:30');
  });

  test.each([
    [
      'Europe/Berlin',
      '2026-03-29T20:00:00Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ],
    [
      'Asia/Kolkata',
      '2026-04-30T19:00:00Z',
      '2026-04-30T18:30:00.000Z',
      '2026-05-01T18:30:00.000Z',
    ],
  ])('finds midnights in %s, also around a change of its clocks', (zone, now, today, tomorrow) => {
    const clock = createWallClock(zone);
    const midnights = [0, 1].map((daysOn) =>
      new Date(clock.startOfDay(new Date(now), daysOn)).toISOString(),
    );
    expect(midnights).toEqual([today, tomorrow]);
  });

  test('begins the month on its first day there', () => {
    const start = createWallClock('Asia/Kolkata').startOfMonth(new Date('2026-04-30T19:00:00Z'));
    expect(new Date(start).toISOString()).toBe('2026-04-30T18:30:00.000Z');
  });
});
