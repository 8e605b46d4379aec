import { mayForward, type Obstacle } from '../provide/may-forward.ts';
import type { Facts, Pause } from './facts.ts';
import { readForwardFacts } from './forward-facts.ts';
import type { Problem } from './problem.ts';
import { findAction, isForOwner, type ReasonCode } from './reasons.ts';

/** What the agent is doing. Computed from facts each time, never stored. */
export const phases = [
  'signed-out',
  'registering',
  'connecting',
  'providing',
  'idle',
  'paused',
  'blocked',
  'stopping',
] as const;
export type Phase = (typeof phases)[number];

export interface Reason {
  readonly code: ReasonCode;
  readonly message: string;
  /** What the owner can do, one line. */
  readonly action: string;
  readonly since: Date;
}

/** The phase and why. In `providing` and `idle` the reasons are notes: nothing that stands in the way. */
export interface PhaseReport {
  readonly phase: Phase;
  /** The root cause first; what merely follows from it is left out. */
  readonly reasons: readonly Reason[];
}

interface Verdict {
  readonly phase: Phase;
  readonly causes: readonly Reason[];
}

/** Codes that mean nothing of their own while the device has no uplink at all. */
const followFromNoUplink: ReadonlySet<ReasonCode> = new Set(['tunnel-failed', 'gateway-failed', 'command-failed']);

export function judgePhase(facts: Facts, now: Date): PhaseReport {
  const { phase, causes } = decide(facts, now);
  const notes = phase === 'stopping' ? [] : collectNotes(facts, phase);
  const seen = new Set<ReasonCode>();
  const reasons = [...causes, ...notes].filter(({ code }) => !seen.has(code) && seen.add(code));
  return { phase, reasons };
}

function decide(facts: Facts, now: Date): Verdict {
  if (facts.stoppingSince !== undefined) {
    return { phase: 'stopping', causes: [createReason('stopping', 'The agent is stopping.', facts.stoppingSince)] };
  }
  const { permit, reasons: obstacles } = mayForward(readForwardFacts(facts, now));
  const connecting = explainConnecting(facts, obstacles);
  // Packets do pass, or would if the mode let them: a problem beside that is a note, not a stop.
  const isWorking = !obstacles.includes('not-registered') && connecting.length === 0;
  const beside = isWorking ? [] : [facts.registrationProblem, facts.tunnel.problem].filter(isOwners);
  const blockers = findBlockers(facts, beside);
  if (facts.stateProblem !== undefined && !isWorking) {
    return { phase: 'blocked', causes: collectReasons(facts.stateProblem, facts.signInProblem) };
  }
  if (obstacles.includes('signed-out')) {
    return { phase: 'signed-out', causes: [...collectReasons(facts.signInProblem), ...blockers] };
  }
  if (blockers.length > 0) return { phase: 'blocked', causes: blockers };
  if (obstacles.includes('not-registered')) return { phase: 'registering', causes: explainRegistering(facts) };
  if (obstacles.includes('cap-reached')) return { phase: 'paused', causes: collectReasons(facts.provide.pause) };
  if (connecting.length > 0) return { phase: 'connecting', causes: connecting };
  if (obstacles.includes('gateway-disabled')) {
    const message = 'Forwarding is switched off in the configuration.';
    return { phase: 'idle', causes: [createReason('gateway-disabled', message, facts.startedAt)] };
  }
  return { phase: permit ? 'providing' : 'idle', causes: [] };
}

/** What the owner has to fix. A gateway that cannot be trusted is always one, also while packets still pass. */
function findBlockers(facts: Facts, beside: readonly (Problem | undefined)[]): readonly Reason[] {
  const isUplinkMissing = facts.gateway.uplinkMissingSince !== undefined;
  return collectReasons(...beside, facts.gateway.problem, facts.gateway.selfTest.failure).filter(
    ({ code }) => !(isUplinkMissing && (followFromNoUplink.has(code) || !isForOwner(code))),
  );
}

