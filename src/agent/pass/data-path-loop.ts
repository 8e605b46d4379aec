import { observeHost } from '../../data-path/observe.ts';
import { holdsPermit, isPermitHeld } from '../../data-path/permit.ts';
import { type DataPath, reconcileDataPath } from '../../data-path/reconcile.ts';
import type { SelfTest } from '../../data-path/self-test.ts';
import { readTotals } from '../../data-path/state.ts';
import type { UsageAccounting } from '../../data-path/usage-accounting.ts';
import type { Phase } from '../../health/phase.ts';
import { continueProblem } from '../../health/problem.ts';
import { hasCode, TributaryError, toFailure } from '../../lib/errors.ts';
import { decideLineLimit } from '../../provide/line-limit.ts';
import { moveEndpoint } from '../../source/wireguard/apply.ts';
import type { TunnelSource } from '../../source/wireguard/current-tunnel.ts';
import { isHandshakeOverdue } from '../../source/wireguard/fresh-handshake.ts';
import type { NftTable } from '../../system/nft.ts';
import type { Sections } from '../state.ts';
import { planDataPath } from './desired-data-path.ts';
import { createGateKeeper, type GateKeeper, type GateKeeperParts } from './gate-keeper.ts';
import type { KernelWatch } from './kernel-watch.ts';
import type { Meter } from './meter.ts';
import { isSelfTestDue, noteSelfTest } from './note-self-test.ts';
import { choosePassIntervalMs } from './pass-interval.ts';

export interface DataPathLoopParts extends GateKeeperParts, Pick<Sections, 'path'> {
  readonly selfTest: SelfTest;
  readonly watch: Pick<KernelWatch, 'takeFenceChange' | 'begin' | 'observeNetwork' | 'vouchesFor'>;
  readonly usage: UsageAccounting;
  readonly meter: Pick<Meter, 'take' | 'whilePassing'>;
  readonly tunnelSource: TunnelSource;
  readonly refreshDenied: () => Promise<void>;
  readonly notePhase: () => Phase;
}

/** So long after a change, the first handshake with a new key is overdue too. */
const ringAfterMs = 10_000;
/** More than WireGuard sends on its own between two readings of the table. */
const quietBytes = 16_384;
/** WireGuard makes no two in this time: the same handshake by a clock that was set is no other. */
const sameHandshakeMs = 60_000;

/** Keeps tunnel, gateway and permit as they should be. */
export function createDataPathLoop(given: DataPathLoopParts) {
  const parts = { ...given, gate: createGateKeeper(given) };
  const { state, path } = parts;
  let changedAtMs = Number.NEGATIVE_INFINITY;
  let before = '';
  // The service's first tick waits for the fence, or for the failure to make one.
  let waiting = [() => parts.wakeups.service.notify()];
  /**
   * The other end may expect a new key: asks the service once a handshake, unless it said no or
   * when to come.
   */
  const ringService = () => {
    const { tunnel } = parts.facts();
    const { signInProblem, registrationProblem, problem } = state.service;
    const { code } = signInProblem ??
      registrationProblem ??
      problem ?? { code: 'service-unreachable' };
    if (tunnel.backend === undefined || code !== 'service-unreachable') return;
    const handshakeMs = tunnel.lastHandshakeAt?.getTime() ?? 0;
    const isRung = path.rungForMs !== undefined && handshakeMs < path.rungForMs + sameHandshakeMs;
    if (isRung || !isHandshakeOverdue(tunnel, parts.now())) return;
    path.rungForMs = handshakeMs;
    parts.wakeups.service.notify();
  };
  const takeWaiting = () => {
    const served = waiting;
    waiting = [];
    // Who asked for a pass is told what is, not what was.
    if (served.length > 0) path.tableRead = undefined;
    return served;
  };
  /** One pass, and its probes; resolves with the time until the next is due (ms). */
  const tick = async () => {
    const served = takeWaiting();
    // Where it fails nothing was opened: the permit that the kernel holds runs out.
    const failure = await pass(parts).catch(toFailure());
    if (failure) noteFailure(parts, failure);
    const phase = parts.notePhase();
    for (const serve of served) serve();
    if (failure === undefined) await parts.selfTest.send();
    const tunnel = path.observed?.tunnel.kind;
    if (`${phase} ${tunnel}` !== before) changedAtMs = performance.now();
    before = `${phase} ${tunnel}`;
    if (performance.now() - changedAtMs > ringAfterMs) ringService();
    const isTestDue = hasDueTest(path);
    if (phase === 'providing' && !isTestDue) parts.watch.begin();
    return choosePassIntervalMs({
      phase,
      isHandshakeDue: tunnel === 'present' && state.counters.lastHandshakeAt?.() === undefined,
      isSelfTestDue: isTestDue,
      unchangedMs: performance.now() - changedAtMs,
      permitSeconds: state.configuration.config.gateway.permit_seconds,
    });
  };
  /**
   * Resolves when the change is written, and a pass that began after it is done. Mode none is in
   * force before that.
   */
  const enforce = async (change: Promise<void> = Promise.resolve()) => {
    const closing = parts.gate.chooseMode() === 'none' ? parts.gate.closeNow() : undefined;
    const passed = new Promise<void>((resolve) => {
      waiting.push(resolve);
      parts.wakeups.dataPath.notify();
    });
    try {
      await change;
    } finally {
      await Promise.all([passed, closing]);
    }
  };
  // A reading beside it could see half of the probes as refused packets.
  return { tick: () => parts.meter.whilePassing(tick), enforce };
}

