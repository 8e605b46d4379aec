import type { TributaryError } from '../errors/codes.ts';
import type { GatewayLayout } from '../gateway/policy.ts';
import { composeRouting, planRouting } from '../gateway/routes.ts';
import type { Probe } from '../gateway/self-test.ts';
import { listSysctls } from '../gateway/sysctls.ts';
import { chooseRouter } from '../gateway/uplink.ts';
import { listStrays } from '../gateway/way-out.ts';
import type { ObservedDevice } from '../source/source.ts';
import { applyIpCommands, observeNetwork } from '../system/ip.ts';
import type { Router } from '../system/routers.ts';
import {
  type ComposedDataPath,
  type ComposedSource,
  composeDataPath,
  findFamilies,
  withNewDevices,
} from './compose.ts';
import { planLine, planLineWish } from './compose-line.ts';
import { bestWay, type LineWay } from './line-shaper.ts';
import { type FoundHost, type ObservedHost, observeTable } from './observe.ts';
import { holdsPermit } from './permit.ts';
import {
  changeDevices,
  findAbsent,
  isMaking,
  lookAt,
  type PlannedSource,
  planSources,
  raiseDevices,
  type SourceFailures,
  takeNamesBack,
} from './reconcile-sources.ts';
import { reconcileSysctls } from './reconcile-sysctls.ts';
import { type Fence, reconcileDenied, reconcileTable } from './reconcile-table.ts';
import type { DataPathHost, DesiredDataPath } from './state.ts';

/** What a pass observed and made of one source. */
export interface SourcePath
  extends Pick<ComposedSource, 'collision' | 'nearEnd' | 'missing' | 'overheadBytes'> {
  /** Its name: `wireguard`. */
  readonly name: string;
  readonly device: string;
  readonly observed: ObservedDevice;
  /** False where its driver could not observe it: `observed` is what its interface shows. */
  readonly isSeen: boolean;
  /** What stopped the steps to what is wanted; the next pass tries them again. */
  readonly failure: TributaryError | undefined;
}

/** What a pass observed and made. Status, counts and decisions follow from it. */
export interface DataPath extends Fence {
  readonly uplink: string | undefined;
  /**
   * The gateway of the uplink's IPv4 route; undefined without one, or if this machine has a public
   * address itself.
   */
  readonly router: string | undefined;
  /** The routers of the uplink's ways of each family. */
  readonly routers: readonly Router[];
  /** By which interfaces all leaves, where the uplink leads nowhere. */
  readonly strays: readonly string[];
  /** Each source's, in their order. */
  readonly sources: readonly SourcePath[];
  /** Names of the devices whose consumers are held to the strict rules. */
  readonly strict: readonly string[];
  /** True where the table of what the owner denies has to be looked for. */
  readonly isDenying: boolean;
  /** How the line is held; undefined where this kernel cannot shape traffic. */
  readonly way: LineWay;
  /** The probes that can test the fence now. */
  readonly probes: readonly Probe[];
}

/** What both kinds of pass need. */
interface Pass {
  readonly host: DataPathHost;
  readonly desired: DesiredDataPath;
  readonly observed: FoundHost;
  readonly composed: ComposedDataPath;
  readonly sources: readonly PlannedSource[];
}

/**
 * The fence first, the ways through it last: a pass that is cut short leaves all closed. Grants no
 * permit. Safe to repeat: a second pass over the same changes nothing. A source that fails is in
 * the answer with its failure, and stops no other.
 * @throws command-failed, state-unwritable, not-allowed, missing-program
 */
export async function reconcileDataPath(
  host: DataPathHost,
  desired: DesiredDataPath,
  found: FoundHost,
): Promise<DataPath> {
  const { network, failures } = await takeNamesBack(host, desired.sources, found.network);
  const observed = { ...found, network };
  const composed = composeDataPath(desired, observed, host.sources);
  const { interfaces } = network;
  const sources = await planSources(composed.sources, { interfaces, failures });
  const pass = { host, desired, observed, composed, sources };
  return sources.some(isMaking) ? passThatMakes(pass) : passOverExisting(pass);
}

/** Every device that is wanted is there: the fence is around it before anything of it changes. */
async function passOverExisting(pass: Pass): Promise<DataPath> {
  const { host, desired, observed, composed, sources } = pass;
  const held = await holdLine(pass, composed.layout, observed);
  const fence = await reconcileTable(host.exec, observed, { ...desired, layout: held.layout });
  const isDenied = await fillLists(pass, fence);
  const failures = await raiseDevices(sources, await changeDevices(sources));
  const paths = await openWays(pass, held.layout, failures);
  return toDataPath(pass, { ...held, paths, fence, isDenied });
}

/**
 * A device is made, down: the fence is closed before that, and is around the new device before it
 * comes up.
 */
