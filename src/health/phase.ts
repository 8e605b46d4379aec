import { formatBytes } from '../lib/units.ts';
import {
  explainSilent,
  explainStarting,
  listProblems,
  noteListing,
  noteSilent,
} from './explain-sources.ts';
import type { Facts } from './facts.ts';
import { mayForward, type Obstacle } from './may-forward.ts';
import { phaseTraits } from './phase-traits.ts';
import type { Problem } from './problem.ts';
import { findAction, isForOwner, type ReasonCode } from './reasons.ts';

/** What the agent is doing. It is computed from facts each time and never stored. */
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

export interface Reason extends Problem<ReasonCode> {
  readonly action: string;
}

/**
 * The phase and its reasons. In `providing` and `idle` the reasons are notes, which stop nothing.
 */
export interface PhaseReport {
  readonly phase: Phase;
  /** The root cause comes first; what merely follows from it is left out. */
  readonly reasons: readonly Reason[];
}

/** Codes that only follow from a missing uplink while the device has none. */
const followFromNoUplink: ReadonlySet<ReasonCode> = new Set([
  'tunnel-failed',
  'gateway-failed',
  'command-failed',
]);

export function judgePhase(facts: Facts, now: Date): PhaseReport {
  const { phase, reasons: causes } = decide(facts, now);
  const notes = phase === 'stopping' ? [] : collectNotes(facts, phase, now);
  const seen = new Set<ReasonCode>();
  const reasons = [...causes, ...notes].filter(({ code }) => !seen.has(code) && seen.add(code));
  return { phase, reasons };
}

function decide(facts: Facts, now: Date): PhaseReport {
  if (facts.stoppingSince !== undefined) {
    return {
      phase: 'stopping',
      reasons: [createReason('stopping', 'The agent is stopping.', facts.stoppingSince)],
    };
  }
  const { permit, reasons: obstacles } = mayForward(facts, { now, mode: facts.provide.effective });
  const connecting = explainConnecting(facts, obstacles, now);
  // Packets pass, or would if the mode let them, so any problem beside that is a note.
  const isWorking = !obstacles.includes('not-registered') && connecting.length === 0;
  const beside = collectReasons(facts.registrationProblem, ...listProblems(facts)).filter(
    ({ code }) => isForOwner(code),
  );
  const blockers = findBlockers(facts, isWorking ? [] : beside);
  if (facts.stateProblem !== undefined && !isWorking) {
    return { phase: 'blocked', reasons: collectReasons(facts.stateProblem, facts.signInProblem) };
  }
  if (obstacles.includes('signed-out')) {
    return { phase: 'signed-out', reasons: [...collectReasons(facts.signInProblem), ...blockers] };
  }
  if (blockers.length > 0) return { phase: 'blocked', reasons: blockers };
  if (obstacles.includes('not-registered'))
    return { phase: 'registering', reasons: explainRegistering(facts) };
  if (obstacles.includes('cap-reached'))
    return { phase: 'paused', reasons: collectReasons(facts.provide.pause) };
  if (connecting.length > 0) return { phase: 'connecting', reasons: connecting };
  if (obstacles.includes('gateway-disabled')) {
    const message = 'Forwarding is switched off in the configuration.';
    return { phase: 'idle', reasons: [createReason('gateway-disabled', message, facts.startedAt)] };
  }
  return { phase: permit ? 'providing' : 'idle', reasons: [] };
}

/**
 * What the owner has to fix. A gateway that cannot be trusted is always among it, even while
 * packets still pass.
 */
function findBlockers({ gateway }: Facts, beside: readonly Reason[]): readonly Reason[] {
  const isUplinkMissing = gateway.uplinkMissingSince !== undefined;
  return [...beside, ...collectReasons(gateway.problem, gateway.selfTest.failure)].filter(
    ({ code }) => !(isUplinkMissing && (followFromNoUplink.has(code) || !isForOwner(code))),
  );
}

function explainRegistering(facts: Facts): readonly Reason[] {
  const trouble = [...findPathProblem(facts), ...collectReasons(facts.registrationProblem)];
  if (trouble.length > 0) return trouble;
  return [
    createReason('registering', 'Registering this device with the service.', facts.startedAt),
  ];
}

/**
 * What the tunnel and the gateway still wait for; empty where packets pass, or would if the mode
 * let them.
 */
