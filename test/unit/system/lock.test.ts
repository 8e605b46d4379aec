import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { acquireLock } from '../../../src/system/lock.ts';

async function makePath(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-lock-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return join(directory, 'agent.lock');
}

/** Another process that takes the lock and keeps it. */
async function startHolder(path: string) {
  const program = `
    const { acquireLock } = await import(${JSON.stringify(import.meta.resolve('../../../src/system/lock.ts'))});
    globalThis.lock = await acquireLock(${JSON.stringify(path)});
    console.log('held');
    setInterval(() => undefined, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    holder.kill('SIGKILL');
  });
  await once(holder.stdout, 'data');
  return holder;
}

it('a state directory has one agent', async () => {
  const path = await makePath();
  await using _lock = await acquireLock(path);
  await expect(acquireLock(path)).rejects.toMatchObject({ code: 'already-running' });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it('a link in the place of the lock is not followed, and what it leads to keeps its text', async () => {
  const path = await makePath();
  await writeFile(`${path}.other`, 'the text');
  await symlink(`${path}.other`, path);
  await expect(acquireLock(path)).rejects.toThrow(`opening the lock ${path}: it is a link`);
  expect(await readFile(`${path}.other`, 'utf8')).toBe('the text');
});

it('a lock that was let go can be taken again', async () => {
  const path = await makePath();
  for (let round = 0; round < 3; round += 1) {
    await using _lock = await acquireLock(path);
  }
});

it('a lock of another process holds while it lives, names it, and ends with its kill -9', async () => {
  const path = await makePath();
  const holder = await startHolder(path);
  await expect(acquireLock(path)).rejects.toThrow(`process ${holder.pid}`);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  await using _lock = await acquireLock(path);
});

it('the function that releases a lock may be called without its object', async () => {
  const path = await makePath();
  const { [Symbol.asyncDispose]: release } = await acquireLock(path);
  await release();
  await using _lock = await acquireLock(path);
});

it('a place where no lock can be made is said to be unwritable', async () => {
  await expect(acquireLock(join(await makePath(), 'below', 'x.lock'))).rejects.toMatchObject({
    code: 'state-unwritable',
  });
});

it('a system without flock is told which package it lacks', async () => {
  const { PATH } = process.env;
  onTestFinished(() => {
    process.env.PATH = PATH;
  });
  process.env.PATH = '/nonexistent';
  await expect(acquireLock(await makePath())).rejects.toThrow('util-linux');
});
