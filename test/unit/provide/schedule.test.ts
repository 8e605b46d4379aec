import * as fc from 'fast-check';
import { getTasks, parse } from 'node-cron';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSchedule, type ScheduleEntry } from '../../../src/provide/schedule.ts';
import { provideModes } from '../../../src/service/profiles.ts';

// Where it is still the day before, so that the system's own zone would show.
beforeAll(() => void vi.stubEnv('TZ', 'America/Los_Angeles'));
afterAll(() => void vi.unstubAllEnvs());

const nightly: readonly ScheduleEntry[] = [
  { cron: '0 22 * * *', mode: 'public' },
  { cron: '0 7 * * *', mode: 'none' },
];
const mondayOrFirst: readonly ScheduleEntry[] = [
  { cron: '0 22 1 * 1', mode: 'none' },
  { cron: '0 6 * * *', mode: 'public' },
];
const aroundThree: readonly ScheduleEntry[] = [
  { cron: '0 1 * * *', mode: 'public' },
  { cron: '30 2 * * *', mode: 'none' },
];

describe('the entry that fired last holds, in Berlin', () => {
  const rows: readonly (readonly [string, readonly ScheduleEntry[], string, string, string])[] = [
    ['by night', nightly, '2026-01-15T23:30Z', 'public', '2026-01-15T21:00Z'],
    ['by day', nightly, '2026-01-15T12:00Z', 'none', '2026-01-15T06:00Z'],
    ['after midnight', nightly, '2026-01-16T02:00Z', 'public', '2026-01-15T21:00Z'],
    [
      'in the second in which it fires',
      nightly,
      '2026-01-15T21:00:00Z',
      'public',
      '2026-01-15T21:00Z',
    ],
    ['in the second before it fires', nightly, '2026-01-15T20:59:59Z', 'none', '2026-01-15T06:00Z'],
    ['in summer', nightly, '2026-07-15T20:00Z', 'public', '2026-07-15T20:00Z'],
    [
      'a month ago',
      [{ cron: '0 0 1 * *', mode: 'friends' }],
      '2026-01-31T12:00Z',
      'friends',
      '2025-12-31T23:00Z',
    ],
    [
      'almost a year ago',
      [{ cron: '0 0 1 2 *', mode: 'friends' }],
      '2027-01-31T12:00Z',
      'friends',
      '2026-01-31T23:00Z',
    ],
    [
      'over a leap day, until the same minute a year on',
      [{ cron: '0 12 1 3 *', mode: 'friends' }],
      '2028-03-01T10:59Z',
      'friends',
      '2027-03-01T11:00Z',
    ],
    [
      'at the last of several times, in whatever order they are written',
      [{ cron: '30,0 22,7 * * *', mode: 'none' }],
      '2026-01-15T23:00Z',
      'none',
      '2026-01-15T21:30Z',
    ],
    [
      'with blanks around and between the fields',
      [{ cron: '  0  8 * *  1-5 ', mode: 'none' }],
      '2026-11-22T12:00Z',
      'none',
      '2026-11-20T07:00Z',
    ],
    [
      'on the last day of a month',
      [{ cron: '0 0 L * *', mode: 'none' }],
      '2026-03-01T12:00Z',
      'none',
      '2026-02-27T23:00Z',
    ],
    [
      'on working days',
      [{ cron: '0 8 * * 1-5', mode: 'none' }],
      '2026-11-22T12:00Z',
      'none',
      '2026-11-20T07:00Z',
    ],
    [
      'on a Monday and on the first, as cron has it: on a Monday',
      mondayOrFirst,
      '2026-11-23T22:30Z',
      'none',
      '2026-11-23T21:00Z',
    ],
    [
      'on a Monday and on the first, as cron has it: on the first, a Tuesday',
      mondayOrFirst,
      '2026-12-01T22:30Z',
      'none',
      '2026-12-01T21:00Z',
    ],
    [
      'on a Monday and on the first, as cron has it: on another day',
      mondayOrFirst,
      '2026-11-24T22:30Z',
      'public',
      '2026-11-24T05:00Z',
    ],
    [
      'on a Monday that is an uneven day, as cron has it',
      [{ cron: '0 8 */2 * 1', mode: 'none' }],
      '2026-11-18T12:00Z',
      'none',
      '2026-11-09T07:00Z',
    ],
    [
      'on a Sunday called 7',
      [{ cron: '0 8 * * 7', mode: 'none' }],
      '2026-11-23T12:00Z',
      'none',
      '2026-11-22T07:00Z',
    ],
    [
      'the later in the list of two at once',
      [
        { cron: '0 8 * * *', mode: 'none' },
        { cron: '0 8 1 * *', mode: 'public' },
      ],
      '2026-07-01T10:00Z',
      'public',
      '2026-07-01T06:00Z',
    ],
    [
      'the later in time, wherever it stands',
      [
        { cron: '5 8 * * *', mode: 'none' },
        { cron: '0 8 * * *', mode: 'public' },
      ],
      '2026-07-01T10:00Z',
      'none',
      '2026-07-01T06:05Z',
    ],
    [
      'the clock put forward over it: from then on',
      aroundThree,
      '2026-03-29T01:00Z',
      'none',
      '2026-03-29T01:00Z',
    ],
    [
      'before the clock is put forward',
      aroundThree,
      '2026-03-29T00:59Z',
      'public',
      '2026-03-29T00:00Z',
    ],
    [
      'the clock put back: the first time',
      aroundThree,
      '2026-10-25T00:45Z',
      'none',
      '2026-10-25T00:30Z',
    ],
    [
      'the hour that comes again changes nothing',
      aroundThree,
      '2026-10-25T01:15Z',
      'none',
      '2026-10-25T00:30Z',
    ],
    [
      'after the hour that came twice',
      aroundThree,
      '2026-10-25T02:15Z',
      'none',
      '2026-10-25T00:30Z',
    ],
  ];
  test.each(rows)('%s', async (_claim, entries, now, mode, since) => {
    const schedule = await createSchedule(entries, 'Europe/Berlin');
    expect(schedule.at(new Date(now))).toEqual({ mode, since: new Date(since) });
  });
});