function explainConnecting(
  facts: Facts,
  obstacles: readonly Obstacle[],
  now: Date,
): readonly Reason[] {
  const { gateway, provide, startedAt } = facts;
  const isNone = provide.effective === 'none';
  if (gateway.uplinkMissingSince !== undefined) return findPathProblem(facts);
  // Without an uplink that is known to be missing, nobody has looked for one yet.
  if (obstacles.includes('no-device') || obstacles.includes('no-uplink')) {
    const waiting = collectReasons(...listProblems(facts));
    return waiting.length > 0 ? waiting : collectReasons(explainStarting(facts));
  }
  if (obstacles.includes('not-alive')) {
    const waiting = collectReasons(...listProblems(facts), ...explainSilent(facts, now));
    return [...findPathProblem(facts), ...waiting];
  }
  if (obstacles.includes('undecided'))
    return [createReason('starting', 'The mode is being decided.', startedAt)];
  // Where nothing is to pass anyway, the owner's pause is in force whatever the service has.
  if (gateway.isEnabled && !isNone && obstacles.includes('wider-at-service'))
    return [...collectReasons(provide.wider), ...findPathProblem(facts)];
  if (gateway.isEnabled && !gateway.isOpen && !isNone) {
    return [
      createReason(
        'gateway-starting',
        'The firewall is being put in place; nothing passes yet.',
        startedAt,
      ),
    ];
  }
  return [];
}

/**
 * Problems on the way to the service: a missing uplink, otherwise the last failed question,
 * whatever the failure was.
 */
function findPathProblem({ gateway, service, startedAt }: Facts): readonly Reason[] {
  if (gateway.uplinkMissingSince !== undefined) {
    const message = 'This device has no way to the Internet: no default route.';
    return [createReason('no-uplink', message, gateway.uplinkMissingSince)];
  }
  if (service.lastError !== undefined) return collectReasons(service.lastError);
  if (service.isReachable !== false) return [];
  const message = `The service at ${service.baseUrl} cannot be reached.`;
  return [createReason('service-unreachable', message, service.lastContactAt ?? startedAt)];
}

function collectNotes(facts: Facts, phase: Phase, now: Date): readonly Reason[] {
  const always = collectReasons(
    facts.configurationProblem,
    facts.zone.problem,
    facts.stateProblem,
    facts.log.problem,
    facts.undelivered,
    facts.missingPart,
    facts.gateway.listProblem,
  );
  if (phase === 'signed-out') return always;
  const account = collectReasons(facts.signIn.ending, facts.secondClient);
  const { gateway, provide, registrationProblem, sources } = facts;
  const beside = [
    ...listProblems(facts),
    ...noteSilent(facts, now),
    ...noteListing(facts),
    ...sources.map(({ shortfall }) => shortfall),
    gateway.wayProblem,
    gateway.selfTest.note,
    provide.confirmationProblem,
    gateway.outsideProblem,
    gateway.connectionsProblem,
  ];
  const isWorking = phaseTraits[phase].isReady;
  const passing = isWorking ? collectReasons(registrationProblem, ...beside) : [];
  const silent =
    phase === 'providing' ? [...explainEnding(facts.usage), ...explainSilence(facts)] : [];
  return [...findPathProblem(facts), ...passing, ...silent, ...account, ...always];
}

function explainEnding({ capBytes = 0, endingSince }: Facts['usage']): readonly Reason[] {
  const message = `The data cap of ${formatBytes(capBytes)} is almost used up: new connections are refused until the next period.`;
  return endingSince === undefined ? [] : [createReason('cap-ending', message, endingSince)];
}

/**
 * One day. It is counted while the device provides, so with a schedule of two hours a day it takes
 * twelve days.
 */
const leastProvidingSeconds = 86_400;

/**
 * Notes that a tunnel seems to carry this device's own traffic out instead of consumers' traffic
 * in, as tunnels of the production deployment do.
 */
function explainSilence({ service, gateway, sources }: Facts): readonly Reason[] {
  const { silence, forwardedBytes } = gateway;
  // Another source brings consumers by the network's own protocol, and may lack them all the same.
  if (sources.some(({ name }) => name !== 'wireguard')) return [];
  if (service.profile !== 'production' || silence === undefined || forwardedBytes === undefined)
    return [];
  const isSilent = forwardedBytes.up + forwardedBytes.down === silence.totalBytes;
  if (!isSilent || silence.providingSeconds < leastProvidingSeconds) return [];
  const message =
    "No traffic has arrived in a day of providing. On the network that uses this profile, tunnels like this one carry the device's own traffic out; consumers reach providers by another protocol.";
  return [createReason('consumer-tunnel', message, silence.since)];
}

function collectReasons(
  ...problems: readonly (Problem<ReasonCode> | undefined)[]
): readonly Reason[] {
  const known = problems.filter((problem) => problem !== undefined);
  return known.map((problem) => ({
    code: problem.code,
    message: problem.message,
    action: problem.action ?? findAction(problem.code),
    since: problem.since,
  }));
}

function createReason(code: ReasonCode, message: string, since: Date): Reason {
  return { code, message, action: findAction(code), since };
}
