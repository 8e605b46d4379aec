import { chmod, mkdtemp, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { keepReading } from '../../../src/system/kept-reading.ts';

/** A file that was read so often, and so late, that what it holds is kept. */
async function prepareKept() {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-kept-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'file');
  await writeFile(path, 'one');
  let nowMs = 0;
  let reads = 0;
  const read = keepReading(
    path,
    async () => {
      reads += 1;
      return await readFile(path, 'utf8').catch(() => undefined);
    },
    () => nowMs,
  );
  const countReads = async () => {
    const before = reads;
    const text = await read();
    return { text, reads: reads - before };
  };
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { path, countReads, pass };
}

/** As above, with the two readings behind it after which a file counts as settled. */
async function prepareSettled() {
  const kept = await prepareKept();
  await kept.countReads();
  kept.pass(3_000);
  await kept.countReads();
  expect(await kept.countReads()).toEqual({ text: 'one', reads: 0 });
  return kept;
}

test('a file is read again until it can no longer change at the time which it has', async () => {
  const { countReads, pass } = await prepareKept();
  expect(await countReads()).toEqual({ text: 'one', reads: 1 });
  pass(2_999);
  expect(await countReads()).toEqual({ text: 'one', reads: 1 });
  pass(1);
  expect(await countReads()).toEqual({ text: 'one', reads: 1 });
  expect(await countReads()).toEqual({ text: 'one', reads: 0 });
});

test.each<{ change: string; text: string | undefined; act(path: string): Promise<unknown> }>([
  {
    change: 'is replaced',
    text: 'two',
    act: async (path) => {
      await writeFile(`${path}.new`, 'two');
      await rename(`${path}.new`, path);
    },
  },
  { change: 'is written in its place', text: 'two', act: (path) => writeFile(path, 'two') },
  {
    change: 'is written, and its time set back',
    text: 'two',
    act: async (path) => {
      await writeFile(path, 'two');
      await utimes(path, 1, 1);
    },
  },
  { change: 'is for its owner alone', text: 'one', act: (path) => chmod(path, 0o600) },
  { change: 'is gone', text: undefined, act: (path) => rm(path) },
  {
    change: 'is a link now',
    text: 'one',
    act: async (path) => {
      await rename(path, `${path}.moved`);
      await symlink(`${path}.moved`, path);
    },
  },
])('a file that was kept is read again where it $change', async ({ act, text }) => {
  const { path, countReads } = await prepareSettled();
  await act(path);
  expect(await countReads()).toEqual({ text, reads: 1 });
  // It is new, so it is not kept yet.
  expect(await countReads()).toEqual({ text, reads: 1 });
});

test('what cannot be read is read again each time', async () => {
  const { path, countReads, pass } = await prepareSettled();
  await rm(path);
  for (const _ of [1, 2, 3]) {
    expect(await countReads()).toEqual({ text: undefined, reads: 1 });
    pass(3_000);
  }
});
