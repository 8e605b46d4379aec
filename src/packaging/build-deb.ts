import { hash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { exec } from '../system/exec.ts';
import { writeStrippedNode } from './node-program.ts';
import type { PackageFile, PackageFilesOptions } from './package-files.ts';
import { namePackageFile, renderControl, type Target } from './release.ts';

export interface BuildDebOptions extends Pick<PackageFilesOptions, 'root' | 'release'> {
  readonly target: Target;
  readonly files: readonly PackageFile[];
  readonly nodePackage: string;
  readonly to: string;
  /** `xz` is what is handed out; `none` is quick, for tests. */
  readonly compression: 'xz' | 'none';
}

/** Makes one package with dpkg-deb: the same bytes for the same input. @throws missing-program, command-failed */
export async function buildDeb(options: BuildDebOptions) {
  const { release, target, to, compression } = options;
  const stage = await mkdtemp(join(tmpdir(), 'tributary-package-'));
  try {
    await chmod(stage, 0o755);
    for (const file of options.files) await write(stage, file);
    // The owner's: postinst puts the sample into it.
    await makeFolder(join(stage, 'etc/tributary'));
    await writeStrippedNode(options.nodePackage, target, join(stage, 'usr/lib/tributary/node'));
    const installed = await list(stage);
    await writeControlFiles(options, stage, installed);
    await mkdir(to, { recursive: true });
    const path = join(to, namePackageFile(release, target));
    await exec({
      program: 'dpkg-deb',
      args: ['--root-owner-group', `-Z${compression}`, '--build', stage, path],
      doing: `packing ${path}`,
      // The time of every file: none is older, all were written just now.
      env: { SOURCE_DATE_EPOCH: String(release.dateSeconds) },
      timeoutMs: 900_000,
    });
    const installedBytes = installed.reduce((sum, { bytes }) => sum + bytes, 0);
    return { path, bytes: (await stat(path)).size, installedBytes };
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

async function writeControlFiles(
  { root, release, target }: BuildDebOptions,
  stage: string,
  installed: Awaited<ReturnType<typeof list>>,
): Promise<void> {
  const kib = installed.reduce((sum, { bytes, isFolder }) => sum + (isFolder ? 1 : Math.ceil(bytes / 1024)), 0);
  await write(stage, { path: 'DEBIAN/control', content: renderControl(release, target, kib) });
  for (const name of ['postinst', 'prerm', 'postrm']) {
    const content = await readFile(join(root, 'src/packaging/debian', name));
    await write(stage, { path: `DEBIAN/${name}`, content, isProgram: true });
  }
  const files = installed.filter(({ isFolder }) => !isFolder);
  const sums = files.map(async ({ path }) => `${hash('md5', await readFile(join(stage, path)))}  ${path}\n`);
  await write(stage, { path: 'DEBIAN/md5sums', content: (await Promise.all(sums)).join('') });
}

async function list(stage: string) {
  const entries = await readdir(stage, { withFileTypes: true, recursive: true });
  const found = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const isFolder = entry.isDirectory();
    return { path: relative(stage, path), isFolder, bytes: isFolder ? 0 : (await stat(path)).size };
  });
  return (await Promise.all(found)).sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Modes are set, not asked for: a umask would take from them. */
export async function write(stage: string, { path: below, content, isProgram }: PackageFile): Promise<void> {
  const path = join(stage, below);
  await makeFolder(dirname(path));
  await writeFile(path, content);
  await chmod(path, isProgram === true ? 0o755 : 0o644);
}

async function makeFolder(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true });
  for (let folder = path; made !== undefined && folder.startsWith(made); folder = dirname(folder)) {
    await chmod(folder, 0o755);
  }
}
