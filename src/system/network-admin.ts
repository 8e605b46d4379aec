import { readFile } from 'node:fs/promises';
import { isBitSet } from './process-status.ts';

/** True where this process may change its network: CAP_NET_ADMIN, bit 12 of the effective capabilities. */
export async function isNetworkAdmin(statusFile = '/proc/self/status'): Promise<boolean> {
  const status = await readFile(statusFile, 'utf8').catch(() => '');
  return isBitSet(status, 'CapEff', 12);
}
