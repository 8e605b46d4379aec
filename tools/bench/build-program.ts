import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exec } from '../../src/system/exec.ts';
import { version } from '../../src/version.ts';
import { buildBundle } from '../packaging/bundle.ts';

/**
 * The program as the package installs it, compiled for this machine, into dist/program: what `npm
 * run bench` measures.
 */
const root = join(import.meta.dirname, '../..');
const folder = join(root, 'dist/program');
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const { name, text } of (await buildBundle(root, version)).files)
  await writeFile(join(folder, name), text);
await exec({
  program: process.execPath,
  args: [join(folder, 'compile.cjs')],
  doing: 'compiling the program',
});
