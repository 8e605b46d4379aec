import type { FenceRecord } from '../gateway/matches.ts';
import { deniedTableName, tableName } from '../gateway/policy.ts';
import type { DesiredSysctl, ObservedSysctls } from '../gateway/sysctls.ts';
import type { Exec } from '../system/exec.ts';
import { type Network, observeNetwork } from '../system/ip.ts';
import { observeListeningPorts } from '../system/listening-ports.ts';
import { type NftTable, observeNftOutline, observeNftTable } from '../system/nft.ts';
import {
  type ConnectionRoom,
  hasIpv6,
  mayForwardIpv6,
  observeConnectionRoom,
  readSysctl,
} from '../system/sysctl.ts';

/** The agent's own table in nft's words. */
export const ownTable = `inet ${tableName}`;

/** What a pass observes, and what the pass before it left. */
export interface ObservedHost {
  readonly network: Network;
  /** The agent's own table; undefined where the kernel has none. */
  readonly table: NftTable | undefined;
  /**
   * The table of denied destinations, without the elements; undefined where the kernel has none.
   */
  readonly denied: NftTable | undefined;
  /** True where every source's device may have IPv6, and it may be forwarded. */
  readonly isIpv6On: boolean;
  readonly room: ConnectionRoom;
  /** The ports from which programs here send, in the kernel's words. */
  readonly localPorts: string | undefined;
  /** The ports at which programs here wait to be spoken to. */
  readonly listeningPorts?: readonly number[];
  /** undefined before the first pass, and after another program changed the table. */
  readonly record?: FenceRecord | undefined;
  /** True where only counts can have changed since the last pass. */
  readonly isVouched?: boolean;
}

/** What a pass found, and who waits for it. */
export interface FoundHost extends ObservedHost {
  /** Called once the fence is there. What is denied by list may still have to be filled in. */
  readonly onFence?: () => void;
}

export interface HostQuestion {
  /** Names of the sources' devices. */
  readonly devices: readonly string[];
  /** False if the table of denied destinations is not looked for. */
  readonly isDenying: boolean;
  /** What was read already; by default it is read now. */
  readonly seen?: NftTable | undefined;
  readonly readNetwork?: () => Promise<Network>;
  /** By default all ports of this network namespace at which a program listens. */
  readonly readListeningPorts?: () => Promise<readonly number[]>;
}

/**
 * Observes everything that a pass depends on; changes nothing.
 * @throws command-failed, missing-program
 */
export async function observeHost(
  exec: Exec,
  {
    devices,
    isDenying,
    seen,
    readNetwork,
    readListeningPorts = observeListeningPorts,
  }: HostQuestion,
): Promise<ObservedHost> {
  const [network, table, denied, haveIpv6, room, localPorts, listeningPorts] = await Promise.all([
    readNetwork?.() ?? observeNetwork(exec),
    seen ?? observeTable(exec),
    isDenying ? observeNftOutline(exec, deniedTableName) : undefined,
    Promise.all([mayForwardIpv6(), ...devices.map(hasIpv6)]),
    observeConnectionRoom(),
    readSysctl('net/ipv4/ip_local_port_range'),
    readListeningPorts(),
  ]);
  const isIpv6On = haveIpv6.every(Boolean);
  return { network, table, denied, isIpv6On, room, localPorts, listeningPorts };
}

/** The present values of these settings. */
export async function observeSysctls(settings: readonly DesiredSysctl[]): Promise<ObservedSysctls> {
  return new Map(
    await Promise.all(settings.map(async ({ path }) => [path, await readSysctl(path)] as const)),
  );
}

/**
 * The agent's own table with its counters; undefined where the kernel has none.
 * @throws command-failed
 */
export function observeTable(exec: Exec): Promise<NftTable | undefined> {
  return observeNftTable(exec, tableName);
}
