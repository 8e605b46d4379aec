import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '../../..');

test('a copy of the project without its tests builds the program and the library', async () => {
  const copy = await mkdtemp(join(tmpdir(), 'tributary-distribution-'));
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  const left = new Set(['test', 'node_modules', 'dist', 'coverage']);
  for (const name of await readdir(root)) {
    if (!left.has(name) && !name.startsWith('.'))
      await cp(join(root, name), join(copy, name), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  await promisify(execFile)('sh', ['-c', packageJson.scripts.build], {
    cwd: copy,
    env: { ...process.env, PATH: `${root}/node_modules/.bin:${process.env.PATH}` },
  });
  expect(await readdir(join(copy, 'dist'))).toEqual(
    expect.arrayContaining(['tributary.cjs', 'demo.cjs', 'bench.cjs', 'service']),
  );
  expect(await readdir(join(copy, 'dist/service'))).toEqual(
    expect.arrayContaining(['package.json', 'service.cjs', 'types']),
  );
}, 120_000);

test('what is run for packages, demonstration, benchmarks and pages is no file of the tests', () => {
  const { build, package: packages, demo, docs, bench } = packageJson.scripts;
  expect([build, packages, demo, docs, bench].filter((line) => /\btest\//.test(line))).toEqual([]);
});
