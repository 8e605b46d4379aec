import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { toInstantMs, toWallMs } from '../../../src/provide/zone.ts';
import { assertLaw } from '../law.ts';

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/Havana',
  'Pacific/Chatham',
];
const wall = (text: string) => Date.parse(`${text}Z`);
const instants = fc.integer({
  min: Date.parse('2000-01-01T00:00Z'),
  max: Date.parse('2037-12-31T00:00Z'),
});

describe('wall time becomes an instant', () => {
  const rows: readonly (readonly [string, string, string, string])[] = [
    ['in winter', 'Europe/Berlin', '2026-01-15T12:00', '2026-01-15T11:00:00.000Z'],
    ['in summer', 'Europe/Berlin', '2026-07-15T12:00', '2026-07-15T10:00:00.000Z'],
    [
      'left out when the clock is put forward: the moment after',
      'Europe/Berlin',
      '2026-03-29T02:30',
      '2026-03-29T01:00:00.000Z',
    ],
    [
      'shown twice when the clock is put back: the first time',
      'Europe/Berlin',
      '2026-10-25T02:30',
      '2026-10-25T00:30:00.000Z',
    ],
    [
      'left out, in the first second of what is',
      'Europe/Berlin',
      '2026-03-29T02:00:00.300',
      '2026-03-29T01:00:00.000Z',
    ],
    [
      'a midnight that is left out',
      'America/Havana',
      '2026-03-08T00:00',
      '2026-03-08T05:00:00.000Z',
    ],
    [
      'where half an hour is left out',
      'Australia/Lord_Howe',
      '2026-10-04T02:10',
      '2026-10-03T15:30:00.000Z',
    ],
    ['at an odd offset', 'Asia/Kolkata', '2026-01-01T05:30', '2026-01-01T00:00:00.000Z'],
  ];
  test.each(rows)('%s', (_claim, zone, text, expected) => {
    expect(new Date(toInstantMs(wall(text), zone)).toISOString()).toBe(expected);
  });
});

test('an instant is never after the first one at which the wall shows its time', () => {
  assertLaw(fc.tuple(instants, fc.constantFrom(...zones)), ([instantMs, zone]) => {
    const first = toInstantMs(toWallMs(instantMs, zone), zone);
    expect(first).toBeLessThanOrEqual(instantMs);
    expect(toWallMs(first, zone)).toBe(toWallMs(instantMs, zone));
  });
});

test('no wall time is shown before its instant, and it or a later one is shown then', () => {
  assertLaw(fc.tuple(instants, fc.constantFrom(...zones)), ([wallMs, zone]) => {
    const instantMs = toInstantMs(wallMs, zone);
    expect(toWallMs(instantMs, zone)).toBeGreaterThanOrEqual(wallMs);
    expect(toWallMs(instantMs - 1000, zone)).toBeLessThan(wallMs);
  });
});

test('without a zone it is the one of the system', () => {
  const now = new Date(2026, 6, 1, 12, 34, 56);
  expect(new Date(toWallMs(now.getTime(), undefined)).toISOString()).toBe(
    '2026-07-01T12:34:56.000Z',
  );
});

test.each(['America/St_Johns', 'Asia/Kolkata', 'UTC'])(
  'the zone of a system in %s is the one of that name',
  (zone) => {
    vi.stubEnv('TZ', zone);
    for (const instantMs of [Date.UTC(2026, 0, 15, 12, 34, 56), Date.UTC(2026, 6, 15, 1)]) {
      expect(toWallMs(instantMs, undefined)).toBe(toWallMs(instantMs, zone));
      expect(toInstantMs(toWallMs(instantMs, zone), undefined)).toBe(instantMs);
    }
    vi.unstubAllEnvs();
  },
);
