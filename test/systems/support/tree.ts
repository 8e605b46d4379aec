import { createHash } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { exec } from '../../../src/system/exec.ts';
import { isThere } from '../../../src/system/files.ts';

/** Debian releases that the tests know. */
export type Suite = 'bookworm' | 'trixie';

export interface TreeOptions {
  readonly suite: Suite;
  /** Debian packages besides those that every tree has. */
  readonly packages?: readonly string[];
}

/** What every tree has: an init system that boots, and what the program depends on. */
const basePackages = [
  ...['systemd', 'systemd-sysv', 'dbus', 'udev', 'kmod', 'ca-certificates', 'procps', 'iputils-ping', 'curl'],
  ...['iproute2', 'nftables', 'wireguard-tools', 'wireguard-go', 'iptables'],
];

/** A bootable Debian, made once and kept in the cache: nobody may write to it. Its directory. */
export async function makeTree({ suite, packages = [] }: TreeOptions): Promise<string> {
  const included = [...new Set([...basePackages, ...packages])].sort();
  const key = createHash('sha256').update(included.join()).digest('hex').slice(0, 8);
  return makeOnce(`${suite}-${key}`, ['--variant=minbase', `--include=${included.join()}`, suite]);
}

/** Debian's C and C++ libraries for another architecture: the root that an emulator looks into, made once. */
export async function makeLibraries(suite: Suite, architecture: string): Promise<string> {
  const packages = '--include=libc6,libstdc++6,libgcc-s1';
  return makeOnce(`${suite}-${architecture}`, ['--variant=extract', `--arch=${architecture}`, packages, suite]);
}

/** What mmdebstrap makes of these arguments, in the cache. */
async function makeOnce(name: string, args: readonly string[]): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(process.cwd(), 'node_modules/.cache'), 'tributary-trees');
  const tree = join(cache, name);
  if (await isThere(tree)) return tree;
  // Whatever was cut short is not taken for a tree.
  const unfinished = `${tree}.${process.pid}`;
  await mkdir(cache, { recursive: true });
  try {
    await exec({
      program: 'mmdebstrap',
      args: ['--quiet', ...args, unfinished],
      doing: `making a tree of ${name}`,
      timeoutMs: 600_000,
    });
    await rename(unfinished, tree).catch(async (error: unknown) => {
      if (!(await isThere(tree))) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return tree;
}
