import { isFence, matchesRuleset } from '../gateway/matches.ts';
import { type ForwardedTotals, type GatewayLayout, type GatewayPolicy, tableName } from '../gateway/policy.ts';
import { composeRouting, noRouting, planRouting } from '../gateway/routes.ts';
import { renderNoPermit, renderPermit, renderRuleset, toRuleset } from '../gateway/ruleset.ts';
import { type DesiredSysctl, listSysctls, type ObservedSysctls, planSysctls } from '../gateway/sysctls.ts';
import { chooseUplink, findCollision, listOwnPrefixes } from '../gateway/uplink.ts';
import type { Exec } from '../system/exec.ts';
import { applyIpCommands, type Interface, observeInterfaces, observeNetwork } from '../system/ip.ts';
import { applyNft, type NftTable, observeNftTable } from '../system/nft.ts';
import type { RestoreFile } from '../system/restore-file.ts';
import { hasIpv6, readSysctl, writeSysctl } from '../system/sysctl.ts';
import { applyTunnel } from '../tunnel/apply.ts';
import { type FittedTunnel, fitTunnel } from '../tunnel/fit.ts';
import { observeTunnel } from '../tunnel/observe.ts';
import { planTunnel } from '../tunnel/plan.ts';
import { defaultMtu } from '../tunnel/spec.ts';
import type { DesiredTunnel, ObservedTunnel } from '../tunnel/state.ts';

/** What the data path should be, apart from what is read live. */
export interface DesiredDataPath {
  readonly tunnel: DesiredTunnel;
  readonly configuredUplink: string | undefined;
  readonly gateway: Pick<GatewayPolicy, 'allowDestinations' | 'blockedPorts' | 'rateLimit'>;
  /** Bytes that may still pass, from the totals that are counted now; undefined: no cap. */
  readonly toRemainingBytes: (totals: ForwardedTotals) => number | undefined;
  /** Where the forwarded counters begin when the kernel has none. */
  readonly totals: ForwardedTotals;
}

/** The data path as it is after a pass. */
export interface DataPath {
  readonly uplink: string | undefined;
  readonly tunnel: ObservedTunnel;
  /** The tunnel's address that this device's own network has too; the tunnel is not made then. */
  readonly collision: string | undefined;
  /** What of the issued tunnel is left out, because IPv6 is switched off here. */
  readonly missing: FittedTunnel['missing'];
  readonly table: NftTable | undefined;
  /** False where the kernel did not take the ruleset as it was given: nothing may be forwarded. */
  readonly isFenced: boolean;
}

export interface DataPathDoors {
  readonly exec: Exec;
  readonly stateDirectory: string;
  readonly restore: RestoreFile;
}

/**
 * One pass: observe, plan, apply. The fence comes first and the ways through it last, so whatever a pass is cut short
 * at is closed. The permit, without which nothing is forwarded, is not touched here.
 */
export async function reconcileDataPath(doors: DataPathDoors, desired: DesiredDataPath): Promise<DataPath> {
  const { exec } = doors;
  const tunnelInterface = desired.tunnel.interface;
  const [network, table, isIpv6On] = await Promise.all([
    observeNetwork(exec),
    observeNftTable(exec, 'inet', tableName),
    hasIpv6(tunnelInterface),
  ]);
  const uplink = chooseUplink(network, { configured: desired.configuredUplink, tunnelInterface });
  const ownPrefixes = listOwnPrefixes(network.interfaces, tunnelInterface);
  const layout: GatewayLayout = {
    ...desired.gateway,
    tunnelInterface,
    uplink,
    tunnelMtu: (desired.tunnel.kind === 'present' ? desired.tunnel.spec.mtu : undefined) ?? defaultMtu,
    ownPrefixes,
  };
  const toPolicy = (totals: ForwardedTotals) => ({ ...layout, remainingBytes: desired.toRemainingBytes(totals) });
  const fence = await reconcileTable(exec, table, { totals: desired.totals, toPolicy });
  const { tunnel: fitting, missing } = fitTunnel(desired.tunnel, { hasIpv6: isIpv6On });
  const addresses = fitting.kind === 'present' ? fitting.spec.addresses.map((own) => own.address) : [];
  const collision = findCollision(addresses, ownPrefixes);
  const wanted = collision === undefined ? fitting : ({ kind: 'absent', interface: tunnelInterface } as const);
  const { tunnel, hasChanged } = await reconcileTunnel(doors, wanted, network.interfaces);
  if (tunnel.kind === 'present') {
    const carriesIpv6 = tunnel.addresses.some((address) => address.includes(':'));
    await reconcileSysctls(doors.restore, listSysctls(layout, { hasIpv6: carriesIpv6 }));
    // The kernel takes the routes of an interface away with the interface, and with its last address.
    const current = hasChanged ? await observeNetwork(exec) : network;
    await applyIpCommands(
      exec,
      planRouting(composeRouting(layout, { hasIpv6: carriesIpv6 }), current),
      'setting the routes',
    );
  }
  return { uplink, tunnel, collision, missing, ...fence };
}

