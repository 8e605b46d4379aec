import { tableName } from '../gateway/policy.ts';
import { type ConnectionRoom, observeConnectionRoom } from '../system/connection-room.ts';
import type { Exec } from '../system/exec.ts';
import { type Network, observeNetwork } from '../system/ip.ts';
import { type NftTable, observeNftTable } from '../system/nft.ts';
import { hasIpv6 } from '../system/sysctl.ts';

/** What a pass finds. */
export interface ObservedHost {
  readonly network: Network;
  /** The agent's own table; undefined where the kernel has none. */
  readonly table: NftTable | undefined;
  readonly isIpv6On: boolean;
  readonly room: ConnectionRoom;
}

/** Reads what a pass works from. @throws command-failed, missing-program */
export async function observeHost(exec: Exec, tunnelInterface: string): Promise<ObservedHost> {
  const [network, table, isIpv6On, room] = await Promise.all([
    observeNetwork(exec),
    observeTable(exec),
    hasIpv6(tunnelInterface),
    observeConnectionRoom(),
  ]);
  return { network, table, isIpv6On, room };
}

/** The agent's own table, counters included; undefined where the kernel has none. @throws command-failed */
export function observeTable(exec: Exec): Promise<NftTable | undefined> {
  return observeNftTable(exec, 'inet', tableName);
}
