import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/development/architecture.md'), 'utf8');
const files = globSync('{config,docs,src,systemd,test,tools}/**/*', { cwd: root })
  .map((path) => `/${path}`)
  .toSorted();
const entries = readdirSync(join(root, 'src'), { withFileTypes: true });

/** The rows of the table of folders: the first cell, then the second. */
const rows = [...page.matchAll(/^\| (.+?) \| (.+) \|$/gm)].map(
  ([, folder = '', says = '']) => [folder, says] as const,
);

/** Paths in backticks. One with a gap to fill in (`<group>`, `…`, `*`) names no single file. */
function listPaths(text: string): readonly string[] {
  return [...text.matchAll(/`([\w./-]+(?:\.(?:md|ts|yaml|service)|\/))`/g)].map(
    ([, path = '']) => path,
  );
}

describe('the page about the architecture', () => {
  test('has one row for each folder of src, and for no other', () => {
    const named = rows.flatMap(([folder]) => /^`(\w[\w-]*)\/`$/.exec(folder)?.[1] ?? []);
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(named.toSorted()).toEqual(folders.toSorted());
  });

  test('names each file at the root of src, and no other', () => {
    const says = rows.find(([folder]) => folder === 'the root of `src/`')?.[1] ?? '';
    const loose = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    expect(listPaths(says).toSorted()).toEqual(loose.toSorted());
  });

  test('gives a reason for each package that the program runs with, and for no other', () => {
    const [, section = ''] = page.split(/^## The packages it runs with$/m);
    const [table = ''] = section.split(/^## /m);
    const named = [...table.matchAll(/^\| `(.+?)` \|/gm)].map(([, name]) => name);
    expect(named).toEqual(listPackages());
  });

  test('names only files and folders that exist', () => {
    const paths = listPaths(page);
    expect(paths.length).toBeGreaterThan(50);
    expect(paths.filter((path) => !files.some((file) => isAt(file, path)))).toEqual([]);
  });
});

/** What the program and its products depend on, by name; our own products are left out. */
function listPackages(): readonly string[] {
  const manifests = globSync('{package.json,src/*/package.json}', { cwd: root }).map((path) =>
    JSON.parse(readFileSync(join(root, path), 'utf8')),
  );
  const ours = manifests.map(({ name }) => name);
  const names = manifests.flatMap(({ dependencies, optionalDependencies }) =>
    Object.keys({ ...dependencies, ...optionalDependencies }),
  );
  return [...new Set(names)].filter((name) => !ours.includes(name)).toSorted();
}

/** True for the file that the path ends with, and for a file in a folder of that path. */
function isAt(file: string, path: string): boolean {
  return path.endsWith('/') ? file.includes(`/${path}`) : file.endsWith(`/${path}`);
}
