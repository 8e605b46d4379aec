import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exec } from '../../../src/system/exec.ts';
import type { Machine } from './machine.ts';
import { buildProgram, copyWorld } from './program.ts';
import { ownArchitecture } from './tree.ts';

const root = join(import.meta.dirname, '../../..');

export interface PackageOptions {
  readonly architecture: 'amd64' | 'arm64';
  readonly version: string;
  /** A folder; the package is made in it. */
  readonly to: string;
  /** Default `none`, which is quick. */
  readonly compression?: 'xz' | 'none';
}

/** Makes a package as `npm run package` does: its path. @throws command-failed */
export async function makePackage({
  architecture,
  version,
  to,
  compression = 'none',
}: PackageOptions): Promise<string> {
  const options = [
    '--architecture',
    architecture,
    '--version',
    version,
    '--out',
    to,
    '--compression',
    compression,
  ];
  const args = [join(root, 'tools/packaging/build-packages.ts'), ...options];
  await exec({
    program: process.execPath,
    args,
    doing: `making the package for ${architecture}`,
    timeoutMs: 900_000,
  });
  return nameIn(to, version, architecture);
}

/** Packages for this machine's own architecture, in a folder that goes with the tests. */
export interface PreparedPackages {
  readonly folder: string;
  pathOf(version: string): string;
  /** Puts them into /srv/packages. */
  putInto(machine: Machine): Promise<void>;
  remove(): Promise<void>;
}

/** Makes a package of each version. @throws command-failed */
export async function preparePackages(...versions: readonly string[]): Promise<PreparedPackages> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-packages-'));
  const architecture = ownArchitecture;
  for (const version of versions) await makePackage({ architecture, version, to: folder });
  return {
    folder,
    pathOf: (version) => nameIn(folder, version, architecture),
    putInto: (machine) => machine.copyIn(folder, '/srv/packages'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * Makes them beside a world (world.sh) in /srv/world, whose Node and build are its own: it outlives
 * the package. @throws command-failed
 */
export async function preparePackagesAndWorld(
  ...versions: readonly string[]
): Promise<PreparedPackages> {
  const build = await buildProgram();
  const packages = await preparePackages(...versions);
  return {
    ...packages,
    async putInto(machine) {
      await copyWorld(machine, build);
      await packages.putInto(machine);
    },
    async remove() {
      await Promise.all([packages.remove(), rm(build, { recursive: true, force: true })]);
    },
  };
}

function nameIn(folder: string, version: string, architecture: string): string {
  return join(folder, `tributary_${version}-1_${architecture}.deb`);
}
