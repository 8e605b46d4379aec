import { mayForward, type Obstacle } from '../provide/may-forward.ts';
import type { Facts, Pause } from './facts.ts';
import { readForwardFacts } from './forward-facts.ts';
import type { Problem } from './problem.ts';
import { isForOwner, type ReasonCode, toAction } from './reasons.ts';

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

interface Reason {
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

export function toPhase(facts: Facts, now: Date): PhaseReport {
  const { phase, causes } = decide(facts, now);
  const notes = phase === 'stopping' ? [] : toNotes(facts, phase);
  const seen = new Set<ReasonCode>();
  const reasons = [...causes, ...notes].filter(({ code }) => !seen.has(code) && seen.add(code));
  return { phase, reasons };
}

function decide(facts: Facts, now: Date): Verdict {
  if (facts.stoppingSince !== undefined) {
    return { phase: 'stopping', causes: [toReason('stopping', 'The agent is stopping.', facts.stoppingSince)] };
  }
  const { permit, reasons: obstacles } = mayForward(readForwardFacts(facts, now));
  const connecting = explainConnecting(facts, obstacles);
  // Packets do pass, or would if the mode let them: a problem beside that is a note, not a stop.
  const isWorking = !obstacles.includes('not-registered') && connecting.length === 0;
  if (facts.stateProblem !== undefined && !isWorking) {
    return { phase: 'blocked', causes: toReasons(facts.stateProblem, facts.signInProblem) };
  }
  if (obstacles.includes('signed-out')) {
    return { phase: 'signed-out', causes: [...toReasons(facts.signInProblem), ...toBlockers(facts, isWorking)] };
  }
  const blockers = toBlockers(facts, isWorking);
  if (blockers.length > 0) return { phase: 'blocked', causes: blockers };
  if (obstacles.includes('not-registered')) return { phase: 'registering', causes: toRegistering(facts) };
  if (obstacles.includes('cap-reached')) return { phase: 'paused', causes: toReasons(facts.provide.pause) };
  if (connecting.length > 0) return { phase: 'connecting', causes: connecting };
  if (obstacles.includes('gateway-disabled')) {
    const message = 'Forwarding is switched off in the configuration.';
    return { phase: 'idle', causes: [toReason('gateway-disabled', message, facts.startedAt)] };
  }
  return { phase: permit ? 'providing' : 'idle', causes: [] };
}

/** What somebody has to mend. A gateway that cannot be trusted is always one, also while packets still pass. */
function toBlockers(facts: Facts, isWorking: boolean): readonly Reason[] {
  const isUplinkMissing = facts.gateway.uplinkMissingSince !== undefined;
  const others = isWorking ? [] : [facts.registrationProblem, facts.tunnel.problem].filter(isOwners);
  return toReasons(...others, facts.gateway.problem).filter(
    ({ code }) => !(isUplinkMissing && (followFromNoUplink.has(code) || !isForOwner(code))),
  );
}

function toRegistering(facts: Facts): readonly Reason[] {
  const path = toPathProblem(facts);
  if (path !== undefined) return [path];
  const trouble = toReasons(facts.registrationProblem, facts.service.lastError);
  if (trouble.length > 0) return trouble;
  return [toReason('registering', 'The service is being asked to register this device.', facts.startedAt)];
}

/** What the tunnel and the gateway still wait for; empty where packets pass, or would if the mode let them. */
function explainConnecting(facts: Facts, obstacles: readonly Obstacle[]): readonly Reason[] {
  const { gateway, provide, startedAt, tunnel } = facts;
  if (gateway.uplinkMissingSince !== undefined) return [toNoUplink(gateway.uplinkMissingSince)];
  // Without an uplink that is known to be missing, nobody has looked for one yet.
  if (obstacles.includes('no-tunnel') || obstacles.includes('no-uplink')) {
    const waiting = toReasons(tunnel.problem);
    return waiting.length > 0 ? waiting : [toReason('tunnel-starting', 'The tunnel is being made.', startedAt)];
  }
  if (obstacles.includes('no-handshake')) {
    const path = toPathProblem(facts);
    return [...(path === undefined ? [] : [path]), ...toReasons(tunnel.problem), toNoHandshake(facts)];
  }
  if (obstacles.includes('undecided')) return [toReason('starting', 'The mode is being decided.', startedAt)];
  if (gateway.isEnabled && !gateway.isOpen && provide.effective !== 'none') {
    return [toReason('gateway-starting', 'The firewall is being put in place; nothing passes yet.', startedAt)];
  }
  return [];
}

/** Between here and the service: no uplink at all, else an unreachable service. */
function toPathProblem(facts: Facts): Reason | undefined {
  if (facts.gateway.uplinkMissingSince !== undefined) return toNoUplink(facts.gateway.uplinkMissingSince);
  if (facts.service.isReachable !== false) return undefined;
  const { lastError, lastContactAt } = facts.service;
  if (lastError !== undefined) return toReasons(lastError)[0];
  const message = `The service at ${facts.service.baseUrl} cannot be reached.`;
  return toReason('service-unreachable', message, lastContactAt ?? facts.startedAt);
}

/** What deserves a word and stops nothing. */
function toNotes(facts: Facts, phase: Phase): readonly Reason[] {
  const always = toReasons(facts.configurationProblem, facts.stateProblem);
  if (phase === 'signed-out') return always;
  const path = toPathProblem(facts);
  const isWorking = phase === 'providing' || phase === 'idle';
  const passing = isWorking
    ? toReasons(
        facts.registrationProblem,
        facts.tunnel.problem,
        facts.tunnel.shortfall,
        facts.provide.confirmationProblem,
      )
    : [];
  return [...(path === undefined ? [] : [path]), ...passing, ...always];
}

function toNoUplink(since: Date): Reason {
  return toReason('no-uplink', 'This device has no way to the Internet: no default route.', since);
}

function toNoHandshake({ tunnel, startedAt }: Facts): Reason {
  const message = `The tunnel's other end${tunnel.endpoint === undefined ? '' : ` (${tunnel.endpoint})`} does not answer.`;
  return toReason('no-handshake', message, tunnel.lastHandshakeAt ?? startedAt);
}

function isOwners(problem: Problem | undefined): boolean {
  return problem !== undefined && isForOwner(problem.code);
}

function toReasons(...problems: readonly (Problem | Pause | undefined)[]): readonly Reason[] {
  return problems.flatMap((problem) =>
    problem === undefined ? [] : toReason(problem.code, problem.message, problem.since),
  );
}

function toReason(code: ReasonCode, message: string, since: Date): Reason {
  return { code, message, action: toAction(code), since };
}
