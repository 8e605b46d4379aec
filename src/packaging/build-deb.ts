import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { exec } from '../system/exec.ts';
import { renderControl } from './control.ts';
import { writeStrippedNode } from './node-program.ts';
import { configPath, type PackageFile } from './package-files.ts';
import { type Release, type Target, toPackageFileName } from './release.ts';

export interface BuildDebOptions {
  readonly root: string;
  readonly release: Release;
  readonly target: Target;
  readonly files: readonly PackageFile[];
  /** The npm package with the target's Node. */
  readonly nodePackage: string;
  /** Where the package goes. */
  readonly to: string;
  /** `xz` is what is handed out; `none` is quick, for tests. */
  readonly compression: 'xz' | 'none';
}

export interface BuiltDeb {
  readonly path: string;
  readonly bytes: number;
  readonly installedBytes: number;
}

/** Makes one package with dpkg-deb: the same bytes for the same input. @throws missing-program, command-failed */
export async function buildDeb(options: BuildDebOptions): Promise<BuiltDeb> {
  const { release, target, to, compression } = options;
  const stage = await mkdtemp(join(tmpdir(), 'tributary-package-'));
  try {
    await chmod(stage, 0o755);
    for (const { path, content, isProgram } of options.files)
      await write(join(stage, path), content, isProgram ? 0o755 : 0o644);
    await writeStrippedNode(options.nodePackage, target, join(stage, 'usr/lib/tributary/node'));
    const installed = await list(stage, '');
    await writeControlFiles(options, stage, installed);
    await mkdir(to, { recursive: true });
    const path = join(to, toPackageFileName(release, target));
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
  installed: readonly Installed[],
): Promise<void> {
  const control = (name: string) => join(stage, 'DEBIAN', name);
  const kib = installed.reduce((sum, { bytes, isFolder }) => sum + (isFolder ? 1 : Math.ceil(bytes / 1024)), 0);
  await write(control('control'), renderControl(release, target, kib));
  await write(control('conffiles'), `/${configPath}\n`);
  for (const name of ['postinst', 'prerm', 'postrm']) {
    await write(control(name), await readFile(join(root, 'src/packaging/debian', name)), 0o755);
  }
  const sums: string[] = [];
  for (const { path, isFolder } of installed) {
    if (isFolder || path === configPath) continue;
    const sum = createHash('md5').update(await readFile(join(stage, path)));
    sums.push(`${sum.digest('hex')}  ${path}\n`);
  }
  await write(control('md5sums'), sums.join(''));
}

interface Installed {
  readonly path: string;
  readonly isFolder: boolean;
  readonly bytes: number;
}

/** Everything below a folder, sorted. */
async function list(stage: string, folder: string): Promise<readonly Installed[]> {
  const entries = await readdir(join(stage, folder), { withFileTypes: true });
  const found: Installed[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    const isFolder = entry.isDirectory();
    found.push({ path, isFolder, bytes: isFolder ? 0 : (await stat(join(stage, path))).size });
    if (isFolder) found.push(...(await list(stage, path)));
  }
  return found;
}

/** Modes are set, not asked for: a umask would take from them. */
async function write(path: string, content: string | Buffer, mode = 0o644): Promise<void> {
  let folder = dirname(path);
  const made = await mkdir(folder, { recursive: true });
  while (made !== undefined && folder.startsWith(made)) {
    await chmod(folder, 0o755);
    folder = dirname(folder);
  }
  await writeFile(path, content);
  await chmod(path, mode);
}
