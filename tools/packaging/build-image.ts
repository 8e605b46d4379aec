import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf, TributaryError } from '../../src/errors/codes.ts';
import { version } from '../../src/version.ts';
import { describeParts } from './bill-of-materials.ts';
import { buildBundle } from './bundle.ts';
import { findNodePackage, writeStrippedNode } from './node-program.ts';
import { readProgramFiles, writeFiles } from './package-files.ts';
import { targets } from './release.ts';

/*
 * build-image FOLDER, for the Dockerfile: writes this architecture's Node, program and licences
 * into the folder, placed as in the package.
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
  if (target === undefined)
    throw new TributaryError('usage-invalid', `there is no Node for ${process.arch}`);
  const bundle = await buildBundle(root, version);
  const nodePackage = await findNodePackage(root, target);
  // Otherwise the chunks of an earlier build would stay for ever.
  await rm(join(folder, 'usr/lib/tributary'), { recursive: true, force: true });
  await writeStrippedNode(nodePackage, target, join(folder, 'usr/lib/tributary/node'));
  const parts = await describeParts({ version }, { root, bundle, nodePackage });
  await writeFiles(folder, [
    ...(await readProgramFiles({ root, bundle, ...parts })),
    {
      path: 'usr/lib/tributary/health',
      content: await readFile(join(root, 'tools/packaging/health')),
      isProgram: true,
    },
  ]);
}
