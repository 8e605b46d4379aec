import { lstat, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sweepTemporaryFiles } from '../../../src/system/files.ts';

const now = new Date('2026-05-01T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);

async function createFolder(names: readonly string[], writtenAt: Date) {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-sweep-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const name of names) {
    await writeFile(join(folder, name), 'half');
    await utimes(join(folder, name), writtenAt, writtenAt);
  }
  return folder;
}

const leftBehind = [
  '.identity.json.0123abcd',
  '.pending-create.json.ffffffff',
  '.identity.json.left-1767225600000.0123abcd',
  '.wireguard.conf.0123abcd',
  '.2026-05.jsonl.0123abcd',
  'wireguard.conf',
];
const kept = [
  'identity.json',
  'identity.json.broken-2026-01-01T00-00-00-000Z',
  'identity.json.0123abcd',
  '.identity.json',
  '.identity.json.0123abc',
  '.identity.json.0123abcde',
  '.identity.json.0123ABCD',
  '.identity.json.other.0123abcd',
  '.notes.0123abcd',
  'agent.lock',
  'wireguard.conf.mine',
];

test('files that killed writes left are removed, and no others', async () => {
  const folder = await createFolder([...leftBehind, ...kept], minutesAgo(2));
  await sweepTemporaryFiles(folder, now);
  expect((await readdir(folder)).toSorted()).toEqual(kept.toSorted());
});

test.each([
  ['is being written now', minutesAgo(0)],
  ['was written within the last minute', minutesAgo(1)],
  ['was written in the future, by a clock that was wrong', minutesAgo(-60)],
])('a file that %s stays', async (_, writtenAt) => {
  const folder = await createFolder(leftBehind, writtenAt);
  await sweepTemporaryFiles(folder, now);
  expect(await readdir(folder)).toHaveLength(leftBehind.length);
});

test('a link or a folder of such a name stays, and so does what the link leads to', async () => {
  const folder = await createFolder(['precious'], minutesAgo(2));
  await symlink(join(folder, 'precious'), join(folder, '.identity.json.0123abcd'));
  await mkdir(join(folder, '.usage.json.0123abcd'));
  const inFuture = new Date(Date.now() + 3_600_000);
  await sweepTemporaryFiles(folder, inFuture);
  expect((await readdir(folder)).toSorted()).toEqual([
    '.identity.json.0123abcd',
    '.usage.json.0123abcd',
    'precious',
  ]);
  expect((await lstat(join(folder, '.identity.json.0123abcd'))).isSymbolicLink()).toBe(true);
});

test('a folder that is not there is no failure', async () => {
  await sweepTemporaryFiles('/nowhere/at/all', now);
});
