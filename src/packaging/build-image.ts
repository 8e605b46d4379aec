import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf, TributaryError } from '../lib/errors.ts';
import { version } from '../version.ts';
import { billName, describeParts } from './bill-of-materials.ts';
import { buildBundle } from './bundle.ts';
import { findNodePackage, writeStrippedNode } from './node-program.ts';
import { targets } from './release.ts';

/*
 * build-image FOLDER, for the Dockerfile: the program, its Node and their licences below the folder, in the places of the
 * Debian package, for the architecture that it runs on.
 */
const root = join(import.meta.dirname, '../..');

try {
  await buildImage(resolve(process.argv[2] ?? 'dist/image'));
} catch (error) {
  process.stderr.write(`image: ${messageOf(error)}\n`);
  process.exitCode = 1;
}

async function buildImage(folder: string): Promise<void> {
  const target = targets.find(({ nodePackage }) => nodePackage === `node-linux-${process.arch}`);
  if (target === undefined) throw new TributaryError('usage-invalid', `there is no Node for ${process.arch}`);
  const bundle = await buildBundle(root, version);
  const nodePackage = await findNodePackage(root, target);
  const place = async (path: string) => {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    return join(folder, path);
  };
  // Chunks of an earlier build would stay for ever.
  await rm(join(folder, 'usr/lib/tributary'), { recursive: true, force: true });
  for (const { name, text } of bundle.files) await writeFile(await place(`usr/lib/tributary/${name}`), text);
  await writeStrippedNode(nodePackage, target, await place('usr/lib/tributary/node'));
  const command = await place('usr/bin/tributary');
  await copyFile(join(root, 'src/packaging/debian/tributary'), command);
  await chmod(command, 0o755);
  const { copyright, billOfMaterials } = await describeParts({ version }, { root, bundle, nodePackage });
  await writeFile(await place('usr/share/doc/tributary/copyright'), copyright);
  await writeFile(await place(`usr/share/doc/tributary/${billName}`), billOfMaterials);
}
