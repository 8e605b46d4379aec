import { readFile } from 'node:fs/promises';
import type { Exec } from '../system/exec.ts';
import { type Interface, observeInterfaces } from '../system/ip.ts';

/** The hardware interface that marks this network namespace as a host's; undefined in one of the agent's own. */
export async function findHostHardware(exec: Exec): Promise<string | undefined> {
  for (const candidate of await observeInterfaces(exec)) {
    if (!candidate.isLoopback && candidate.kind === undefined && (await isHardware(candidate))) return candidate.name;
  }
  return undefined;
}

/** /sys may show another namespace than the one we are in, so the hardware address has to agree too. */
async function isHardware(candidate: Interface): Promise<boolean> {
  const folder = `/sys/class/net/${candidate.name}`;
  const [device, address] = await Promise.all([
    readFile(`${folder}/device/uevent`).then(
      () => true,
      () => false,
    ),
    readFile(`${folder}/address`, 'utf8').catch(() => ''),
  ]);
  return device && address.trim() === candidate.hardwareAddress;
}