function hasDueTest({ observed, selfTest }: DataPathLoopParts['path']): boolean {
  return (
    observed?.tunnel.kind === 'present' && observed.probes.length > 0 && isSelfTestDue(selfTest)
  );
}

async function pass(parts: DataPathLoopParts & { readonly gate: GateKeeper }): Promise<void> {
  const { state, path, host, usage, now } = parts;
  const { config } = state.configuration;
  // Nothing is opened before it is known what of the cap is used up, and what the owner set by
  // hand.
  if (path.observed === undefined) await Promise.all([usage.load(), state.overrides.load()]);
  const { tunnel, refusal } = await parts.tunnelSource.current();
  await parts.refreshDenied();
  const { lists } = state.denied;
  if (parts.watch.takeFenceChange() && path.observed !== undefined)
    path.observed = { ...path.observed, record: undefined };
  const record = path.observed?.record;
  const isDenying = lists.length > 0 || path.observed?.isDenying !== false;
  const { observeNetwork: readNetwork } = parts.watch;
  const { interface: tunnelInterface } = config.tunnel;
  const seen = findVouchedTable(parts);
  const found = await observeHost(host.exec, { tunnelInterface, isDenying, seen, readNetwork });
  const observed = { ...found, record, isVouched: seen !== undefined };
  usage.take(readTotals(observed.table));
  await decideLimit(parts);
  const desired = planDataPath({
    config,
    tunnel,
    keepaliveSeconds: state.service.keepaliveSeconds,
    denied: lists,
    publicAddresses: state.outside.addresses,
    usage,
    limit: state.mode.limit,
  });
  const dataPath = await reconcileDataPath(host, desired, observed);
  if (path.observed?.router !== dataPath.router) parts.wakeups.outside.notify();
  path.observed = dataPath;
  path.uplinkMissingSince =
    dataPath.uplink === undefined ? (path.uplinkMissingSince ?? now()) : undefined;
  // What was counted meanwhile, a sample may have read.
  const table = dataPath.table === seen ? undefined : dataPath.table;
  parts.meter.take({ ...dataPath, table });
  const { rxBytes, txBytes } = state.counters.tunnel ?? { rxBytes: 0, txBytes: 0 };
  const tunnelBytes = rxBytes + txBytes;
  if (seen === undefined) path.tableRead = { atMs: performance.now(), tunnelBytes };
  else if (!(await isAsRead(parts, tunnelBytes))) return pass(parts);
  await refreshEndpoint(parts);
  noteProblems(parts, dataPath, refusal);
  // A disk that takes nothing stops no traffic: the count goes on in the kernel and in memory.
  note(parts, 'usageProblem', await usage.keep().catch(toFailure('state-unwritable')));
  const tested = table && parts.selfTest.review({ ...dataPath, tunnelInterface });
  const isOutdated = dataPath.record !== record;
  if (tested !== undefined)
    path.selfTest = noteSelfTest(path.selfTest, { ...tested, isOutdated }, now());
  path.openUntilMs = await parts.gate.openOrClose(dataPath.table);
}

