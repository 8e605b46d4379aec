import { toCeilings } from '../gateway/ceilings.ts';
import { isFence, matchesRuleset } from '../gateway/matches.ts';
import type { ForwardedTotals, GatewayLayout, GatewayPolicy } from '../gateway/policy.ts';
import { composeRouting, planRouting } from '../gateway/routes.ts';
import { continueCounts, renderRuleset, toRuleset } from '../gateway/ruleset.ts';
import { type DesiredSysctl, listSysctls, type ObservedSysctls, planSysctls } from '../gateway/sysctls.ts';
import { chooseUplink, findCollision, listOwnPrefixes } from '../gateway/uplink.ts';
import type { Exec } from '../system/exec.ts';
import { applyIpCommands, observeNetwork } from '../system/ip.ts';
import { applyNft, type NftTable } from '../system/nft.ts';
import type { RestoreFile } from '../system/restore-file.ts';
import { readSysctl, writeSysctl } from '../system/sysctl.ts';
import { fitTunnel } from '../tunnel/fit.ts';
import { defaultMtu } from '../tunnel/spec.ts';
import { type ObservedHost, observeTable } from './observe.ts';
import { holdsPermit, revokePermit } from './permit.ts';
import { reconcileTunnel } from './reconcile-tunnel.ts';
import { type DataPath, type DataPathHost, type DesiredDataPath, readTotals } from './state.ts';

/**
 * Changes what was observed into what is desired. The fence comes first and the ways through it last, so a pass that is
 * cut short leaves everything closed. The permit, without which nothing is forwarded, is not touched here.
 */
export async function reconcileDataPath(
  host: DataPathHost,
  desired: DesiredDataPath,
  { network, table, isIpv6On, room }: ObservedHost,
): Promise<DataPath> {
  const { exec } = host;
  const tunnelInterface = desired.tunnel.interface;
  const uplink = chooseUplink(network, { configured: desired.configuredUplink, tunnelInterface });
  const ownPrefixes = listOwnPrefixes(network.interfaces, tunnelInterface);
  const layout: GatewayLayout = {
    ...desired.gateway,
    connections: toCeilings(room, desired.gateway.connections),
    tunnelInterface,
    uplink,
    tunnelMtu: (desired.tunnel.kind === 'present' ? desired.tunnel.spec.mtu : undefined) ?? defaultMtu,
    ownPrefixes,
  };
  const fence = await reconcileTable(exec, table, { layout, totals: desired.totals, stopAtBytes: desired.stopAtBytes });
  const { tunnel: fitting, missing } = fitTunnel(desired.tunnel, { hasIpv6: isIpv6On });
  const addresses = fitting.kind === 'present' ? fitting.spec.addresses.map((own) => own.address) : [];
  const collision = findCollision(addresses, ownPrefixes);
  const possible = collision === undefined ? fitting : ({ kind: 'absent', interface: tunnelInterface } as const);
  const { tunnel, hasChanged } = await reconcileTunnel(host, possible, network.interfaces);
  if (tunnel.kind === 'present') {
    const carriesIpv6 = tunnel.addresses.some((address) => address.includes(':'));
    await reconcileSysctls(host.restore, listSysctls(layout, { hasIpv6: carriesIpv6 }));
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

interface DesiredTable extends Pick<DesiredDataPath, 'totals' | 'stopAtBytes'> {
  readonly layout: GatewayLayout;
}

async function reconcileTable(exec: Exec, table: NftTable | undefined, desired: DesiredTable) {
  const policy = planPolicy(desired, readTotals(table) ?? desired.totals);
  if (matchesRuleset(table, toRuleset(policy))) return { table, isFenced: true };
  // What passes between the reading and the new quota would not count against the cap: with one, nothing passes.
  const held = policy.remainingBytes === undefined ? table : await holdTraffic(exec, table);
  const totals = readTotals(held) ?? desired.totals;
  const ruleset = toRuleset(planPolicy(desired, totals));
  await applyNft(exec, renderRuleset(continueCounts(ruleset, held), totals), 'installing the gateway');
  const after = await observeTable(exec);
  return { table: after, isFenced: isFence(after, ruleset) };
}

/** The policy for a kernel that has counted so much. */
function planPolicy({ layout, stopAtBytes }: DesiredTable, { up, down }: ForwardedTotals): GatewayPolicy {
  const remainingBytes = stopAtBytes === undefined ? undefined : Math.max(0, stopAtBytes - up.bytes - down.bytes);
  return { ...layout, remainingBytes };
}

/** Ends the permit, which the pass renews when it is through, and reads the counters, which no longer move. */
async function holdTraffic(exec: Exec, table: NftTable | undefined): Promise<NftTable | undefined> {
  if (!holdsPermit(table)) return table;
  await revokePermit(exec, table);
  return observeTable(exec);
}

async function reconcileSysctls(restore: RestoreFile, desired: readonly DesiredSysctl[]): Promise<void> {
  const observed: ObservedSysctls = new Map(
    await Promise.all(desired.map(async ({ path }) => [path, await readSysctl(path)] as const)),
  );
  for (const setting of planSysctls(desired, observed)) {
    if (setting.isLasting) await restore.remember(setting.path, observed.get(setting.path) ?? '0');
    try {
      await writeSysctl(setting.path, setting.value);
    } catch (error) {
      if (!setting.isOptional) throw error;
    }
  }
}
