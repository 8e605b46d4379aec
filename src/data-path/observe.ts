import type { FenceRecord } from '../gateway/matches.ts';
import { deniedTableName, tableName } from '../gateway/policy.ts';
import type { Exec } from '../system/exec.ts';
import { type Network, observeNetwork } from '../system/ip.ts';
import { type NftTable, observeNftOutline, observeNftTable } from '../system/nft.ts';
import { type ConnectionRoom, hasIpv6, observeConnectionRoom } from '../system/sysctl.ts';

/** The agent's own table as nft names it. */
export const ownTable = `inet ${tableName}`;

/** What a pass finds, and what the one before it left. */
export interface ObservedHost {
  readonly network: Network;
  /** The agent's own table; undefined where the kernel has none. */
  readonly table: NftTable | undefined;
  /** What the owner denies, without the elements; undefined where the kernel has none of it. */
  readonly denied: NftTable | undefined;
  readonly isIpv6On: boolean;
  /** undefined before the first pass, and where another program has changed the table since. */
  readonly record?: FenceRecord | undefined;
  readonly room: ConnectionRoom;
}

/** `isDenying` false: the table of what is denied is not looked for. @throws command-failed, missing-program */
export async function observeHost(
  exec: Exec,
  { tunnelInterface, isDenying }: { readonly tunnelInterface: string; readonly isDenying: boolean },
): Promise<ObservedHost> {
  const [network, table, denied, isIpv6On, room] = await Promise.all([
    observeNetwork(exec),
    observeTable(exec),
    isDenying ? observeNftOutline(exec, deniedTableName) : undefined,
    hasIpv6(tunnelInterface),
    observeConnectionRoom(),
  ]);
  return { network, table, denied, isIpv6On, room };
}

/** The agent's own table, counters included; undefined where the kernel has none. @throws command-failed */
export function observeTable(exec: Exec): Promise<NftTable | undefined> {
  return observeNftTable(exec, 'inet', tableName);
}
