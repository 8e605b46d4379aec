import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Exec } from './exec.ts';
import { isThere } from './files.ts';
import { observeInterfaces } from './ip.ts';

/** Real hardware, as the host's own namespace has it; undefined: none. @throws command-failed, missing-program */
export async function findHostHardware(exec: Exec, sysDirectory = '/sys'): Promise<string | undefined> {
  for (const { name, kind, isLoopback, hardwareAddress } of await observeInterfaces(exec)) {
    if (kind !== undefined || isLoopback || hardwareAddress === undefined) continue;
    const directory = join(sysDirectory, 'class/net', name);
    // /sys may still show the interfaces of the namespace it was mounted in: the address tells whether it is this one.
    const address = await readFile(join(directory, 'address'), 'utf8').catch(() => '');
    if (address.trim() === hardwareAddress && (await isThere(join(directory, 'device')))) return name;
  }
  return undefined;
}
