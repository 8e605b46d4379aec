import { observeTable } from '../../data-path/observe.ts';
import { type DataPath, reconcileDataPath } from '../../data-path/reconcile.ts';
import type { SegmentCount } from '../../data-path/segment-count.ts';
import { toCountedUplink } from '../../data-path/segment-reader.ts';
import type { SelfTest } from '../../data-path/self-test.ts';
import { type DataPathHost, readTotals } from '../../data-path/state.ts';
import type { UsageAccounting } from '../../data-path/usage-accounting.ts';
import { TributaryError, toFailure } from '../../errors/codes.ts';
import { continueProblem } from '../../health/problem.ts';
import type { Source, SourceWanted } from '../../source/source.ts';
import type { Sections, Shared } from '../state.ts';
import { gatherDesired, type ScheduledMode } from './desired-data-path.ts';
import type { GateKeeper } from './gate-keeper.ts';
import type { KernelWatch } from './kernel-watch.ts';
import type { Meter } from './meter.ts';
import { noteSelfTest } from './note-self-test.ts';
import {
  explainSource,
  type FoundWrong,
  noteSilence,
  noteWrong,
  nothingNoted,
} from './note-sources.ts';
import { noteWay } from './note-way.ts';
import {
  listDevices,
  type ObservePassParts,
  observePass,
  type PassObservation,
} from './observe-pass.ts';

export interface PassParts
  extends ObservePassParts,
    Pick<Shared, 'wakeups' | 'now'>,
    Pick<Sections, 'path'> {
  readonly host: DataPathHost;
  readonly watch: ObservePassParts['watch'] & Pick<KernelWatch, 'takeFenceChange'>;
  readonly gate: Pick<GateKeeper, 'takeLimit' | 'openOrClose'>;
  readonly usage: UsageAccounting;
  readonly meter: Pick<Meter, 'take'>;
  readonly selfTest: Pick<SelfTest, 'review'>;
  readonly segments: SegmentCount;
  readonly refreshDenied: () => Promise<void>;
  /** Called in each pass once the fence is there; long lists may still have to be filled in. */
  readonly onFence: () => void;
  readonly scheduledMode: ScheduledMode;
}

/**
 * One pass of the data path: observe, reconcile, publish; then the permit is granted or ended. It
 * may be cut short anywhere and run again. Where it throws, nothing was opened, and the permit that
 * the kernel holds runs out.
 * @throws command-failed, missing-program, state-unreadable, state-unwritable
 */
export async function runPass(parts: PassParts): Promise<void> {
  const { state, path, usage } = parts;
  // Nothing is opened before it is known what of the cap is used up, and what the owner set by
  // hand.
  if (path.observed === undefined) await Promise.all([usage.load(), state.overrides.load()]);
  const sources = state.sources.all;
  const wanted = await Promise.all(sources.map(askSource));
  await parts.refreshDenied();

  // Kept in the state: a pass that fails must not forget that a stranger has changed the table.
  if (parts.watch.takeFenceChange() && path.observed !== undefined)
    path.observed = { ...path.observed, record: undefined };
  const found = await observePass(parts);
  // A vouched table is an older one, which was corrected when it was read.
  const counted = found.host.isVouched
    ? found.host.table
    : await parts.segments.correct(found.host.table);
  const totals = readTotals(counted);
  usage.take(totals);

  const { desired: wish, limit } = await gatherDesired({
    config: state.configuration.config,
    wishes: wanted.map(({ wish }) => wish),
    denied: state.denied.lists,
    badAddresses: state.denied.badAddresses,
    publicAddresses: state.outside.addresses,
    usage,
    overrides: state.overrides,
    scheduledMode: parts.scheduledMode,
    now: parts.now(),
  });
  parts.gate.takeLimit(limit);
  const desired = {
    ...wish,
    mostPerByte: parts.segments.mostPerByte(),
    ...(totals && { unread: { bytes: parts.segments.unreadBytes(counted), at: totals } }),
  };
  const table = found.host.isVouched ? counted : await parts.segments.allow(counted, desired);
  const { onFence } = parts;
  const dataPath = await reconcileDataPath(parts.host, desired, { ...found.host, table, onFence });
  const uplink = toCountedUplink(found.host.network.interfaces, dataPath.uplink);
  const ways = { devices: listDevices(parts), uplink };
  await parts.segments.begin(ways, () => observeTable(parts.host.exec));

  publish(parts, found, dataPath);
  noteProblems(parts, dataPath, await settle(sources, wanted));
  // A disk that takes nothing stops no traffic: the count goes on in the kernel and in memory.
  note(parts, 'usageProblem', await usage.keep().catch(toFailure('state-unwritable')));
  reviewSelfTest(parts, found, dataPath);
  path.openUntilMs = await parts.gate.openOrClose(dataPath);
}

