import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openKeptNames } from '../../../src/system/open-kept-names.ts';

let directory: string;
let aside: string[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tributary-names-'));
  aside = [];
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
});

const open = () => openKeptNames({ directory, onSetAside: (path) => void aside.push(path) });

/** No name server knows a name of this ending. */
const host = 'service.invalid';

test('a good address outlives a restart, in a private file', async () => {
  const first = await open();
  await expect(first.lookUp(host)).rejects.toThrow(host);
  first.noteGood(host, '192.0.2.1');
  await first.close();
  const path = join(directory, 'addresses.json');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({
    version: 1,
    data: { [host]: ['192.0.2.1'] },
  });
  expect(await (await open()).lookUp(host)).toEqual(['192.0.2.1']);
});

test('a file that is broken is set aside, and no name is known from before', async () => {
  await writeFile(join(directory, 'addresses.json'), '{', { mode: 0o600 });
  await expect((await open()).lookUp(host)).rejects.toThrow(host);
  expect(aside).toEqual([join(directory, 'addresses.json')]);
});

test('a file that cannot be read, and a disk that takes nothing, cost only that', async () => {
  await rm(directory, { recursive: true });
  await writeFile(directory, '');
  const names = await open();
  names.noteGood(host, '192.0.2.1');
  await names.close();
  expect(await names.lookUp(host)).toEqual(['192.0.2.1']);
});