async function passThatMakes(pass: Pass): Promise<DataPath> {
  const { host, desired, composed, sources } = pass;
  const closed = await closeFence(pass);
  const isDenied = await fillLists(pass, closed);
  const changed = await changeDevices(sources);
  const absent = await findAbsent(host.exec, changed);
  const held = await holdLine(pass, withNewDevices(composed, absent));
  // An older device of one of these names took its entrance with it.
  const table = hasDevice(composed) ? await observeTable(host.exec) : closed.table;
  const whole = { ...desired, layout: held.layout };
  const fence = await reconcileTable(host.exec, { table, record: closed.record }, whole);
  const failures = await raiseDevices(sources, changed);
  const paths = await openWays(pass, held.layout, failures);
  return toDataPath(pass, { ...held, paths, fence, isDenied });
}

/**
 * The fence without the devices that are still to be made. Where all is closed as this process left
 * it, and no device is there, that fence will do until they are.
 */
async function closeFence(pass: Pass): Promise<Fence> {
  const { host, desired, observed, composed } = pass;
  const { table, record } = observed;
  const isShut = record !== undefined && record.listing === table?.listing && !holdsPermit(table);
  if (isShut && !hasDevice(composed)) return { table, isFenced: true, record };
  const { layout } = await holdLine(pass, composed.layout, observed);
  return reconcileTable(host.exec, observed, { ...desired, layout });
}

/** Fills in what is denied by list. It can take a moment: who waits for a fence is told first. */
function fillLists({ host, observed, composed }: Pass, { isFenced }: Fence): Promise<boolean> {
  if (isFenced) observed.onFence?.();
  return reconcileDenied(host.exec, observed.denied, composed.denied);
}

function hasDevice({ layout }: ComposedDataPath): boolean {
  return layout.devices.some(({ isThere }) => isThere);
}

interface HeldLine {
  readonly layout: GatewayLayout;
  readonly way: LineWay;
}

/** Holds the line. This comes before the rules, which depend on how it is held. */
async function holdLine(
  { host, desired, observed, composed }: Pass,
  layout: GatewayLayout,
  { isVouched = false }: Pick<ObservedHost, 'isVouched'> = {},
): Promise<HeldLine> {
  const wish = planLineWish({ ...composed, layout }, desired.line.limitBits);
  if (wish === undefined) return { layout, way: bestWay };
  const { interfaces } = observed.network;
  const way = await host.line.reconcile(wish, { interfaces, isVouched });
  return { layout: { ...layout, line: planLine(desired.line, way, observed.table) }, way };
}

/** Kernel settings, then routes, of the devices that are there now. */
async function openWays(
  { host, observed, composed, sources }: Pass,
  layout: GatewayLayout,
  failures: SourceFailures,
): Promise<readonly SourcePath[]> {
  const { exec, restore } = host;
  const hasChanged = sources.some(({ steps }) => steps.length > 0);
  // With an interface, and with its last address, the kernel removes its routes.
  const network = hasChanged ? await observeNetwork(exec) : observed.network;
  const paths = await Promise.all(
    sources.map(async (source) => {
      const { driver, collision, nearEnd, missing, overheadBytes } = source;
      const { observed: seen, failure } =
        source.steps.length > 0 ? await lookAt(driver, network.interfaces) : source;
      const { name, device } = driver;
      const isSeen = failure === undefined;
      const stopped = failures.get(device) ?? failure;
      const told = { name, device, collision, nearEnd, missing, overheadBytes };
      return { ...told, observed: seen, isSeen, failure: stopped };
    }),
  );
  const carrying = paths.flatMap(({ device, observed: own }) =>
    own.kind === 'present' ? [{ name: device, families: findFamilies(own.addresses) }] : [],
  );
  if (carrying.length === 0) return paths;
  const hasIpv6 = carrying.some(({ families }) => families.includes(6));
  await reconcileSysctls(restore, listSysctls(layout, { hasIpv6 }));
  const commands = planRouting(composeRouting(layout, carrying, composed.detours), network);
  await applyIpCommands(exec, commands, 'setting the routes');
  return paths;
}

/** The result of a pass. */
interface Outcome extends HeldLine {
  readonly fence: Fence;
  /** True where the table of denied destinations is as wanted. */
  readonly isDenied: boolean;
  readonly paths: readonly SourcePath[];
}

function toDataPath(
  { composed, observed }: Pass,
  { layout, way, fence, isDenied, paths }: Outcome,
): DataPath {
  const isThere = (name: string) =>
    paths.some(({ device, observed: own }) => device === name && own.kind === 'present');
  return {
    ...fence,
    isFenced: fence.isFenced && isDenied,
    uplink: layout.uplink,
    router: chooseRouter(observed.network, layout.uplink),
    routers: (observed.network.routers ?? []).filter(
      (router) => router.interface === layout.uplink,
    ),
    strays: listStrays(observed.network, layout.uplink),
    sources: paths,
    strict: layout.devices.filter(({ isStrict }) => isStrict).map(({ name }) => name),
    isDenying: composed.denied.groups.some(
      ({ devices, lists }) => devices.length > 0 && lists.length > 0,
    ),
    way,
    probes: layout.probes.filter(({ device }) => isThere(device)),
  };
}
