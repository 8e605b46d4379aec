import { expect, onTestFinished, test, vi } from 'vitest';
import { createSchedule } from '../../../src/provide/schedule.ts';
import { toWallMs } from '../../../src/provide/zone.ts';

/** The formats that are made from here on: the first one alone takes several MB of memory. */
function watchFormats() {
  const formats = vi.spyOn(Intl, 'DateTimeFormat');
  onTestFinished(() => formats.mockRestore());
  return formats;
}

const noon = new Date('2026-07-01T12:00Z');

test('without a time zone and with times of day alone, a schedule makes no format', async () => {
  const schedule = await createSchedule([{ cron: '0 7 * * *', mode: 'none' }], undefined);
  const formats = watchFormats();
  expect((await createSchedule([{ cron: '0 8 * * *', mode: 'friends' }], undefined)).at(noon)?.mode).toBe('friends');
  expect(schedule.at(noon)?.mode).toBe('none');
  expect(formats).not.toHaveBeenCalled();
});

test('a zone’s format is made once', () => {
  const formats = watchFormats();
  const walls = [1, 2, 3].map((day) => toWallMs(noon.getTime() + day * 86_400_000, 'Asia/Kathmandu'));
  expect(walls.map((wall) => new Date(wall).toISOString().slice(11, 16))).toEqual(['17:45', '17:45', '17:45']);
  expect(formats).toHaveBeenCalledTimes(1);
});
