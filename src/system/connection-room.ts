import { totalmem } from 'node:os';
import { readSysctl } from './sysctl.ts';

export type ConnectionRoom = Readonly<Awaited<ReturnType<typeof observeConnectionRoom>>>;

/** `conntrackMax`: connections that the kernel tracks at most; undefined before it tracks any. */
export async function observeConnectionRoom() {
  const most = Number(await readSysctl('net/netfilter/nf_conntrack_max'));
  return { memoryBytes: totalmem(), conntrackMax: most > 0 ? most : undefined };
}
