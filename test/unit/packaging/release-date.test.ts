import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/**
 * A source with one commit, and the same unpacked from an archive, as a person gets it who has no
 * git.
 */
function createSource(committedAt: number) {
  const directory = mkdtempSync(join(tmpdir(), 'tributary-source-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const [clone, archive] = ['clone', 'archive'].map((name) => join(directory, name)) as [
    string,
    string,
  ];
  for (const folder of [clone, archive]) mkdirSync(folder);
  writeFileSync(join(clone, 'CHANGELOG.md'), '# Changelog\n');
  const date = `${committedAt} +0000`;
  const script = `set -e; cd "$1"; git init -q .; git add .
    git -c user.name=a -c user.email=a@b.example commit -qm one; git archive HEAD | tar x -C "$2"`;
  const env = {
    PATH: process.env.PATH,
    HOME: directory,
    GIT_COMMITTER_DATE: date,
    GIT_AUTHOR_DATE: date,
  };
  const { status, stderr } = spawnSync('sh', ['-c', script, 'sh', clone, archive], {
    env,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return { clone, archive };
}

function readDate(folder: string, given?: string) {
  const env = {
    PATH: process.env.PATH,
    ...(given === undefined ? {} : { SOURCE_DATE_EPOCH: given }),
  };
  const ran = spawnSync('sh', ['tools/packaging/source-date.sh', folder], {
    env,
    encoding: 'utf8',
  });
  return { status: ran.status, said: (ran.stdout + ran.stderr).trim() };
}

test('a clone and an archive of the same commit have the same date', () => {
  const { clone, archive } = createSource(1_790_000_000);
  utimesSync(join(clone, 'CHANGELOG.md'), 1, 1);
  expect(readDate(clone)).toEqual({ status: 0, said: '1790000000' });
  expect(readDate(archive)).toEqual({ status: 0, said: '1790000000' });
});

test('an archive inside another project’s clone does not take that clone’s date', () => {
  const { clone } = createSource(1_790_000_000);
  const inside = join(clone, 'tributary');
  mkdirSync(inside);
  writeFileSync(join(inside, 'CHANGELOG.md'), '');
  utimesSync(join(inside, 'CHANGELOG.md'), 1_780_000_000, 1_780_000_000);
  expect(readDate(inside)).toEqual({ status: 0, said: '1780000000' });
});

test('a date that is given wins, and has to be one', () => {
  const { clone } = createSource(1_790_000_000);
  expect(readDate(clone, '1785000000')).toEqual({ status: 0, said: '1785000000' });
  expect(readDate(clone, 'yesterday')).toEqual({
    status: 64,
    said: expect.stringContaining('yesterday is no number'),
  });
});
