import type { FenceRecord } from '../gateway/matches.ts';
import { tableName } from '../gateway/policy.ts';
import { probeSets } from '../gateway/self-test.ts';
import type { Exec } from '../system/exec.ts';
import { type Network, observeNetwork } from '../system/ip.ts';
import { type NftTable, observeNftSet, observeNftTable, observeNftTableBriefly } from '../system/nft.ts';
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

/** More elements than that are not read again while they are known. */
const manyElements = 2_000;

/** Reads what a pass works from. @throws command-failed, missing-program */
export async function observeHost(exec: Exec, tunnelInterface: string, known?: NftTable): Promise<ObservedHost> {
  const [network, table, isIpv6On] = await Promise.all([
    observeNetwork(exec),
    known === undefined || countElements(known) < manyElements ? observeTable(exec) : observeKnownTable(exec, known),
    hasIpv6(tunnelInterface),
  ]);
  return { network, table, isIpv6On };
}

/** The agent's own table, counters included; undefined where the kernel has none. @throws command-failed */
export function observeTable(exec: Exec): Promise<NftTable | undefined> {
  return observeNftTable(exec, 'inet', tableName);
}

/** The sets that change beside a pass are read again, the others are known. */
async function observeKnownTable(exec: Exec, known: NftTable): Promise<NftTable | undefined> {
  const names = ['permit', ...Object.values(probeSets)];
  const [table, ...read] = await Promise.all([
    observeNftTableBriefly(exec, 'inet', tableName),
    ...names.map((name) => observeNftSet(exec, ownTable, name)),
  ]);
  if (table === undefined) return undefined;
  const small = read.flatMap((set) => set ?? []);
  const sets = new Map([...table.sets.keys()].map((name) => [name, known.sets.get(name) ?? []]));
  return {
    ...table,
    sets: new Map([...sets, ...small.flatMap((set) => [...set.sets])]),
    expires: new Map(small.flatMap((set) => [...set.expires])),
    elementPackets: new Map(small.flatMap((set) => [...set.elementPackets])),
  };
}

function countElements({ sets }: NftTable): number {
  return sets.values().reduce((sum, elements) => sum + elements.length, 0);
}
