import type { FenceRecord } from '../gateway/matches.ts';
import { tableName } from '../gateway/policy.ts';
import type { Exec } from '../system/exec.ts';
import { type Network, observeNetwork } from '../system/ip.ts';
import { type NftTable, observeNftTable, observeNftTableBriefly } from '../system/nft.ts';
import { hasIpv6 } from '../system/sysctl.ts';

/** The agent's own table as nft names it. */
export const ownTable = `inet ${tableName}`;

/** What a pass finds, and what the one before it left. */
export interface ObservedHost {
  readonly network: Network;
  /** The agent's own table; undefined where the kernel has none. */
  readonly table: NftTable | undefined;
  readonly isIpv6On: boolean;
  /** undefined before the first pass, and where somebody else has changed the table since. */
  readonly record?: FenceRecord | undefined;
}

/** What the pass before this one found, where nobody else has changed the table since. */
export interface KnownTable {
  readonly table: NftTable;
  readonly holdsPermit: boolean;
}

/** More elements than that are not read again while they are known. */
const manyElements = 2_000;

/** Reads what a pass works from. @throws command-failed, missing-program */
export async function observeHost(exec: Exec, tunnelInterface: string, known?: KnownTable): Promise<ObservedHost> {
  const [network, table, isIpv6On] = await Promise.all([
    observeNetwork(exec),
    known === undefined || countElements(known.table) < manyElements
      ? observeTable(exec)
      : observeKnownTable(exec, tunnelInterface, known),
    hasIpv6(tunnelInterface),
  ]);
  return { network, table, isIpv6On };
}

/** The agent's own table, counters included; undefined where the kernel has none. @throws command-failed */
export function observeTable(exec: Exec): Promise<NftTable | undefined> {
  return observeNftTable(exec, 'inet', tableName);
}

/** The same, but every set is empty: for its counters. @throws command-failed */
export function observeTableBriefly(exec: Exec): Promise<NftTable | undefined> {
  return observeNftTableBriefly(exec, 'inet', tableName);
}

async function observeKnownTable(exec: Exec, tunnelInterface: string, { table: before, holdsPermit }: KnownTable) {
  const table = await observeTableBriefly(exec);
  if (table === undefined) return undefined;
  const sets = new Map([...table.sets.keys()].map((name) => [name, before.sets.get(name) ?? []]));
  return { ...table, sets: sets.set('permit', holdsPermit ? [tunnelInterface] : []) };
}

function countElements({ sets }: NftTable): number {
  return sets.values().reduce((sum, elements) => sum + elements.length, 0);
}
