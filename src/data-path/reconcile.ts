import { toUndefined } from '../errors/codes.ts';
import { type DeniedPolicy, matchesDenied, renderDenied } from '../gateway/denied.ts';
import { type FenceRecord, isFence, matchesRuleset } from '../gateway/matches.ts';
import { composeRouting, planRouting } from '../gateway/routes.ts';
import { continueCounts, type Loading, renderRuleset, toRuleset } from '../gateway/ruleset.ts';
import { type DesiredSysctl, listSysctls, planSysctls } from '../gateway/sysctls.ts';
import { chooseRouter } from '../gateway/uplink.ts';
import { includesIpv6 } from '../lib/addresses.ts';
import type { Exec } from '../system/exec.ts';
import { applyIpCommands, observeNetwork } from '../system/ip.ts';
import { applyNft, type NftTable, observeNftOutline } from '../system/nft.ts';
import type { RestoreFile } from '../system/restore-file.ts';
import { writeSysctl } from '../system/sysctl.ts';
import {
  composeDataPath,
  type DesiredTable,
  planLine,
  planLineWish,
  planPolicy,
} from './compose.ts';
import { bestWay, type LineWay } from './line-shaper.ts';
import { type ObservedHost, observeSysctls, observeTable } from './observe.ts';
import { holdsPermit, revokePermit } from './permit.ts';
import { reconcileTunnel, takeNameBack } from './reconcile-tunnel.ts';
import { type DataPathHost, type DesiredDataPath, readTotals } from './state.ts';

/** What a pass found and made. */
export type DataPath = Readonly<Awaited<ReturnType<typeof reconcileDataPath>>>;

/**
 * The fence first, the ways through it last: a pass that is cut short leaves all closed. Grants no
 * permit.
 */
export async function reconcileDataPath(
  host: DataPathHost,
  desired: DesiredDataPath,
  observed: ObservedHost,
) {
  const { exec } = host;
  const { table, record } = observed;
  const network = await takeNameBack(exec, desired.tunnel, observed.network);
  const composed = composeDataPath(desired, { ...observed, network });
  const { denied, collision, missing, possible } = composed;
  let { layout } = composed;
  let way: LineWay = bestWay;
  /** The rules are for the way in which the line is held: it comes first. */
  const holdLine = async ({ isVouched = false }: Pick<ObservedHost, 'isVouched'> = {}) => {
    const wish = planLineWish(layout, desired.line.limitBits);
    if (wish === undefined) return;
    way = await host.line.reconcile(wish, { interfaces: network.interfaces, isVouched });
    layout = { ...layout, line: planLine(desired.line, way, table) };
  };
  // All is closed as this process left it, and the new device gets its own firewall before it comes
  // up: that one will do.
  const isShut = record !== undefined && record.listing === table?.listing && !holdsPermit(table);
  const waits = isShut && possible.kind === 'present' && !layout.isTunnelThere;
  if (layout.isTunnelThere) await holdLine(observed);
  let fence: Fence = waits
    ? { table, isFenced: true, record }
    : await reconcileTable(exec, { table, record }, { ...desired, layout });
  const isDenied = await reconcileDenied(exec, observed.denied, denied);
  const { tunnel, hasChanged } = await reconcileTunnel(host, possible, {
    interfaces: network.interfaces,
    // The entrance of a device that was just made: nothing has come through it yet.
    async beforeUp() {
      await holdLine();
      const whole = { ...desired, layout: { ...layout, isTunnelThere: true } };
      // An older device of this name took its entrance with it.
      const present = layout.isTunnelThere ? await observeTable(exec) : fence.table;
      fence = await reconcileTable(exec, { table: present, record: fence.record }, whole);
    },
  });
  if (tunnel.kind === 'present') {
    const hasIpv6 = includesIpv6(tunnel.addresses);
    await reconcileSysctls(host.restore, listSysctls(layout, { hasIpv6 }));
    // The kernel takes the routes of an interface away with the interface, and with its last
    // address.
    const current = hasChanged ? await observeNetwork(exec) : network;
    await applyIpCommands(
      exec,
      planRouting(composeRouting(layout, { hasIpv6 }), current),
      'setting the routes',
    );
  }
  return {
    ...fence,
    isFenced: fence.isFenced && isDenied,
    uplink: layout.uplink,
    router: chooseRouter(network, layout.uplink),
    tunnel,
    collision,
    missing,
    isDenying: desired.denied.length > 0,
    /** How the line is held; undefined: nothing shapes here. */
    way,
    /** What the fence can be tried with now. */
    probes: tunnel.kind === 'present' ? layout.probes : [],
  };
}

