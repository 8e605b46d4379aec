import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readDateSeconds } from '../../../src/packaging/release.ts';

/** A source with one commit, and the same unpacked from an archive, as a person gets it who has no git. */
function createSource(committedAt: number) {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-source-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const [clone, archive] = ['clone', 'archive'].map((name) => join(directory, name)) as [string, string];
  for (const folder of [clone, archive]) mkdirSync(folder);
  writeFileSync(join(clone, 'CHANGELOG.md'), '# Changelog\n');
  const date = `${committedAt} +0000`;
  const script = `set -e; cd "$1"; git init -q .; git add .
    git -c user.name=a -c user.email=a@b.example commit -qm one; git archive HEAD | tar x -C "$2"`;
  const env = { PATH: process.env.PATH, HOME: directory, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date };
  const { status, stderr } = spawnSync('sh', ['-c', script, 'sh', clone, archive], { env, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return { clone, archive };
}

test('a clone and an archive of the same commit have the same date', async () => {
  const { clone, archive } = createSource(1_790_000_000);
  utimesSync(join(clone, 'CHANGELOG.md'), 1, 1);
  expect(await readDateSeconds(clone)).toBe(1_790_000_000);
  expect(await readDateSeconds(archive)).toBe(1_790_000_000);
});

test('an archive inside somebody else’s clone is not of that clone’s date', async () => {
  const { clone } = createSource(1_790_000_000);
  const inside = join(clone, 'tributary');
  mkdirSync(inside);
  writeFileSync(join(inside, 'CHANGELOG.md'), '');
  utimesSync(join(inside, 'CHANGELOG.md'), 1_780_000_000, 1_780_000_000);
  expect(await readDateSeconds(inside)).toBe(1_780_000_000);
});

test('a date that is given wins, and has to be one', async () => {
  const { clone } = createSource(1_790_000_000);
  expect(await readDateSeconds(clone, '1785000000')).toBe(1_785_000_000);
  await expect(readDateSeconds(clone, 'yesterday')).rejects.toMatchObject({ code: 'usage-invalid' });
});