/** Lets traffic through for so many seconds from now. @throws command-failed */
export async function grantPermit(exec: Exec, tunnelInterface: string, seconds: number): Promise<void> {
  await applyNft(exec, renderPermit(tunnelInterface, seconds), 'renewing the permit to forward');
}

/** Stops traffic now, where it passes. @throws command-failed */
export async function revokePermit(exec: Exec, table: NftTable | undefined): Promise<void> {
  if ((table?.sets.get('permit') ?? []).length > 0) {
    await applyNft(exec, renderNoPermit(), 'ending the permit to forward');
  }
}

type KeepTotals = (totals: ForwardedTotals | undefined) => Promise<void>;

/**
 * Takes everything down, in the order that leaves nothing open. The table goes last, when `keep` has what it counted:
 * what cannot be written stays in the kernel, closed, for the next start or `tributary cleanup`. Safe to repeat.
 */
export async function removeDataPath(doors: DataPathDoors, tunnelInterface: string, keep: KeepTotals): Promise<void> {
  const table = await closeDataPath(doors, tunnelInterface, keep);
  if (table !== undefined) await applyNft(doors.exec, `delete table inet ${tableName}\n`, 'removing the gateway');
}

/**
 * The same but for the table, which is returned: closed. Without it the kernel would answer what still arrives for
 * consumers' connections with resets; behind it they wait for the next start.
 */
export async function closeDataPath(
  doors: DataPathDoors,
  tunnelInterface: string,
  keep: KeepTotals,
): Promise<NftTable | undefined> {
  const { exec } = doors;
  await revokePermit(exec, await observeNftTable(exec, 'inet', tableName));
  const network = await observeNetwork(exec);
  const withoutRoutes = planRouting(noRouting, network);
  await applyIpCommands(exec, withoutRoutes, 'removing the routes');
  await reconcileTunnel(doors, { kind: 'absent', interface: tunnelInterface }, network.interfaces);
  await doors.restore.putBack();
  const table = await observeNftTable(exec, 'inet', tableName);
  await keep(toTotals(table));
  return table;
}

/** The kernel's forwarded counters; undefined where there is no table of ours. */
export function toTotals(table: NftTable | undefined): ForwardedTotals | undefined {
  const up = table?.counters.get('forwarded_up');
  const down = table?.counters.get('forwarded_down');
  if (up === undefined || down === undefined) return undefined;
  return { up: { packets: up.packets, bytes: up.bytes }, down: { packets: down.packets, bytes: down.bytes } };
}

interface WantedTable {
  readonly totals: ForwardedTotals;
  readonly toPolicy: (totals: ForwardedTotals) => GatewayPolicy;
}

async function reconcileTable(exec: Exec, table: NftTable | undefined, wanted: WantedTable) {
  const before = toTotals(table) ?? wanted.totals;
  const policy = wanted.toPolicy(before);
  if (matchesRuleset(table, toRuleset(policy))) return { table, isFenced: true };
  // What passes between the reading and the new quota would not count against the cap: with one, nothing passes.
  const held = policy.remainingBytes === undefined ? table : await holdTraffic(exec, table);
  const totals = toTotals(held) ?? wanted.totals;
  const ruleset = toRuleset(wanted.toPolicy(totals));
  await applyNft(exec, renderRuleset(ruleset, totals), 'installing the gateway');
  const after = await observeNftTable(exec, 'inet', tableName);
  return { table: after, isFenced: isFence(after, ruleset) };
}

/** Ends the permit, which the pass renews when it is through, and reads the counters, which now stand still. */
async function holdTraffic(exec: Exec, table: NftTable | undefined): Promise<NftTable | undefined> {
  if ((table?.sets.get('permit') ?? []).length === 0) return table;
  await revokePermit(exec, table);
  return observeNftTable(exec, 'inet', tableName);
}

async function reconcileTunnel(
  doors: DataPathDoors,
  desired: DesiredTunnel,
  interfaces: readonly Interface[],
): Promise<{ readonly tunnel: ObservedTunnel; readonly hasChanged: boolean }> {
  const observed = await observeTunnel(doors, desired.interface, interfaces);
  const steps = planTunnel(desired, observed);
  if (steps.length === 0) return { tunnel: observed, hasChanged: false };
  await applyTunnel(doors, steps);
  const tunnel = await observeTunnel(doors, desired.interface, await observeInterfaces(doors.exec));
  return { tunnel, hasChanged: true };
}

async function reconcileSysctls(restore: RestoreFile, wanted: readonly DesiredSysctl[]): Promise<void> {
  const observed: ObservedSysctls = new Map(
    await Promise.all(wanted.map(async ({ path }) => [path, await readSysctl(path)] as const)),
  );
  for (const setting of planSysctls(wanted, observed)) {
    if (setting.isLasting) await restore.remember(setting.path, observed.get(setting.path) ?? '0');
    await writeSysctl(setting.path, setting.value);
  }
}
