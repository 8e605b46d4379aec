import type { SelfTest } from '../../data-path/self-test.ts';
import { toFailure } from '../../errors/codes.ts';
import type { Phase } from '../../health/phase.ts';
import type { Loop } from '../run-loop.ts';
import { createGateKeeper, type GateKeeperParts } from './gate-keeper.ts';
import type { KernelWatch } from './kernel-watch.ts';
import type { Meter } from './meter.ts';
import { hasDueTest } from './note-self-test.ts';
import { noteFailure, type PassParts, runPass } from './pass.ts';

export interface DataPathLoopParts extends Omit<PassParts, 'gate' | 'onFence'>, GateKeeperParts {
  readonly host: PassParts['host'];
  readonly selfTest: SelfTest;
  readonly watch: PassParts['watch'] & Pick<KernelWatch, 'begin'>;
  readonly meter: Pick<Meter, 'take' | 'whilePassing'>;
  readonly notePhase: () => Phase;
}

/** Keeps tunnel, gateway and permit as they should be. */
export interface DataPathLoop extends Loop {
  /**
   * Runs a pass and sends its probes. Resolves with the ms until the next pass is due. What stops a
   * pass becomes a problem in the state; only a bug is thrown.
   */
  tick(): Promise<number>;
  /**
   * Resolves when `change` is written and a pass that began after it is done. Mode none, and one
   * that the service still has to narrow down to, are in force earlier: the permit is ended at
   * once. The loop has to be running.
   * @throws what `change` throws
   */
  enforce(change?: Promise<void>): Promise<void>;
}

/** This long (ms) after a change, a source that was never alive may ask for the service too. */
const ringAfterMs = 10_000;
/**
 * A life that began later by less than this (ms) is the same one, seen by a clock that was set:
 * WireGuard makes no two handshakes within a minute.
 */
const sameLifeMs = 60_000;

/** Passes come far more often than this (ms). */
const maxSilenceMs = 120_000;

export function createDataPathLoop(given: DataPathLoopParts): DataPathLoop {
  // The first tick of the service's loop waits until there is a fence, or making one has failed.
  // While lists are filled after it, nothing is opened, and the service can be asked.
  let isServiceWoken = false;
  const onFence = () => {
    if (!isServiceWoken) given.wakeups.service.notify();
    isServiceWoken = true;
  };
  const parts = { ...given, gate: createGateKeeper(given), onFence };
  const { state, path } = parts;
  let changedAtMs = Number.NEGATIVE_INFINITY;
  let before = '';
  let waiting: (() => void)[] = [onFence];
  const takeWaiting = () => {
    const served = waiting;
    waiting = [];
    // A caller that asked for a pass is told the present state, so the table is read again.
    if (served.length > 0) path.tableRead = undefined;
    return served;
  };
  const tick = async () => {
    const served = takeWaiting();
    const failure = await runPass(parts).catch(toFailure());
    if (failure) {
      noteFailure(parts, failure);
      await parts.gate.reconsider();
    }
    const phase = parts.notePhase();
    for (const serve of served) serve();
    if (failure === undefined) await parts.selfTest.send();
    const devices = path.observed?.sources.map(({ observed }) => observed.kind).join();
    if (`${phase} ${devices}` !== before) changedAtMs = performance.now();
    before = `${phase} ${devices}`;
    if (performance.now() - changedAtMs > ringAfterMs) ringService(parts);
    const isSelfTestDue = hasDueTest(path);
    if (phase === 'providing' && !isSelfTestDue) parts.watch.begin();
    return choosePassIntervalMs({
      phase,
      isHandshakeDue: parts.facts().sources.some(({ isThere, life }) => isThere && !life),
      isSelfTestDue,
      isCapBusy: parts.segments.isBusy() && hasCap(state),
      unchangedMs: performance.now() - changedAtMs,
      permitSeconds: state.configuration.config.gateway.permit_seconds,
    });
  };
  return {
    // A reading during a pass could count some of the probes as refused packets.
    name: 'data path',
    wakeup: parts.wakeups.dataPath,
    maxSilenceMs,
    isOnBeat: true,
    tick: () => parts.meter.whilePassing(tick),
    async enforce(change = Promise.resolve()) {
      const closing = parts.gate.mustClose() ? parts.gate.closeNow() : undefined;
      const passed = new Promise<void>((resolve) => {
        waiting.push(resolve);
        parts.wakeups.dataPath.notify();
      });
      try {
        await change;
      } finally {
        await Promise.all([passed, closing]);
      }
    },
  };
}

/**
 * Asks the service where a source says that it should be, because the other end may expect a new
 * key. It is asked once for each life of the source, and not if it has refused or named a time.
 */
function ringService({ state, path, facts, wakeups }: DataPathLoopParts): void {
  const { signInProblem, registrationProblem, problem } = state.service;
  const { code } = signInProblem ??
    registrationProblem ??
    problem ?? { code: 'service-unreachable' };
  if (code !== 'service-unreachable') return;
  for (const { name, life, asksService } of facts().sources) {
    const sinceMs = life?.since.getTime() ?? 0;
    const rungForMs = path.rungForMs?.[name];
    const isRung = rungForMs !== undefined && sinceMs < rungForMs + sameLifeMs;
    if (isRung || !asksService) continue;
    path.rungForMs = { ...path.rungForMs, [name]: sinceMs };
    wakeups.service.notify();
  }
}

function hasCap({ configuration }: DataPathLoopParts['state']): boolean {
  return configuration.config.provide.cap !== undefined;
}

export interface PassSituation {
  readonly phase: Phase;
  /** True while the tunnel is up and its first handshake may come any moment. */
  readonly isHandshakeDue: boolean;
  /** True until the first self-test of the fence could be judged. */
  readonly isSelfTestDue: boolean;
  /** True with a cap while traffic passes. */
  readonly isCapBusy: boolean;
  /** Time in ms since phase or tunnel last changed. */
  readonly unchangedMs: number;
  readonly permitSeconds: number;
}

/** The ms between two passes while nothing is expected to change. */
const steadyMs = 20_000;
/**
 * The ms between two passes while each of them gives out what is left of the cap, and notes its use
 * ahead on the disk.
 */
const capBusyMs = 2_000;
/** The ms between two passes until the fence was tested. */
const selfTestMs = 1_000;

/**
 * The ms to the next pass: short where a change is expected, long where nothing happens, and a
 * third of the permit's time while a permit is needed.
 */
export function choosePassIntervalMs(situation: PassSituation): number {
  const { phase, isHandshakeDue, unchangedMs, permitSeconds } = situation;
  switch (phase) {
    case 'providing':
      return Math.min(
        situation.isSelfTestDue ? selfTestMs : situation.isCapBusy ? capBusyMs : steadyMs,
        (permitSeconds * 1000) / 3,
      );
    case 'idle':
    case 'paused':
    case 'stopping':
      return steadyMs;
    case 'signed-out':
    case 'registering':
    case 'connecting':
    case 'blocked':
      if (isHandshakeDue && unchangedMs < 15_000) return 250;
      return unchangedMs < 120_000 ? 3_000 : 10_000;
  }
}
