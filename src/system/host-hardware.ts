import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Exec } from './exec.ts';
import { isThere } from './files.ts';
import { observeInterfaces } from './ip.ts';

/**
 * An interface of real hardware in the host's own namespace; undefined if the host has none.
 * @throws command-failed, missing-program
 */
export async function findHostHardware(
  exec: Exec,
  sysDirectory = '/sys',
): Promise<string | undefined> {
  for (const { name, kind, isLoopback, hardwareAddress } of await observeInterfaces(exec)) {
    if (kind !== undefined || isLoopback || hardwareAddress === undefined) continue;
    const directory = join(sysDirectory, 'class/net', name);
    // /sys may still show the interfaces of the namespace in which it was mounted. The address
    // tells whether this is the right one.
    const address = await readFile(join(directory, 'address'), 'utf8').catch(() => '');
    if (address.trim() === hardwareAddress && (await isThere(join(directory, 'device'))))
      return name;
  }
  return undefined;
}

/**
 * Whether a bit is set in a mask of a process's /proc/PID/status, such as `CapEff` or `SigCgt`;
 * false where the mask is missing.
 */
export function isBitSet(status: string, mask: string, bit: number): boolean {
  const digits = new RegExp(`^${mask}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1] ?? '0';
  return ((BigInt(`0x${digits}`) >> BigInt(bit)) & 1n) === 1n;
}

/**
 * True where this process may change its network: CAP_NET_ADMIN, bit 12 of the effective
 * capabilities.
 */
export async function isNetworkAdmin(statusFile = '/proc/self/status'): Promise<boolean> {
  return isBitSet(await readFile(statusFile, 'utf8').catch(() => ''), 'CapEff', 12);
}
