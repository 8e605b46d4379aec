import type { FenceRecord } from '../gateway/matches.ts';
import { tableName } from '../gateway/policy.ts';
import type { Exec } from '../system/exec.ts';
import { type Network, observeNetwork } from '../system/ip.ts';
import { type NftTable, observeNftTable } from '../system/nft.ts';
import { hasIpv6 } from '../system/sysctl.ts';

/** What a pass finds, and what the one before it left. */
export interface ObservedHost {
  readonly network: Network;
  /** The agent's own table; undefined where the kernel has none. */
  readonly table: NftTable | undefined;
  readonly isIpv6On: boolean;
  /** undefined before the first pass, and where somebody else has changed the table since. */
  readonly record?: FenceRecord | undefined;
}

/** Reads what a pass works from. @throws command-failed, missing-program */
export async function observeHost(exec: Exec, tunnelInterface: string): Promise<ObservedHost> {
  const [network, table, isIpv6On] = await Promise.all([
    observeNetwork(exec),
    observeTable(exec),
    hasIpv6(tunnelInterface),
  ]);
  return { network, table, isIpv6On };
}

/** The agent's own table, counters included; undefined where the kernel has none. @throws command-failed */
export function observeTable(exec: Exec): Promise<NftTable | undefined> {
  return observeNftTable(exec, 'inet', tableName);
}
