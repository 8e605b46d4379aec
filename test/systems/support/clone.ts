import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { exec } from '../../../src/system/exec.ts';
import { isThere } from '../../../src/system/files.ts';
import { readIgnored } from '../../architecture/project-text.ts';
import type { Machine } from './machine.ts';

const root = join(import.meta.dirname, '../../..');

/** Copies the project into the machine, without its history and without what git leaves out. */
export async function copyProject(machine: Machine, to: string): Promise<void> {
  const left = new Set(['.git', ...readIgnored(root)]);
  const names = (await readdir(root)).filter((name) => !left.has(name));
  for (const name of names) await machine.copyIn(join(root, name), join(to, name));
}

/**
 * Everything that `npm ci` fetches for this project, as npm's own cache keeps it, made once. Its
 * directory.
 */
export async function makeNpmCache(): Promise<string> {
  const files = ['package.json', 'package-lock.json'];
  const [, lock = ''] = await Promise.all(files.map((name) => readFile(join(root, name), 'utf8')));
  const caches = join(
    process.env.XDG_CACHE_HOME ?? join(root, 'node_modules/.cache'),
    'tributary-npm',
  );
  const cache = join(caches, createHash('sha256').update(lock).digest('hex').slice(0, 8));
  if (await isThere(cache)) return cache;
  const unfinished = `${cache}.${process.pid}`;
  const project = join(unfinished, 'project');
  await mkdir(project, { recursive: true });
  try {
    for (const name of files) await copyFile(join(root, name), join(project, name));
    const args = [
      'ci',
      '--prefix',
      project,
      '--cache',
      join(unfinished, 'cache'),
      '--ignore-scripts',
      '--no-audit',
    ];
    await exec({ program: 'npm', args, doing: 'filling a cache of npm', timeoutMs: 600_000 });
    await chmod(join(unfinished, 'cache'), 0o755);
    await rename(join(unfinished, 'cache'), cache);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return cache;
}
