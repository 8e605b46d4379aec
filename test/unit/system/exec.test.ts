import { chmod, copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { messageOf } from '../../../src/lib/errors.ts';
import { type Exec, exec } from '../../../src/system/exec.ts';

const words = 'the-hidden-words';
const sh = (script: string, more: Partial<Parameters<Exec>[0]> = {}) =>
  exec({ program: 'sh', args: ['-c', script], doing: 'trying it', ...more });
const catchFailure = async (running: Promise<string>) => {
  const error = await running.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: expect.stringMatching(/command-failed|missing-program/) });
  return messageOf(error);
};

test('a program gives its whole output, with its last line end', async () => {
  expect(await sh('printf "one\\ntwo\\n"')).toBe('one\ntwo\n');
  expect(await sh('cat', { input: words })).toBe(words);
});

test('a program that nothing is given reads nothing', async () => {
  expect(await sh('cat')).toBe('');
});

test('arguments reach no shell', async () => {
  const odd = '$(echo evil); `echo evil` | "\'* \n';
  expect(await exec({ program: 'printf', args: ['%s', odd], doing: 'trying it' })).toBe(odd);
});

test('tools speak the language that their words are looked for in', async () => {
  expect(await sh('echo $LC_ALL $EXTRA', { env: { EXTRA: 'more' } })).toBe('C more\n');
});

test('a failure says what was being done, how it ended and what was complained about', async () => {
  expect(await catchFailure(sh('echo bad luck >&2; exit 3'))).toBe(
    'trying it: sh exited with 3: bad luck',
  );
  expect(await catchFailure(sh('exit 1'))).toBe('trying it: sh exited with 1');
  expect(await catchFailure(sh('kill -9 $$'))).toBe('trying it: sh failed (SIGKILL)');
});

test('a failure never shows what went in or came out', async () => {
  const message = await catchFailure(sh(`cat; echo ${words}; exit 1`, { input: words }));
  expect(message).not.toContain(words);
  expect(
    await catchFailure(sh('cat; exec sleep 60', { input: words, timeoutMs: 100 })),
  ).not.toContain(words);
});

test('a long complaint is cut short', async () => {
  const message = await catchFailure(sh('head -c 100000 /dev/zero | tr "\\0" x >&2; exit 1'));
  expect(message.length).toBeLessThan(500);
});

test('a program that is not there is named', async () => {
  await expect(
    exec({ program: 'no-such-program', args: [], doing: 'trying it' }),
  ).rejects.toMatchObject({
    code: 'missing-program',
    message: 'trying it: the program no-such-program is not installed',
  });
});

test('a program is not there where PATH has only a folder of its name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-exec-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  // The system says of a folder what it says of a program in a folder that is closed to this user.
  await mkdir(join(folder, 'no-such-program'));
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(
    exec({ program: 'no-such-program', args: [], doing: 'trying it' }),
  ).rejects.toMatchObject({ code: 'missing-program' });
});

test('a program that may not be run is there, and that is said', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-exec-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const program = join(folder, 'closed');
  await writeFile(program, '#!/bin/sh\n', { mode: 0o644 });
  expect(await catchFailure(exec({ program, args: [], doing: 'trying it' }))).toBe(
    `trying it: ${program} failed (EACCES)`,
  );
});

test('a program that does not end is ended, and that is said', async () => {
  expect(await catchFailure(sh('exec sleep 60', { timeoutMs: 100 }))).toBe(
    'trying it: sh did not finish within 0.1 s',
  );
});

test('a program that moved is found again, and one that was missing once it is there', async () => {
  const folders = [
    await mkdtemp(join(tmpdir(), 'tributary-exec-')),
    await mkdtemp(join(tmpdir(), 'tributary-exec-')),
  ];
  onTestFinished(
    async () => void (await Promise.all(folders.map((folder) => rm(folder, { recursive: true })))),
  );
  vi.stubEnv('PATH', `${folders.join(delimiter)}${delimiter}${process.env.PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const [first = '', second = ''] = folders.map((folder) => join(folder, 'wandering'));
  const run = () => exec({ program: 'wandering', args: [], doing: 'trying it' });
  await expect(run()).rejects.toMatchObject({ code: 'missing-program' });
  await writeFile(second, '#!/bin/sh\necho "$0"\n', { mode: 0o755 });
  expect(await run()).toBe(`${second}\n`);
  await rename(second, first);
  expect(await run()).toBe(`${first}\n`);
  // What may not be run is passed over.
  await copyFile(first, second);
  await chmod(first, 0o644);
  expect(await run()).toBe(`${second}\n`);
  await rm(second);
  await rm(first);
  await expect(run()).rejects.toMatchObject({ code: 'missing-program' });
});

test('a program may open what it is given by its name, and no folder has a file of it', async () => {
  const script = 'cat /dev/stdin /dev/stdin; readlink /proc/self/fd/0; cat';
  const said = await sh(script, { input: words, opensInput: true });
  expect(said).toMatch(new RegExp(`^${words}${words}/.* \\(deleted\\)\n${words}$`));
});
