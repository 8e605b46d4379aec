import { totalmem } from 'node:os';
import { readSysctl } from './sysctl.ts';

/** How many connections this machine has room for. */
export interface ConnectionRoom {
  readonly memoryBytes: number;
  /** Connections that the kernel tracks at most; undefined before it tracks any. */
  readonly conntrackMax: number | undefined;
}

export async function observeConnectionRoom(): Promise<ConnectionRoom> {
  const most = Number(await readSysctl('net/netfilter/nf_conntrack_max'));
  return { memoryBytes: totalmem(), conntrackMax: most > 0 ? most : undefined };
}
