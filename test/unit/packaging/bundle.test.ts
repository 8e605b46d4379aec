import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bundle, buildBundle } from '../../../src/packaging/bundle.ts';

const project = join(import.meta.dirname, '../../..');

/* `dist` keeps the chunks of earlier builds, for agents that run from there. What is handed out has none of them. */
describe('the bundle of the packages and the image', () => {
  let root: string;
  let bundle: Bundle;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tributary-bundle-'));
    for (const name of ['src', 'node_modules', 'package.json', 'rolldown.config.ts', 'tsconfig.json']) {
      await symlink(join(project, name), join(root, name));
    }
    await mkdir(join(root, 'dist'));
    await writeFile(join(root, 'dist/agent-earlier.cjs'), 'earlier();\n');
    bundle = await buildBundle(root, '1.2.3');
  }, 60_000);
  afterAll(() => rm(root, { recursive: true, force: true }));

  test('is made of the source alone, and leaves what was built before where it is', async () => {
    expect(bundle.files.filter(({ text }) => text.includes('earlier();'))).toEqual([]);
    expect(await readdir(join(root, 'dist'))).toEqual(['agent-earlier.cjs']);
  });

  test('is whole, and has no file that nothing loads', () => {
    const texts = new Map(bundle.files.map(({ name, text }) => [name, text]));
    const loaded = new Set(['tributary.cjs']);
    // A set hands out what is added to it meanwhile.
    for (const name of loaded) {
      for (const [, other = ''] of (texts.get(name) ?? '').matchAll(/require\([`'"]\.\/([^`'"]+)[`'"]\)/g))
        loaded.add(other);
    }
    expect([...loaded].sort()).toEqual([...texts.keys()].sort());
    expect(texts.size).toBeGreaterThan(10);
  });

  test('loads nothing but itself and what Node brings, wherever it is started', () => {
    const asked = bundle.files.flatMap(({ text }) =>
      [...text.matchAll(/\b(?:require|import)\([`'"]([^`'"]+)[`'"]\)/g)].map(([, name = '']) => name),
    );
    expect(asked).toContain('node:net');
    expect([...new Set(asked)].filter((name) => !name.startsWith('./') && !isBuiltin(name))).toEqual([]);
  });
});