function explainRegistering(facts: Facts): readonly Reason[] {
  const path = findPathProblem(facts);
  if (path !== undefined) return [path];
  const trouble = collectReasons(facts.registrationProblem, facts.service.lastError);
  if (trouble.length > 0) return trouble;
  return [createReason('registering', 'The service is being asked to register this device.', facts.startedAt)];
}

/** What the tunnel and the gateway still wait for; empty where packets pass, or would if the mode let them. */
function explainConnecting(facts: Facts, obstacles: readonly Obstacle[]): readonly Reason[] {
  const { gateway, provide, startedAt, tunnel } = facts;
  if (gateway.uplinkMissingSince !== undefined) return [createNoUplinkReason(gateway.uplinkMissingSince)];
  // Without an uplink that is known to be missing, nobody has looked for one yet.
  if (obstacles.includes('no-tunnel') || obstacles.includes('no-uplink')) {
    const waiting = collectReasons(tunnel.problem);
    return waiting.length > 0 ? waiting : [createReason('tunnel-starting', 'The tunnel is being made.', startedAt)];
  }
  if (obstacles.includes('no-handshake')) {
    const path = findPathProblem(facts);
    return [...(path === undefined ? [] : [path]), ...collectReasons(tunnel.problem), createNoHandshakeReason(facts)];
  }
  if (obstacles.includes('undecided')) return [createReason('starting', 'The mode is being decided.', startedAt)];
  if (gateway.isEnabled && !gateway.isOpen && provide.effective !== 'none') {
    return [createReason('gateway-starting', 'The firewall is being put in place; nothing passes yet.', startedAt)];
  }
  return [];
}

/** Between here and the service: no uplink at all, else an unreachable service. */
function findPathProblem(facts: Facts): Reason | undefined {
  if (facts.gateway.uplinkMissingSince !== undefined) return createNoUplinkReason(facts.gateway.uplinkMissingSince);
  if (facts.service.isReachable !== false) return undefined;
  const { lastError, lastContactAt } = facts.service;
  if (lastError !== undefined) return collectReasons(lastError)[0];
  const message = `The service at ${facts.service.baseUrl} cannot be reached.`;
  return createReason('service-unreachable', message, lastContactAt ?? facts.startedAt);
}

/** What deserves a word and stops nothing. */
function collectNotes(facts: Facts, phase: Phase): readonly Reason[] {
  const always = collectReasons(facts.configurationProblem, facts.stateProblem, facts.gateway.listProblem);
  if (phase === 'signed-out') return always;
  const path = findPathProblem(facts);
  const isWorking = phase === 'providing' || phase === 'idle';
  const passing = isWorking
    ? collectReasons(
        facts.registrationProblem,
        facts.tunnel.problem,
        facts.tunnel.shortfall,
        facts.gateway.selfTest.note,
        facts.provide.confirmationProblem,
        facts.gateway.outsideProblem,
      )
    : [];
  return [...(path === undefined ? [] : [path]), ...passing, ...always];
}

function createNoUplinkReason(since: Date): Reason {
  return createReason('no-uplink', 'This device has no way to the Internet: no default route.', since);
}

function createNoHandshakeReason({ tunnel, startedAt }: Facts): Reason {
  const message = `The tunnel's other end${tunnel.endpoint === undefined ? '' : ` (${tunnel.endpoint})`} does not answer.`;
  return createReason('no-handshake', message, tunnel.lastHandshakeAt ?? startedAt);
}

function isOwners(problem: Problem | undefined): boolean {
  return problem !== undefined && isForOwner(problem.code);
}

function collectReasons(...problems: readonly (Problem | Pause | undefined)[]): readonly Reason[] {
  return problems.flatMap((problem) =>
    problem === undefined ? [] : createReason(problem.code, problem.message, problem.since),
  );
}

function createReason(code: ReasonCode, message: string, since: Date): Reason {
  return { code, message, action: findAction(code), since };
}
