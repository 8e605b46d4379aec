import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hasCode, messageOf } from '../lib/errors.ts';
import { exec } from '../system/exec.ts';
import { version as ownVersion } from '../version.ts';
import { readIntegrity, readNodeLibraries, renderBillOfMaterials } from './bill-of-materials.ts';
import { buildDeb } from './build-deb.ts';
import { buildBundle } from './bundle.ts';
import { readCommandLine } from './command-line.ts';
import { readComponent, renderCopyright } from './copyright.ts';
import { findNodePackage } from './node-program.ts';
import { readPackageFiles } from './package-files.ts';
import { type Release, targets } from './release.ts';

/*
 * npm run package: the Debian packages, into dist/packages. --architecture names one of them; --version, --out and
 * --compression serve the tests of upgrades.
 */
const root = join(import.meta.dirname, '../..');

try {
  await buildPackages();
} catch (error) {
  say(`packages: ${messageOf(error)}`);
  process.exitCode = 1;
}

async function buildPackages(): Promise<void> {
  const { values } = parseArgs({
    options: {
      architecture: { type: 'string', multiple: true, default: targets.map((target) => target.architecture) },
      version: { type: 'string', default: ownVersion },
      out: { type: 'string', default: join(root, 'dist/packages') },
      compression: { type: 'string', default: 'xz' },
    },
  });
  const release: Release = { version: values.version, dateSeconds: await readDateSeconds() };
  say(`building tributary ${release.version}`);
  const bundle = await buildBundle(root, release.version);
  const bundled = await Promise.all(bundle.packages.map((name) => readComponent(join(root, 'node_modules', name))));
  const integrity = await readIntegrity(root);
  const program = await readCommandLine(release.version);
  for (const target of targets.filter(({ architecture }) => values.architecture.includes(architecture))) {
    say(`${target.architecture}: Node without its symbols, then ${values.compression}; this takes a while`);
    const nodePackage = await findNodePackage(root, target);
    const node = await readComponent(nodePackage);
    const copyright = renderCopyright(node, bundled);
    const libraries = await readNodeLibraries(nodePackage, node.version);
    const billOfMaterials = renderBillOfMaterials({ ...release, node: { ...node, libraries }, bundled, integrity });
    const files = await readPackageFiles({ root, release, bundle, program, copyright, billOfMaterials });
    const compression = values.compression === 'none' ? 'none' : 'xz';
    const deb = await buildDeb({ root, release, target, files, nodePackage, to: values.out, compression });
    // For those who look through it without installing anything.
    await writeFile(deb.path.replace(/\.deb$/, '.cdx.json'), billOfMaterials);
    say(`${deb.path}: ${toMegabytes(deb.bytes)}, installed ${toMegabytes(deb.installedBytes)}`);
    if (compression === 'xz') await judge(deb.path);
  }
}

/** Asks lintian, Debian's own judge; where it is not installed, says how it is. Errors and warnings count. */
async function judge(debPath: string): Promise<void> {
  const args = ['--fail-on', 'none', '--no-tag-display-limit', debPath];
  try {
    const tags = (await exec({ program: 'lintian', args, doing: 'lintian', timeoutMs: 600_000 })).trim();
    say(tags === '' ? 'lintian: clean' : `lintian:\n${tags}`);
    if (/^[EW]:/m.test(tags)) process.exitCode = 1;
  } catch (error) {
    if (!hasCode(error, 'missing-program')) throw error;
    say('lintian is not installed; to have it look: sudo apt-get install lintian');
  }
}

/** When the last commit was made: the same source gives the same bytes on any day. */
async function readDateSeconds(): Promise<number> {
  const args = ['-C', root, 'log', '-1', '--format=%ct'];
  return Number(await exec({ program: 'git', args, doing: 'asking git for the date of the last commit' }));
}

function toMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
