import { isIPv4 } from 'node:net';
import { toCeilings } from '../gateway/ceilings.ts';
import { type DeniedPolicy, matchesDenied, renderDenied } from '../gateway/denied.ts';
import { isFence, matchesRuleset } from '../gateway/matches.ts';
import { deniedTableName, type ForwardedTotals, type GatewayLayout, type GatewayPolicy } from '../gateway/policy.ts';
import { composeRouting, planRouting } from '../gateway/routes.ts';
import { continueCounts, renderRuleset, toRuleset } from '../gateway/ruleset.ts';
import { planProbes } from '../gateway/self-test.ts';
import { type DesiredSysctl, listSysctls, type ObservedSysctls, planSysctls } from '../gateway/sysctls.ts';
import { chooseRouter, chooseUplink, findCollision, listHomePrefixes, listOwnPrefixes } from '../gateway/uplink.ts';
import { chooseConsumerPorts } from '../lib/consumer-ports.ts';
import type { Exec } from '../system/exec.ts';
import { applyIpCommands, observeNetwork } from '../system/ip.ts';
import { applyNft, type NftTable, observeNftOutline } from '../system/nft.ts';
import type { RestoreFile } from '../system/restore-file.ts';
import { readSysctl, writeSysctl } from '../system/sysctl.ts';
import { fitTunnel } from '../tunnel/fit.ts';
import { defaultMtu } from '../tunnel/spec.ts';
import { type ObservedHost, observeTable } from './observe.ts';
import { holdsPermit, revokePermit } from './permit.ts';
import { reconcileTunnel } from './reconcile-tunnel.ts';
import { type DataPath, type DataPathHost, type DesiredDataPath, readTotals } from './state.ts';
import { takeNameBack } from './take-name-back.ts';

/**
 * Changes what was observed into what is desired. The fence comes first and the ways through it last, so a pass that is
 * cut short leaves everything closed. The permit, without which nothing is forwarded, is not touched here.
 */
export async function reconcileDataPath(
  host: DataPathHost,
  desired: DesiredDataPath,
  { network: found, table, denied, isIpv6On, room }: ObservedHost,
): Promise<DataPath> {
  const { exec } = host;
  const network = await takeNameBack(exec, desired.tunnel, found);
  const tunnelInterface = desired.tunnel.interface;
  const uplink = chooseUplink(network, { configured: desired.configuredUplink, tunnelInterface });
  const ownPrefixes = listOwnPrefixes(network.interfaces, tunnelInterface);
  const spec = desired.tunnel.kind === 'present' ? desired.tunnel.spec : undefined;
  const hasIpv6 = isIpv6On && spec?.addresses.some((own) => own.address.includes(':')) === true;
  const probes = spec === undefined ? [] : planProbes({ network, uplink, hasIpv6, ...desired.gateway });
  const { tunnel: fitting, missing } = fitTunnel(desired.tunnel, { hasIpv6: isIpv6On });
  const addresses = fitting.kind === 'present' ? fitting.spec.addresses.map((own) => own.address) : [];
  const collision = findCollision(addresses, ownPrefixes);
  const possible = collision === undefined ? fitting : ({ kind: 'absent', interface: tunnelInterface } as const);
  const layout: GatewayLayout = {
    ...desired.gateway,
    connections: toCeilings(room, desired.gateway.connections),
    tunnelInterface,
    uplink,
    isTunnelThere: possible.kind !== 'absent' && network.interfaces.some((own) => own.name === tunnelInterface),
    peerEndpoint: desired.tunnel.kind === 'present' ? desired.tunnel.endpoint : undefined,
    consumerPorts: chooseConsumerPorts(await readSysctl('net/ipv4/ip_local_port_range')),
    tunnelMtu: spec?.mtu ?? defaultMtu,
    ownPrefixes: [
      ...new Set([
        ...ownPrefixes,
        ...listHomePrefixes(network.interfaces, tunnelInterface),
        ...(desired.publicAddresses ?? table?.sets.get('own4')?.filter(isIPv4) ?? []),
      ]),
    ],
    probes,
  };
  const { totals, stopAtBytes } = desired;
  let fence = await reconcileTable(exec, table, { layout, totals, stopAtBytes });
  const isDenied = await reconcileDenied(exec, denied, {
    table: deniedTableName,
    interface: tunnelInterface,
    lists: desired.denied,
  });
  const { tunnel, hasChanged } = await reconcileTunnel(host, possible, {
    interfaces: network.interfaces,
    // The entrance of a device that was just made: nothing has come through it yet.
    async beforeUp() {
      const whole = { layout: { ...layout, isTunnelThere: true }, totals, stopAtBytes };
      // An older device of this name took its entrance with it.
      const present = layout.isTunnelThere ? await observeTable(exec) : fence.table;
      fence = await reconcileTable(exec, present, whole);
    },
  });
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
  const router = chooseRouter(network, uplink);
  const isDenying = desired.denied.length > 0;
  const isFenced = fence.isFenced && isDenied;
  const about = { uplink, router, tunnel, collision, missing, isDenying };
  return { ...fence, ...about, isFenced, probes: tunnel.kind === 'present' ? probes : [] };
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

/** True where the kernel has all of it. */
async function reconcileDenied(exec: Exec, table: NftTable | undefined, policy: DeniedPolicy): Promise<boolean> {
  if (matchesDenied(table, policy)) return true;
  for (const script of renderDenied(table, policy)) await applyNft(exec, script, 'installing what is denied');
  return matchesDenied(await observeNftOutline(exec, policy.table), policy);
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
