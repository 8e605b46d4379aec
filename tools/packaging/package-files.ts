import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { completionScripts } from '../../src/cli/frame/completion-scripts.ts';
import { exec } from '../../src/system/exec.ts';
import { billName, type describeParts } from './bill-of-materials.ts';
import type { Bundle } from './bundle.ts';
import {
  type Release,
  renderDebianChangelog,
  renderManPage,
  renderSampleConfig,
} from './release.ts';

const doc = 'usr/share/doc/tributary';

/** A file of the package other than Node itself, with its path below the root of the system. */
export interface PackageFile {
  readonly path: string;
  readonly content: string | Buffer;
  /** True for a program. Other files can be read, but not run, by everyone. */
  readonly isProgram?: boolean;
}

export interface PackageFilesOptions extends Awaited<ReturnType<typeof describeParts>> {
  readonly root: string;
  readonly release: Release;
  readonly bundle: Bundle;
}

/** By these `tributary demo` makes its namespaces; they expect the program two folders above. */
const demonstration = ['enter-with-page.sh', 'enter.sh', 'obstacles.sh', 'as-root.sh'];

/** The files that an image has too: the program, and what it is made of. */
export async function readProgramFiles(
  options: Omit<PackageFilesOptions, 'release'>,
): Promise<readonly PackageFile[]> {
  const { root, bundle, copyright, billOfMaterials } = options;
  const command = await readFile(join(root, 'tools/packaging/tributary'));
  // The launcher names the Node that runs it.
  const toFile = ({ name, text }: Bundle['files'][number]) => ({
    path: `usr/lib/tributary/${name}`,
    content: text.replace(/^#!.*\n/, ''),
  });
  const toScript = async (name: string) => ({
    path: `usr/lib/tributary/tools/lab/${name}`,
    content: await readFile(join(root, 'tools/lab', name), 'utf8'),
  });
  return [
    ...bundle.files.map(toFile),
    ...(await Promise.all(demonstration.map(toScript))),
    { path: 'usr/bin/tributary', content: command, isProgram: true },
    { path: `${doc}/copyright`, content: copyright },
    { path: `${doc}/${billName}`, content: billOfMaterials },
  ];
}

/** Everything that is installed, for all architectures. */
export async function readPackageFiles(
  options: PackageFilesOptions,
): Promise<readonly PackageFile[]> {
  const { root, release } = options;
  const read = (path: string) => readFile(join(root, path), 'utf8');
  const manPage = renderManPage(await read('docs/man-page.roff'), release);
  return [
    ...(await readProgramFiles(options)),
    ...(await readFolder(join(root, 'systemd'), 'usr/lib/systemd/system')),
    ...(await readFolder(join(root, 'systemd/user'), 'usr/lib/systemd/user')),
    ...(await readFolder(join(root, 'systemd/sysusers'), 'usr/lib/sysusers.d')),
    ...(await readFolder(join(root, 'config'), 'usr/share/tributary')).filter(
      ({ path }) => !notOfPackages.test(path),
    ),
    {
      path: 'usr/share/tributary/tributary.yaml',
      content: renderSampleConfig(await read('config/tributary.yaml')),
    },
    { path: 'usr/share/man/man1/tributary.1.gz', content: compress(manPage) },
    { path: 'usr/share/bash-completion/completions/tributary', content: completionScripts.bash },
    { path: 'usr/share/zsh/vendor-completions/_tributary', content: completionScripts.zsh },
    { path: 'usr/share/fish/vendor_completions.d/tributary.fish', content: completionScripts.fish },
    { path: `${doc}/changelog.gz`, content: compress(await read('CHANGELOG.md')) },
    { path: `${doc}/changelog.Debian.gz`, content: compress(renderDebianChangelog(release)) },
    {
      path: 'usr/share/lintian/overrides/tributary',
      content: await read('systemd/debian/lintian-overrides'),
    },
  ];
}

/** Writes files into a folder, and makes everything in it readable by everyone. */
export async function writeFiles(folder: string, files: readonly PackageFile[]): Promise<void> {
  for (const { path: below, content, isProgram } of files) {
    const path = join(folder, below);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { mode: isProgram === true ? 0o755 : 0o644 });
  }
  // Modes are set afterwards, because the umask would reduce them.
  await exec({
    program: 'chmod',
    args: ['-R', 'u=rwX,go=rX', folder],
    doing: 'letting everybody read the files',
  });
}

/**
 * Files that do not belong in packages: the sample, which is changed before, and files for
 * containers, pictures and tests.
 */
const notOfPackages =
  /\/(tributary\.yaml|compose\.(build\.)?yaml|kubernetes(-monitoring)?\.yaml|[^/]+\.(png|test\.yaml))$/;

async function readFolder(from: string, to: string): Promise<readonly PackageFile[]> {
  const entries = await readdir(from, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const read = async (name: string) => ({
    path: `${to}/${name}`,
    content: await readFile(join(from, name)),
  });
  return Promise.all(names.sort().map(read));
}

/** One text always gives identical bytes: Node writes no name and no time into the header. */
function compress(text: string): Buffer {
  return gzipSync(text, { level: 9 });
}
