import { expect, onTestFinished, test, vi } from 'vitest';
import { createSchedule } from '../../../src/provide/schedule.ts';
import { toWallMs } from '../../../src/provide/zone.ts';

/**
 * The formats that are made and asked from here on: the first one alone takes several MB of memory.
 */
function watchFormats() {
  const asked = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
  const made = vi.spyOn(Intl, 'DateTimeFormat');
  onTestFinished(() => {
    made.mockRestore();
    asked.mockRestore();
  });
  return { made, asked };
}

const noon = new Date('2026-07-01T12:00Z');

test('without a time zone and with times of day alone, a schedule asks no format', async () => {
  const schedule = await createSchedule([{ cron: '0 7 * * *', mode: 'none' }], undefined);
  const { made, asked } = watchFormats();
  expect(
    (await createSchedule([{ cron: '0 8 * * *', mode: 'friends' }], undefined)).at(noon)?.mode,
  ).toBe('friends');
  expect(schedule.at(noon)?.mode).toBe('none');
  expect(made).not.toHaveBeenCalled();
  expect(asked).not.toHaveBeenCalled();
});

test('a zone’s format is made once', () => {
  const { made } = watchFormats();
  const walls = [1, 2, 3].map((day) =>
    toWallMs(noon.getTime() + day * 86_400_000, 'Asia/Kathmandu'),
  );
  expect(walls.map((wall) => new Date(wall).toISOString().slice(11, 16))).toEqual([
    '17:45',
    '17:45',
    '17:45',
  ]);
  expect(made).toHaveBeenCalledTimes(1);
});