interface Fence {
  readonly table: NftTable | undefined;
  /**
   * False where the kernel's table is not the ruleset that was applied: nothing may be forwarded
   * then.
   */
  readonly isFenced: boolean;
  /**
   * How the kernel listed the fence after it was applied; undefined: that was not seen, and it is
   * applied once more.
   */
  readonly record: FenceRecord | undefined;
}

/** Makes the table the ruleset; what cannot be made so by a change is replaced. */
async function reconcileTable(
  exec: Exec,
  { table, record }: Pick<ObservedHost, 'table' | 'record'>,
  desired: DesiredTable,
): Promise<Fence> {
  const ruleset = toRuleset(planPolicy(desired, readTotals(table) ?? desired.totals));
  const isKnown = matchesRuleset(table, ruleset);
  const isAsRecorded =
    record?.fingerprint === ruleset.fingerprint && record.listing === table?.listing;
  if (isKnown && isAsRecorded) return { table, isFenced: true, record };
  // After a restart nothing is recorded: the same rules are loaded again, under traffic that goes
  // on.
  const first = isKnown && record === undefined ? 'keep-cap' : 'change';
  const fence = await install(exec, { table, record }, { ...desired, loading: first }).catch(
    toUndefined('command-failed'),
  );
  if (fence?.isFenced === true) return fence;
  const current = { table: await observeTable(exec), record };
  return install(exec, current, { ...desired, loading: 'replace' });
}

/**
 * A record of the same rules that the kernel lists in another way now is forgotten: a new version
 * of nft may be why.
 */
async function install(
  exec: Exec,
  { table, record: before }: Pick<ObservedHost, 'table' | 'record'>,
  desired: DesiredTable & { readonly loading: Loading },
): Promise<Fence> {
  const { loading } = desired;
  // What passes between reading and new quota would escape the cap; what is replaced is not trusted
  // with traffic.
  const isHeld =
    loading === 'replace' || (loading === 'change' && desired.stopAtBytes !== undefined);
  const held = isHeld ? await holdTraffic(exec, table) : table;
  const totals = readTotals(held) ?? desired.totals;
  const ruleset = toRuleset(planPolicy(desired, totals));
  // A table that is made again has counted nothing.
  const counting = loading === 'replace' ? ruleset : continueCounts(ruleset, held);
  await applyNft(exec, renderRuleset(counting, totals, loading), 'installing the gateway');
  const after = await observeTable(exec);
  const { fingerprint } = ruleset;
  const isOther = before?.fingerprint === fingerprint && before.listing !== after?.listing;
  if (!isFence(after, ruleset) || isOther)
    return { table: after, isFenced: false, record: undefined };
  return { table: after, isFenced: true, record: { fingerprint, listing: after.listing } };
}

async function reconcileDenied(
  exec: Exec,
  table: NftTable | undefined,
  policy: DeniedPolicy,
): Promise<boolean> {
  if (matchesDenied(table, policy)) return true;
  for (const script of renderDenied(table, policy))
    await applyNft(exec, script, 'installing what is denied');
  return matchesDenied(await observeNftOutline(exec, policy.table), policy);
}

/**
 * Ends the permit, which the pass renews when it is through, and reads the counters, which no
 * longer move.
 */
async function holdTraffic(exec: Exec, table: NftTable | undefined): Promise<NftTable | undefined> {
  if (!holdsPermit(table)) return table;
  await revokePermit(exec);
  return observeTable(exec);
}

async function reconcileSysctls(
  restore: RestoreFile,
  desired: readonly DesiredSysctl[],
): Promise<void> {
  const observed = await observeSysctls(desired);
  for (const setting of planSysctls(desired, observed)) {
    if (setting.isLasting) await restore.remember(setting.path, observed.get(setting.path) ?? '0');
    try {
      await writeSysctl(setting.path, setting.value);
    } catch (error) {
      if (!setting.isOptional) throw error;
    }
  }
}
