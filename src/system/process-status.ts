import { readFile } from 'node:fs/promises';

/** Whether a bit is set in a mask, such as `CapEff` or `SigCgt`, of a process's /proc/PID/status; false where it is missing. */
export function isBitSet(status: string, mask: string, bit: number): boolean {
  const digits = new RegExp(`^${mask}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1] ?? '0';
  return ((BigInt(`0x${digits}`) >> BigInt(bit)) & 1n) === 1n;
}

/** True where this process may change its network: CAP_NET_ADMIN, bit 12 of the effective capabilities. */
export async function isNetworkAdmin(statusFile = '/proc/self/status'): Promise<boolean> {
  return isBitSet(await readFile(statusFile, 'utf8').catch(() => ''), 'CapEff', 12);
}
