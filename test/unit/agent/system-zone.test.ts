import { mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { followSystemZone } from '../../../src/agent/system-zone.ts';

const now = () => new Date('2026-05-04T12:00:00Z');
const never = new AbortController().signal;

/** A system whose zone is a link, as Debian's is. */
async function createSystem(zone: string, environment: { TZ?: string } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-zone-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'localtime');
  const choose = async (name: string) => {
    await symlink(`/usr/share/zoneinfo/${name}`, `${path}.new`);
    await rename(`${path}.new`, path);
  };
  await choose(zone);
  const lines: unknown[] = [];
  const log = { info: (fields: unknown) => void lines.push(fields) };
  const followed = followSystemZone({ environment, path, log, now });
  return { ...followed, choose, lines, path };
}

/** Node keeps this zone until it is told to look again. */
function keepTokyo() {
  const { TZ: before } = process.env;
  onTestFinished(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });
  process.env.TZ = 'Asia/Tokyo';
  expect(now().getTimezoneOffset()).toBe(-540);
}

test('a time zone that the system changes is in force with the next look', async () => {
  const { choose, facts, lines, loop, path } = await createSystem('Asia/Tokyo');
  keepTokyo();
  await loop.tick(never);
  expect([facts(undefined).name, now().getTimezoneOffset()]).toEqual(['Asia/Tokyo', -540]);
  await choose('Europe/Berlin');
  await loop.tick(never);
  expect(facts(undefined)).toEqual({ name: 'Europe/Berlin', problem: undefined });
  expect(now().getTimezoneOffset()).not.toBe(-540);
  await rm(path);
  await loop.tick(never);
  expect(lines).toEqual([{ zone: 'Europe/Berlin' }]);
});

test('a zone that TZ names stays, whatever the system changes', async () => {
  const { choose, facts, lines, loop } = await createSystem('UTC', { TZ: 'Asia/Tokyo' });
  keepTokyo();
  await choose('Europe/Berlin');
  await loop.tick(never);
  expect([facts(undefined).name, now().getTimezoneOffset()]).toEqual(['Asia/Tokyo', -540]);
  expect(lines).toEqual([]);
});

test('a zone in TZ that is not known is told, unless the owner names one', async () => {
  const { facts } = await createSystem('UTC', { TZ: 'Europe/Berln' });
  expect(facts(undefined)).toMatchObject({
    name: undefined,
    problem: { code: 'zone-unknown', message: expect.stringContaining('Europe/Berln') },
  });
  expect(facts('Europe/Berlin')).toEqual({ name: 'Europe/Berlin', problem: undefined });
});
