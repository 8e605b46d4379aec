import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hasCode, messageOf } from '../../src/errors/codes.ts';
import { exec } from '../../src/system/exec.ts';
import { version as ownVersion } from '../../src/version.ts';
import { describeParts } from './bill-of-materials.ts';
import { buildDeb } from './build-deb.ts';
import { buildBundle } from './bundle.ts';
import { findNodePackage } from './node-program.ts';
import { readPackageFiles } from './package-files.ts';
import { type Release, targets } from './release.ts';

/*
 * npm run package [-- --architecture amd64|arm64] writes the packages into dist/packages.
 * --version, --out and --compression are for tests.
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
      architecture: {
        type: 'string',
        multiple: true,
        default: targets.map((target) => target.architecture),
      },
      version: { type: 'string', default: ownVersion },
      out: { type: 'string', default: join(root, 'dist/packages') },
      compression: { type: 'string', default: 'xz' },
    },
  });
  // The packages bear the date of the source, so one source gives identical bytes on any day.
  const args = [join(root, 'tools/packaging/source-date.sh'), root];
  const date = await exec({ program: 'sh', args, doing: 'asking for the date of this source' });
  const release: Release = { version: values.version, dateSeconds: Number(date) };
  say(`building tributary ${release.version}`);
  const bundle = await buildBundle(root, release.version);
  for (const target of targets.filter(({ architecture }) =>
    values.architecture.includes(architecture),
  )) {
    say(
      `${target.architecture}: Node without its symbols, then ${values.compression}; this takes a while`,
    );
    const nodePackage = await findNodePackage(root, target);
    const parts = await describeParts(release, { root, bundle, nodePackage });
    const files = await readPackageFiles({ root, release, bundle, ...parts });
    const { out: to, compression } = values;
    const deb = await buildDeb({ root, release, target, files, nodePackage, to, compression });
    // The bill lies beside the package for people who read it without installing anything.
    await writeFile(deb.path.replace(/\.deb$/, '.cdx.json'), parts.billOfMaterials);
    say(
      `${deb.path}: ${(deb.bytes / 1e6).toFixed(1)} MB, installed ${(deb.installedBytes / 1e6).toFixed(1)} MB`,
    );
    if (compression === 'xz') await judge(deb.path);
  }
}

/**
 * Asks lintian, Debian's checker of packages. Errors and warnings count; without lintian, a line
 * says how to install it.
 */
async function judge(debPath: string): Promise<void> {
  const args = ['--fail-on', 'none', '--no-tag-display-limit', debPath];
  try {
    const tags = (
      await exec({ program: 'lintian', args, doing: 'lintian', timeoutMs: 600_000 })
    ).trim();
    say(tags === '' ? 'lintian: clean' : `lintian:\n${tags}`);
    if (/^[EW]:/m.test(tags)) process.exitCode = 1;
  } catch (error) {
    if (!hasCode(error, 'missing-program')) throw error;
    say('lintian is not installed; to have it look: sudo apt-get install lintian');
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