test('a day is judged in the owner’s zone, not in the system’s', async () => {
  const entries: readonly ScheduleEntry[] = [{ cron: '0 0 1 * *', mode: 'none' }];
  const since = async (zone: string) =>
    (await createSchedule(entries, zone)).at(new Date('2026-07-15T12:00Z'))?.since;
  expect(await since('Pacific/Auckland')).toEqual(new Date('2026-06-30T12:00Z'));
  expect(await since('America/Los_Angeles')).toEqual(new Date('2026-07-01T07:00Z'));
});

test('an empty schedule says nothing', async () => {
  expect((await createSchedule([], 'Europe/Berlin')).at(new Date())).toBeUndefined();
});

test('an entry that did not fire within a year says nothing', async () => {
  const schedule = await createSchedule([{ cron: '0 0 29 2 *', mode: 'none' }], 'UTC');
  expect(schedule.at(new Date('2026-07-01T00:00Z'))).toBeUndefined();
});

test('text that is no cron expression is refused', async () => {
  await expect(createSchedule([{ cron: '61 * * * *', mode: 'none' }], 'UTC')).rejects.toThrow();
});

test('a clock that jumps gets the mode of its time, forwards and back', async () => {
  const schedule = await createSchedule(nightly, 'UTC');
  const times = [
    '2026-07-01T12:00Z',
    '1970-01-02T23:00Z',
    '2026-07-01T23:00Z',
    '2026-07-01T12:00Z',
  ];
  expect(times.map((time) => schedule.at(new Date(time))?.mode)).toEqual([
    'none',
    'public',
    'public',
    'none',
  ]);
});

test('within a minute the same answer is given again', async () => {
  const schedule = await createSchedule(nightly, 'UTC');
  const first = schedule.at(new Date('2026-07-01T12:00:01Z'));
  expect(schedule.at(new Date('2026-07-01T12:00:59Z'))).toBe(first);
  expect(schedule.at(new Date('2026-07-01T12:01:00Z'))).not.toBe(first);
});

test('node-cron keeps nothing of a schedule that was asked', async () => {
  await createSchedule(nightly, 'UTC');
  expect(getTasks().size).toBe(0);
});

const field = (min: number, max: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min, max }).map(String),
    fc.constantFrom(2, 3, 5).map((step) => `*/${step}`),
  );
const anyEntry = fc.record({
  cron: fc
    .tuple(field(0, 59), field(0, 23), field(1, 28), fc.constant('*'), field(0, 6))
    .map((fields) => fields.join(' ')),
  mode: fc.constantFrom(...provideModes),
});

test('it says what counting back minute by minute says', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyEntry, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 0, max: 525_599 }),
      async (entries, minute) => {
        const now = new Date(Date.parse('2026-01-01T00:00Z') + minute * 60_000);
        const schedule = await createSchedule(entries, 'UTC');
        const expected = countBack(entries, now, 3 * 1440);
        const found = schedule.at(now);
        if (expected !== undefined) expect(found).toEqual(expected);
        else if (found !== undefined)
          expect(now.getTime() - found.since.getTime()).toBeGreaterThan(3 * 86_400_000 - 60_000);
      },
    ),
    { numRuns: 60 },
  );
});

/** The law itself, slowly: in UTC, at most so many minutes back. */
function countBack(entries: readonly ScheduleEntry[], now: Date, minutes: number) {
  const fields = entries.map(({ cron }) => ({
    ...parse(cron),
    namesBoth: !cron.split(' ').some((text, place) => [2, 4].includes(place) && text[0] === '*'),
  }));
  for (let back = 0; back < minutes; back += 1) {
    const since = new Date(now.getTime() - back * 60_000);
    const index = fields.findLastIndex(
      (cron) =>
        cron.minute.includes(since.getUTCMinutes()) &&
        cron.hour.includes(since.getUTCHours()) &&
        [cron.dayOfMonth.includes(since.getUTCDate()), cron.dayOfWeek.includes(since.getUTCDay())][
          cron.namesBoth ? 'some' : 'every'
        ](Boolean),
    );
    const entry = entries[index];
    if (entry !== undefined) return { mode: entry.mode, since };
  }
  return undefined;
}

test('an entry has its limit as long as it holds, and none of another', async () => {
  const [night, day] = nightly as [ScheduleEntry, ScheduleEntry];
  const schedule = await createSchedule([night, { ...day, rate_limit: { line: 10e6 } }], 'UTC');
  expect(schedule.at(new Date('2026-07-01T12:00Z'))).toMatchObject({
    mode: 'none',
    rateLimit: { line: 10e6 },
  });
  expect(schedule.at(new Date('2026-07-01T22:00Z'))).toMatchObject({
    mode: 'public',
    rateLimit: undefined,
  });
});
