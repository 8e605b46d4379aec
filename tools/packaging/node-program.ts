import { hash } from 'node:crypto';
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { TributaryError } from '../../src/errors/codes.ts';
import { exec } from '../../src/system/exec.ts';
import { isThere } from '../../src/system/files.ts';
import { knownLibraries, type Target } from './release.ts';

const lockFile = z.object({
  packages: z.record(z.string(), z.looseObject({ integrity: z.string().optional() })),
});
const locked = z.object({
  version: z.string(),
  integrity: z.templateLiteral(['sha512-', z.string()]),
});
const packed = z.tuple([z.object({ filename: z.string() })]);

/**
 * The folder with a target's Node: the installed one, or one that is fetched once.
 * @throws command-failed if it differs from the lock file
 */
export async function findNodePackage(root: string, { nodePackage }: Target): Promise<string> {
  const installed = join(root, 'node_modules', nodePackage);
  if (await isThere(join(installed, 'bin/node'))) return installed;
  const { version, integrity } = locked.parse(
    (await readLock(root))[`node_modules/${nodePackage}`],
  );
  const folder = join(root, 'node_modules/.cache/tributary-packages', `${nodePackage}-${version}`);
  if (await isThere(join(folder, 'complete/bin/node'))) return join(folder, 'complete');
  await mkdir(folder, { recursive: true });
  const doing = `fetching ${nodePackage} ${version}`;
  const args = ['pack', '--json', '--pack-destination', folder, `${nodePackage}@${version}`];
  const [{ filename }] = packed.parse(
    JSON.parse(await exec({ program: 'npm', args, doing, timeoutMs: 600_000 })),
  );
  const archive = join(folder, filename);
  if (`sha512-${hash('sha512', await readFile(archive), 'base64')}` !== integrity) {
    await rm(archive);
    throw new TributaryError('command-failed', `${doing}: it is not what package-lock.json says`);
  }
  // npm's archives have one folder of this name. It is renamed once everything is there.
  const parts = ['package/bin/node', 'package/LICENSE', 'package/package.json'];
  const unpack = ['-xzf', archive, '-C', folder, ...parts];
  await exec({ program: 'tar', args: unpack, doing: 'unpacking Node', timeoutMs: 120_000 });
  await rename(join(folder, 'package'), join(folder, 'complete'));
  await rm(archive);
  return join(folder, 'complete');
}

/** The entries of package-lock.json by place. */
export async function readLock(root: string) {
  return lockFile.parse(JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')))
    .packages;
}

/**
 * Writes the package's Node to a file, without the parts that only debuggers read.
 * @throws missing-program, command-failed
 */
export async function writeStrippedNode(
  nodePackage: string,
  target: Target,
  to: string,
): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await copyFile(join(nodePackage, 'bin/node'), to);
  await runTool(target, 'strip', ['--strip-unneeded', to]);
  const dynamic = await runTool(target, 'readelf', ['-d', to]);
  const libraries = [...dynamic.matchAll(/Shared library: \[(.+?)\]/g)].map(
    ([, name = '']) => name,
  );
  const unknown = libraries.filter((name) => !knownLibraries.test(name)).join(', ');
  if (unknown === '') return;
  const message = `Node of ${target.architecture} needs ${unknown}, and no package that is depended on has it`;
  throw new TributaryError('command-failed', message);
}

/** Runs GNU's tool for the target, because other tools would make other bytes. */
function runTool({ gnuName }: Target, tool: string, args: readonly string[]): Promise<string> {
  return exec({
    program: `${gnuName}-${tool}`,
    args,
    doing: `${tool} on Node`,
    timeoutMs: 300_000,
  });
}
