import { readFile } from 'node:fs/promises';

/** True where this process may change its network: CAP_NET_ADMIN, bit 12 of the effective capabilities. */
export async function isNetworkAdmin(statusFile = '/proc/self/status'): Promise<boolean> {
  const status = await readFile(statusFile, 'utf8').catch(() => '');
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0';
  return ((BigInt(`0x${effective}`) >> 12n) & 1n) === 1n;
}