/**
 * The table as the pass before left it, where it shows a permit that goes on and nothing of it is
 * waited for; else undefined.
 */
function findVouchedTable({ path, usage, watch }: DataPathLoopParts): NftTable | undefined {
  const { table, record } = path.observed ?? {};
  const isOpen = (path.openUntilMs ?? 0) > performance.now() && holdsPermit(table);
  const isAwaited =
    usage.stopAtBytes() !== undefined || hasDueTest(path) || path.selfTest?.failure !== undefined;
  return isOpen && !isAwaited && record && watch.vouchesFor(path.tableRead?.atMs)
    ? table
    : undefined;
}

/**
 * True where the permit is held, and the tunnel carried no more since the table was read than
 * WireGuard sends on its own.
 */
async function isAsRead({ path, host }: DataPathLoopParts, tunnelBytes: number): Promise<boolean> {
  const carriedBytes = Math.abs(tunnelBytes - (path.tableRead?.tunnelBytes ?? 0));
  if (carriedBytes <= quietBytes && (await isPermitHeld(host.exec))) return true;
  path.tableRead = undefined;
  return false;
}

/** What holds on the line from this pass on: known before anything is opened. */
async function decideLimit({ state, mode, scheduledMode, now }: DataPathLoopParts): Promise<void> {
  const scheduled = await scheduledMode(now());
  mode.limit = decideLineLimit({
    configured: state.configuration.config.provide.rate_limit,
    schedule: scheduled?.rateLimit,
    override: { line: state.overrides.current()?.limitBitsPerSecond },
  });
}

/**
 * A peer that went silent may have moved: its name is asked for again, and the tunnel pointed at
 * the new address.
 */
async function refreshEndpoint({
  state,
  host,
  tunnelSource,
  now,
}: DataPathLoopParts): Promise<void> {
  if (state.path.observed?.tunnel.kind !== 'present' || state.contact.isReachable === undefined)
    return;
  const moved = await tunnelSource.resolveAgain(state.counters.lastHandshakeAt?.(), now());
  if (moved === undefined) return;
  await moveEndpoint(host.exec, {
    interface: state.configuration.config.tunnel.interface,
    ...moved,
  });
}

function noteProblems(
  parts: DataPathLoopParts,
  { collision, missing, isFenced }: DataPath,
  refusal: TributaryError | undefined,
): void {
  const noIpv6 = missing && new TributaryError('no-ipv6', withoutIpv6[missing]);
  const collides = `the tunnel's address ${collision} lies in a network that this device is in`;
  const collided = collision && new TributaryError('address-collision', collides);
  note(
    parts,
    'tunnelProblem',
    refusal ?? collided ?? (missing === 'everything' ? noIpv6 : undefined),
  );
  note(parts, 'shortfall', missing === 'ipv6' ? noIpv6 : undefined);
  const unfenced = new TributaryError(
    'gateway-failed',
    'the kernel did not take the firewall as it was given',
  );
  note(parts, 'gatewayProblem', isFenced ? parts.state.denied.missing : unfenced);
}

const withoutIpv6 = {
  ipv6: "IPv6 is switched off here: the tunnel's IPv6 address is left out, and IPv4 is provided",
  everything: 'the service issued a tunnel for IPv6 alone, and IPv6 is switched off here',
} as const;

type Topic = 'tunnelProblem' | 'shortfall' | 'gatewayProblem' | 'usageProblem';

function noteFailure(parts: DataPathLoopParts, failure: TributaryError): void {
  note(parts, hasCode(failure, 'tunnel-failed') ? 'tunnelProblem' : 'gatewayProblem', failure);
}

function note({ path, now }: DataPathLoopParts, topic: Topic, error: unknown): void {
  path[topic] = continueProblem(path[topic], error, now());
}
