import { afterEach, expect, test, vi } from 'vitest';
import { load, withService } from './config-fixture.ts';

afterEach(() => void vi.unstubAllEnvs());

/** The warnings about TZ of a process that was started with it. */
async function warningsWith(zone: string, text = withService()): Promise<readonly string[]> {
  vi.stubEnv('TZ', zone);
  const { warnings } = await load(text, { TZ: zone });
  return warnings.filter((warning) => warning.startsWith('TZ: '));
}

test.each([
  ['is misspelt', 'Europe/Berln'],
  ['is misspelt and has no summer', 'Asia/Tokio'],
  ['is in small letters', 'europe/berlin'],
  ['has a blank before it', ' Europe/Berlin'],
  ['is a rule', 'CET-1CEST,M3.5.0,M10.5.0/3'],
  ['is a file', '/usr/share/zoneinfo/Europe/Berlin'],
  ['is much too long', 'x'.repeat(5000)],
])('a zone in TZ that %s is warned of', async (_claim, zone) => {
  expect(await warningsWith(zone)).toEqual([
    `TZ: ${JSON.stringify(zone.slice(0, 60))} is not known here, so schedule, cap and page go by another time; give a name such as "Europe/Berlin" there or in provide.time_zone`,
  ]);
});

test.each([
  '',
  'UTC',
  'Etc/UTC',
  'GMT',
  'Europe/Berlin',
  ':Europe/Berlin',
  'posix/Europe/Berlin',
  'America/Santiago',
  'Asia/Kolkata',
  'Africa/Abidjan',
  'Etc/GMT+3',
  'EST5EDT',
  'UTC-3',
])('a zone in TZ that is in force is not (%s)', async (zone) => {
  expect(await warningsWith(zone)).toEqual([]);
});

test('beside the owner’s own zone, TZ does not matter', async () => {
  const text = withService('provide: { time_zone: Europe/Berlin }');
  expect(await warningsWith('Europe/Berln', text)).toEqual([]);
});
