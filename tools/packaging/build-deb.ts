import { hash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { exec } from '../../src/system/exec.ts';
import { writeStrippedNode } from './node-program.ts';
import { type PackageFile, type PackageFilesOptions, writeFiles } from './package-files.ts';
import { namePackageFile, renderControl, type Target } from './release.ts';

export interface BuildDebOptions extends Pick<PackageFilesOptions, 'root' | 'release'> {
  readonly target: Target;
  readonly files: readonly PackageFile[];
  readonly nodePackage: string;
  readonly to: string;
  /** dpkg-deb's name for it: `xz` for packages that are handed out, `none` for quick tests. */
  readonly compression: string;
}

/**
 * Makes one package with dpkg-deb. Equal input gives equal bytes.
 * @throws missing-program, command-failed
 */
export async function buildDeb(options: BuildDebOptions) {
  const { root, release, target, files, nodePackage, to, compression } = options;
  const stage = await mkdtemp(join(tmpdir(), 'tributary-package-'));
  try {
    // This folder belongs to the owner; postinst puts the sample into it.
    await mkdir(join(stage, 'etc/tributary'), { recursive: true });
    await writeStrippedNode(nodePackage, target, join(stage, 'usr/lib/tributary/node'));
    await writeFiles(stage, files);
    const { kib, sums } = await readInstalled(stage);
    const scripts = ['postinst', 'prerm', 'postrm'].map(async (name) => {
      const content = await readFile(join(root, 'systemd/debian', name));
      return { path: `DEBIAN/${name}`, content, isProgram: true };
    });
    await writeFiles(stage, [
      { path: 'DEBIAN/control', content: renderControl(release, target, kib) },
      { path: 'DEBIAN/md5sums', content: sums },
      ...(await Promise.all(scripts)),
    ]);
    await mkdir(to, { recursive: true });
    const path = join(to, namePackageFile(release, target));
    await exec({
      program: 'dpkg-deb',
      args: ['--root-owner-group', `-Z${compression}`, '--build', stage, path],
      doing: `packing ${path}`,
      // The time of every file. dpkg-deb lowers newer times to it, and all files were written just
      // now.
      env: { SOURCE_DATE_EPOCH: String(release.dateSeconds) },
      timeoutMs: 900_000,
    });
    return { path, bytes: (await stat(path)).size, installedBytes: kib * 1024 };
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** What is installed: its size by Debian's rules, and the checksum of each file. */
async function readInstalled(stage: string) {
  const entries = await readdir(stage, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  let [kib, sums] = [entries.length - files.length, ''];
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).sort()) {
    const content = await readFile(path);
    kib += Math.ceil(content.length / 1024);
    sums += `${hash('md5', content)}  ${relative(stage, path)}\n`;
  }
  return { kib, sums };
}
