import { createHash } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../src/lib/errors.ts';
import { exec } from '../../../src/system/exec.ts';
import { isThere } from '../../../src/system/files.ts';

/** Debian releases that the tests know. */
type Suite = 'bookworm' | 'trixie';

export interface TreeOptions {
  readonly suite: Suite;
  /** Default: this machine's own. */
  readonly architecture?: 'amd64' | 'arm64';
  /** Debian packages besides those that every tree has. */
  readonly packages?: readonly string[];
}

/** What this machine's own processor runs. */
export const ownArchitecture = process.arch === 'arm64' ? 'arm64' : 'amd64';

/** What every tree has: an init system that boots, and what the program depends on. */
const basePackages = [
  ...[
    'systemd',
    'systemd-sysv',
    'dbus',
    'udev',
    'kmod',
    'ca-certificates',
    'procps',
    'iputils-ping',
    'curl',
  ],
  ...['iproute2', 'nftables', 'conntrack', 'wireguard-tools', 'wireguard-go', 'iptables'],
];

/**
 * For emulated machines, just what finds their disk: with all modules, mkinitramfs under emulation
 * takes very long.
 */
const smallInitramfs =
  'mkdir -p "$1/etc/initramfs-tools/conf.d" && cd "$1/etc/initramfs-tools" && echo MODULES=list >conf.d/modules && ' +
  "printf '%s\\n' virtio_pci virtio_blk ext4 >modules";

/**
 * A bootable Debian, made once and kept in the cache: nobody may write to it. Its directory.
 * @throws command-failed
 */
export async function makeTree({
  suite,
  architecture = ownArchitecture,
  packages = [],
}: TreeOptions): Promise<string> {
  const included = [...new Set([...basePackages, ...packages])].sort();
  const key = createHash('sha256').update(included.join()).digest('hex').slice(0, 8);
  const options = ['--quiet', '--variant=minbase', `--include=${included.join()}`];
  if (architecture === ownArchitecture)
    return makeOnce(`${suite}-${key}`, ['mmdebstrap', ...options, suite]);
  const emulated = [
    'mmdebstrap',
    `--arch=${architecture}`,
    `--essential-hook=${smallInitramfs}`,
    ...options,
    suite,
  ];
  return makeOnce(`${suite}-${architecture}-${key}`, [
    'sh',
    join(import.meta.dirname, 'with-arm64.sh'),
    ...emulated,
  ]);
}

/** Why no tree of this architecture can be made here; undefined where it can. */
export async function findHindrance(architecture: 'amd64' | 'arm64'): Promise<string | undefined> {
  if (architecture === ownArchitecture) return undefined;
  const args = [join(import.meta.dirname, 'with-arm64.sh'), 'true'];
  return exec({ program: 'sh', args, doing: 'looking whether arm64 can be emulated' }).then(
    () => undefined,
    (error: unknown) => messageOf(error),
  );
}

const making = new Map<string, Promise<string>>();

/**
 * What a command makes in the directory that is its last argument, in the cache; two machines wait
 * for one tree.
 */
function makeOnce(name: string, command: readonly [string, ...string[]]): Promise<string> {
  const made = making.get(name) ?? make(name, command);
  making.set(name, made);
  return made;
}

async function make(
  name: string,
  [program, ...args]: readonly [string, ...string[]],
): Promise<string> {
  const cache = join(
    process.env.XDG_CACHE_HOME ?? join(process.cwd(), 'node_modules/.cache'),
    'tributary-trees',
  );
  const tree = join(cache, name);
  if (await isThere(tree)) return tree;
  // Whatever was cut short is not taken for a tree.
  const unfinished = `${tree}.${process.pid}`;
  await mkdir(cache, { recursive: true });
  try {
    await exec({
      program,
      args: [...args, unfinished],
      doing: `making a tree of ${name}`,
      timeoutMs: 1_500_000,
    });
    await rename(unfinished, tree).catch(async (error: unknown) => {
      if (!(await isThere(tree))) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return tree;
}