/**
 * Puts what stopped a pass into the state. It concerns every source: what stops one alone is in
 * what the pass found.
 */
export function noteFailure(parts: Pick<PassParts, 'path' | 'now'>, failure: TributaryError): void {
  note(parts, 'gatewayProblem', failure);
}

/** What a source wants. One that cannot say keeps its device, and stops no other. */
async function askSource(source: Source): Promise<SourceWanted> {
  const wanted = await source.wanted().catch(toFailure());
  if (!(wanted instanceof TributaryError)) return wanted;
  return { wish: { kind: 'untouched', device: source.driver.device }, problem: wanted };
}

/** Each source's problem, by its device: why it wants less than it should, or could not settle. */
async function settle(
  sources: readonly Source[],
  wanted: readonly SourceWanted[],
): Promise<ReadonlyMap<string, TributaryError | undefined>> {
  const problems = new Map(wanted.map(({ wish, problem }) => [wish.device, problem]));
  for (const source of sources) {
    const { device } = source.driver;
    const failure = await source.settle().catch(toFailure());
    if (failure instanceof TributaryError) problems.set(device, problems.get(device) ?? failure);
  }
  return problems;
}

/** Puts what the pass found and made into the state, and wakes who waits for a change in it. */
function publish(parts: PassParts, { host, tableRead }: PassObservation, dataPath: DataPath): void {
  const { path, wakeups, now } = parts;
  if (path.observed?.router !== dataPath.router) wakeups.outside.notify();
  path.observed = dataPath;
  path.tableRead = tableRead;
  path.uplinkMissingSince =
    dataPath.uplink === undefined ? (path.uplinkMissingSince ?? now()) : undefined;
  path.wayNotes = noteWay(path.wayNotes, dataPath, now());
  parts.meter.take({ ...dataPath, table: findNewTable(host, dataPath) });
}

/** undefined where the table is the vouched one: what it counted since, a sample may have read. */
function findNewTable(host: PassObservation['host'], { table }: DataPath): DataPath['table'] {
  return host.isVouched && table === host.table ? undefined : table;
}

function reviewSelfTest(parts: PassParts, { host }: PassObservation, dataPath: DataPath): void {
  const { path, selfTest, now } = parts;
  if (findNewTable(host, dataPath) === undefined) return;
  const tested = selfTest.review(dataPath);
  const isOutdated = dataPath.record !== host.record;
  if (tested !== undefined)
    path.selfTest = noteSelfTest(path.selfTest, { ...tested, isOutdated }, now());
}

function noteProblems(
  parts: PassParts,
  { sources, strict, isFenced }: DataPath,
  problems: ReadonlyMap<string, TributaryError | undefined>,
): void {
  for (const source of sources) {
    noteSource(parts, source.name, explainSource(source, problems.get(source.device)));
  }
  const { path, state, now } = parts;
  for (const source of state.sources.all) {
    const { name } = source.driver;
    const notes = noteSilence(path.sourceNotes?.[name] ?? nothingNoted, source.report(), now());
    path.sourceNotes = { ...path.sourceNotes, [name]: notes };
  }
  const unfenced = new TributaryError(
    'gateway-failed',
    'the kernel did not take the firewall as it was given',
  );
  const { missing, missingBad } = parts.state.denied;
  const unread = missing ?? (strict.length > 0 ? missingBad : undefined);
  note(parts, 'gatewayProblem', isFenced ? unread : unfenced);
}

function noteSource(
  { path, now }: Pick<PassParts, 'path' | 'now'>,
  name: string,
  found: FoundWrong,
): void {
  const notes = noteWrong(path.sourceNotes?.[name] ?? nothingNoted, found, now());
  path.sourceNotes = { ...path.sourceNotes, [name]: notes };
}

type Topic = 'gatewayProblem' | 'usageProblem';

function note({ path, now }: Pick<PassParts, 'path' | 'now'>, topic: Topic, error: unknown): void {
  path[topic] = continueProblem(path[topic], error, now());
}
