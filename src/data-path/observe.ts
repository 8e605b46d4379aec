import type { FenceRecord } from '../gateway/matches.ts';
import { deniedTableName, tableName } from '../gateway/policy.ts';
import type { DesiredSysctl, ObservedSysctls } from '../gateway/sysctls.ts';
import type { Exec } from '../system/exec.ts';
import { type Network, observeNetwork } from '../system/ip.ts';
import { type NftTable, observeNftOutline, observeNftTable } from '../system/nft.ts';
import { hasIpv6, observeConnectionRoom, readSysctl } from '../system/sysctl.ts';

/** The agent's own table as nft names it. */
export const ownTable = `inet ${tableName}`;

/** What a pass finds, and what the one before it left. */
export type ObservedHost = Readonly<Awaited<ReturnType<typeof observeHost>>> & {
  /** undefined before the first pass, and where another program has changed the table since. */
  readonly record?: FenceRecord | undefined;
  /** True where nothing but counts can have changed since the pass before. */
  readonly isVouched?: boolean;
};

interface HostQuestion {
  readonly tunnelInterface: string;
  /** False: the table of what is denied is not looked for. */
  readonly isDenying: boolean;
  /** What was read already; by default it is asked for. */
  readonly seen?: NftTable | undefined;
  readonly readNetwork?: () => Promise<Network>;
}

/** @throws command-failed, missing-program */
export async function observeHost(
  exec: Exec,
  { tunnelInterface, isDenying, seen, readNetwork }: HostQuestion,
) {
  const [network, table, denied, isIpv6On, room, localPorts] = await Promise.all([
    readNetwork?.() ?? observeNetwork(exec),
    seen ?? observeTable(exec),
    isDenying ? observeNftOutline(exec, deniedTableName) : undefined,
    hasIpv6(tunnelInterface),
    observeConnectionRoom(),
    readSysctl('net/ipv4/ip_local_port_range'),
  ]);
  return {
    network,
    table,
    /** What the owner denies, without the elements; undefined where the kernel has none of it. */
    denied,
    isIpv6On,
    room,
    /** From which ports programs here send, as the kernel says it. */
    localPorts,
  };
}

/** These settings as they are now. */
export async function observeSysctls(settings: readonly DesiredSysctl[]): Promise<ObservedSysctls> {
  return new Map(
    await Promise.all(settings.map(async ({ path }) => [path, await readSysctl(path)] as const)),
  );
}

/**
 * The agent's own table, counters included; undefined where the kernel has none.
 * @throws command-failed
 */
export function observeTable(exec: Exec): Promise<NftTable | undefined> {
  return observeNftTable(exec, tableName);
}
