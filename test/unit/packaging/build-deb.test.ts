import { execFileSync, spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readComponent } from '../../../tools/packaging/bill-of-materials.ts';
import { buildDeb } from '../../../tools/packaging/build-deb.ts';
import { type PackageFile, readPackageFiles } from '../../../tools/packaging/package-files.ts';
import { type Release, targets } from '../../../tools/packaging/release.ts';

const root = join(import.meta.dirname, '../../..');
const release: Release = { version: '1.2.3', dateSeconds: 1_700_000_000 };
const target = targets.find(({ nodePackage }) => nodePackage === `node-linux-${process.arch}`);
const canPack = ['dpkg-deb', `${target?.gnuName}-strip`].every(
  (tool) => spawnSync(tool, ['--version']).status === 0,
);
const read = (program: string, ...args: readonly string[]) =>
  execFileSync(program, args, { encoding: 'utf8' });

let files: readonly PackageFile[];
beforeAll(async () => {
  const bundle = {
    files: [{ name: 'tributary.cjs', text: '#!/usr/bin/env node\nrun();\n' }],
    packages: [],
  };
  files = await readPackageFiles({
    root,
    release,
    bundle,
    copyright: 'ours',
    billOfMaterials: '{}\n',
  });
});

const contentOf = (path: string) => files.find((file) => file.path === path)?.content.toString();

describe('what is installed', () => {
  test('has every unit, the sample in its own place, and nothing in place of the owner’s configuration', async () => {
    const units = (await readdir(join(root, 'systemd'))).filter((name) =>
      name.startsWith('tributary'),
    );
    const installed = files.map(({ path }) => path);
    expect(installed).toEqual(
      expect.arrayContaining(units.map((name) => `usr/lib/systemd/system/${name}`)),
    );
    expect(installed).toContain('usr/lib/systemd/user/tributary.service');
    expect(installed.filter((path) => path.startsWith('etc/'))).toEqual([]);
    const share = ['tributary.schema.json', 'tributary.yaml'].map(
      (name) => `usr/share/tributary/${name}`,
    );
    expect(installed).toEqual(expect.arrayContaining(share));
    expect(contentOf('usr/share/tributary/tributary.yaml')).toContain(
      '# base_url: https://service.example',
    );
    expect(new Set(installed).size).toBe(installed.length);
  });

  test('the units run the command that is installed', async () => {
    const texts = files
      .filter(({ path }) => path.endsWith('.service'))
      .map(({ content }) => content.toString());
    const programs = texts.flatMap((text) => text.match(/^Exec\w+=\S*tributary\b/gm) ?? []);
    expect(programs.length).toBeGreaterThan(2);
    expect(programs.filter((line) => !/=-?\/usr\/bin\/tributary$/.test(line))).toEqual([]);
  });

  test('only the command is a program; the bundle is run by the Node beside it', () => {
    expect(files.filter(({ isProgram }) => isProgram === true).map(({ path }) => path)).toEqual([
      'usr/bin/tributary',
    ]);
    expect(contentOf('usr/lib/tributary/tributary.cjs')).toBe('run();\n');
    expect(contentOf('usr/bin/tributary')).toContain(
      'exec /usr/lib/tributary/node --disable-sigusr1 /usr/lib/tributary/tributary.cjs "$@"',
    );
  });

  test('every part of Node and of the bundle has the text of its licence', async () => {
    const node = await readComponent(join(root, 'node_modules', target?.nodePackage ?? ''));
    expect(node.text).toContain('Node.js is licensed for use as follows');
    await expect(readComponent(join(root, 'src/service'))).rejects.toThrow();
  });
});

describe.runIf(canPack)('the package', () => {
  let directory: string;
  let deb: Awaited<ReturnType<typeof buildDeb>>;
  const build = (to: string) => {
    if (target === undefined) throw new Error('this machine has no packages');
    const nodePackage = join(directory, 'node-package');
    return buildDeb({
      root,
      release,
      target,
      files,
      nodePackage,
      to: join(directory, to),
      compression: 'none',
    });
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tributary-deb-'));
    await mkdir(join(directory, 'node-package/bin'), { recursive: true });
    // Any program that is linked with the C library alone.
    await copyFile('/bin/true', join(directory, 'node-package/bin/node'));
    deb = await build('first');
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test('has identical bytes for every builder at any time', async () => {
    const umask = process.umask(0o077);
    try {
      const again = await build('second');
      expect(await readFile(again.path)).toEqual(await readFile(deb.path));
    } finally {
      process.umask(umask);
    }
  });

  test('is root’s, readable by everybody and written by nobody else', () => {
    const lines = read('dpkg-deb', '-c', deb.path).trimEnd().split('\n');
    const odd = lines.filter(
      (line) => !/^(drwxr-xr-x|-rwxr-xr-x|-rw-r--r--) root\/root +\d+ 2023-11-1[45] /.test(line),
    );
    expect(odd).toEqual([]);
    const programs = lines
      .filter((line) => line.startsWith('-rwx'))
      .map((line) => line.split(' ').at(-1));
    expect(programs).toEqual(['./usr/bin/tributary', './usr/lib/tributary/node']);
  });

  test('Debian knows no file to ask the owner about, the sum of every file, and the size', () => {
    expect(read('dpkg-deb', '-I', deb.path)).not.toContain('conffiles');
    expect(read('dpkg-deb', '-c', deb.path)).toMatch(/^drwxr-xr-x .* \.\/etc\/tributary\/$/m);
    const sums = read('dpkg-deb', '-I', deb.path, 'md5sums').trimEnd().split('\n');
    // Node is the one that is not in the list.
    expect(sums.length).toBe(files.length + 1);
    expect(sums.filter((line) => line.includes('  etc/'))).toEqual([]);
    const installedKib = Number(read('dpkg-deb', '-f', deb.path, 'Installed-Size'));
    const sizes = [...read('dpkg-deb', '-c', deb.path).matchAll(/^-\S+ root\/root +(\d+) /gm)].map(
      ([, size]) => Number(size),
    );
    const folders = read('dpkg-deb', '-c', deb.path).match(/^d/gm) ?? [];
    // The root of the system is there before.
    const countedKib = sizes.reduce(
      (sum, size) => sum + Math.ceil(size / 1024),
      folders.length - 1,
    );
    expect(sizes).toHaveLength(sums.length);
    expect([installedKib, deb.installedBytes]).toEqual([countedKib, countedKib * 1024]);
  });

  test('a Node that needs a library of another package is not packed', async () => {
    await copyFile('/usr/bin/dpkg-deb', join(directory, 'node-package/bin/node'));
    await expect(build('third')).rejects.toThrow(
      /needs lib.*, and no package that is depended on has it/,
    );
  });
});
