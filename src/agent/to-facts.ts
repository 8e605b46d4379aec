import { hostname } from 'node:os';
import type { Config } from '../config/schema.ts';
import { linkInside } from '../gateway/uplink.ts';
import type { Facts } from '../health/facts.ts';
import { findEarned } from '../health/service-figures.ts';
import { isClockSet } from '../lib/clock.ts';
import { formatBytes } from '../lib/units.ts';
import { isWider } from '../provide/mode-width.ts';
import { type ProfileName, profiles } from '../service/profiles.ts';
import { noTunnel } from '../source/wireguard/wireguard-source.ts';
import { moveUnsetTimes } from './move-times.ts';
import type { AgentState } from './state.ts';
import { explainUndelivered } from './tell/deliveries.ts';

/** The profile in force: the configured one, otherwise the documented one. */
export function chooseProfileName(config: Config): ProfileName {
  return config.service.profile ?? profiles.documented.name;
}

/** The device's name: the owner's text, otherwise the host's name. */
export function chooseDescription(config: Config): string {
  return config.device.description ?? hostname();
}

/** The state as status, metrics and health check see it. */
export function collectFacts(state: AgentState, version: string): Facts {
  const facts = readFacts(state, version);
  const startedAtMs = facts.startedAt.getTime();
  if (isClockSet(startedAtMs) || !isClockSet(Date.now())) return facts;
  return moveUnsetTimes(facts, Date.now() - performance.now() - startedAtMs);
}

function readFacts(state: AgentState, version: string): Facts {
  const { announcement, confirmedMode, contact, household, life, mode, path, service } = state;
  const { config, problem: configurationProblem } = state.configuration;
  const override = state.overrides.current();
  const usage = state.usage.current();
  return {
    version,
    startedAt: life.startedAt,
    stoppingSince: life.stoppingSince,
    timeZone: config.provide.time_zone,
    zone: state.zone(config.provide.time_zone),
    residentBytes: readResidentBytes(),
    configurationProblem,
    log: { problem: toLogProblem(state), droppedLines: state.log.droppedLines() },
    failures: state.failures.counts(),
    missingPart: state.failures.missingPart(),
    undelivered: explainUndelivered(state.deliveries.failing, {
      isInside: state.path.observed?.uplink === linkInside,
      nowMs: performance.now(),
    }),
    stateProblem: service.stateProblem ?? path.usageProblem,
    signInProblem: service.signInProblem,
    registration: service.registration && {
      clientId: service.registration.clientId,
      description: chooseDescription(config),
    },
    signIn: service.signIn ?? { endsAt: undefined, ending: undefined },
    registrationProblem: service.registrationProblem,
    secondClient: service.secondClient,
    service: {
      baseUrl: config.service.base_url,
      profile: chooseProfileName(config),
      // Whatever answered: what a renewal cannot use is not the service's. A refused token is.
      isReachable:
        (service.problem?.code ?? 'not-authorized') === 'not-authorized' && contact.isReachable,
      lastContactAt: contact.lastContactAt,
      lastError: service.problem,
      renewSeconds: service.renewSeconds,
      nextRenewalAt: service.nextRenewalAt,
      requests: contact.requests,
    },
    sources: collectSourceFacts(state),
    tunnel: collectTunnelFacts(state),
    provide: {
      configured: config.provide.mode,
      scheduled: mode.scheduled,
      override: override && { mode: override.mode, until: override.until },
      effective: mode.decision?.mode,
      confirmed: confirmedMode.current(),
      pause: toPause(state),
      wider: toWider(state),
      confirmationProblem: announcement.problem,
      lineLimit: mode.limit,
      household: { mode: config.provide.household, ...household },
    },
    gateway: collectGatewayFacts(state),
    usage: {
      periodStart: usage?.period.start,
      bytes: usage?.bytes ?? 0,
      capBytes: config.provide.cap?.bytes,
      counts: config.provide.cap?.counts ?? 'share',
      endingSince: mode.capEndingSince,
      resetsAt: config.provide.cap === undefined ? undefined : usage?.period.end,
      reachedAt: usage?.reachedAt,
    },
    serviceFigures: state.figures.service,
    provided: state.figures.provided,
    earned: findEarned(state.figures.service, state.ledger),
  };
}

/** undefined where it cannot be read: Node opens a file for it, and there may be no descriptor. */
function readResidentBytes(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}

function toLogProblem({ log }: AgentState): Facts['log']['problem'] {
  const trouble = log.trouble();
  if (trouble === undefined) return undefined;
  const dropped = log.droppedLines();
  const lost = dropped === 0 ? 'lines wait' : `${dropped} lines are lost so far`;
  const message = `The log cannot be written (${trouble.reason}): ${lost}. Sharing goes on.`;
  return { code: 'log-unwritten', message, since: trouble.since };
}

function toPause({ mode, configuration }: AgentState): Facts['provide']['pause'] {
  if (mode.clockUnsetSince !== undefined) {
    const message = "This device's clock is not set, so its schedule cannot be followed.";
    return { code: 'clock-unset', message, since: mode.clockUnsetSince };
  }
  if (mode.capReachedSince === undefined) return undefined;
  const message = `The data cap of ${formatBytes(configuration.config.provide.cap?.bytes ?? 0)} is reached.`;
  return { code: 'cap-reached', message, since: mode.capReachedSince };
}

/** Nothing as soon as the service has the mode, even before the next pass knows of it. */
function toWider(state: AgentState): Facts['provide']['wider'] {
  const { mode, confirmedMode, overrides, configuration } = state;
  const wanted = overrides.current()?.mode ?? mode.scheduled ?? configuration.config.provide.mode;
  const has = confirmedMode.current();
  if (mode.widerSince === undefined || has === undefined || !isWider(has, wanted)) return undefined;
  const message = `The service has ${has}, which lets in more people than ${wanted}. Nothing passes until it has ${wanted}.`;
  return { code: 'mode-not-applied', message, since: mode.widerSince };
}

function collectSourceFacts({ sources, path }: AgentState): Facts['sources'] {
  return sources.all.map((source) => {
    const { name, device } = source.driver;
    const { problem, shortfall, silentSince } = path.sourceNotes?.[name] ?? {};
    return { name, device, ...source.report(), problem, shortfall, silentSince };
  });
}

function collectTunnelFacts({ configuration, sources }: AgentState): Facts['tunnel'] {
  return sources.wireGuard?.tunnel() ?? noTunnel(configuration.config.tunnel.interface);
}

function collectGatewayFacts(state: AgentState): Facts['gateway'] {
  const { configuration, connections, counters, denied, ledger, outside, path, usage } = state;
  const counted = usage.counted();
  return {
    isEnabled: configuration.config.gateway.enabled,
    isOpen: path.openUntilMs !== undefined && performance.now() < path.openUntilMs,
    uplink: path.observed?.uplink,
    uplinkMissingSince: path.uplinkMissingSince,
    wayProblem: path.wayNotes?.problem,
    lineHeldBy: path.observed && (path.observed.way?.kind ?? 'policer'),
    forwardedBytes: counted && { up: counted.up.bytes, down: counted.down.bytes },
    refusedPackets: counters.refusedPackets,
    silence: ledger.silence,
    outsideAddresses: outside.addresses,
    outsideProblem: outside.problem,
    connections: connections.tracked,
    connectionsProblem: connections.problem,
    listProblem: denied.problem,
    problem: path.gatewayProblem,
    selfTest: {
      lastHeldAt: path.selfTest?.lastHeldAt,
      failures: path.selfTest?.failures ?? 0,
      failure: path.selfTest?.failure,
      note: path.selfTest?.note,
    },
  };
}
