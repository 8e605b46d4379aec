import { join } from 'node:path';
import { exec } from '../../../src/system/exec.ts';

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
  return join(to, `tributary_${version}-1_${architecture}.deb`);
}
