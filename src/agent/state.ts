import { hostname, uptime } from 'node:os';
import type { Config } from '../config/schema.ts';
import type { DataPath } from '../data-path/reconcile.ts';
import { toTotals } from '../data-path/reconcile.ts';
import { type RefusalCounter, refusals } from '../gateway/policy.ts';
import type { Facts, GatewayFacts, Pause, Problem, TunnelFacts } from '../health/facts.ts';
import type { ServiceFigures } from '../health/service-figures.ts';
import type { Registration } from '../identity/registration-files.ts';
import { messageOf, TributaryError } from '../lib/errors.ts';
import { createWakeup, type Wakeup } from '../lib/wakeup.ts';
import type { WantedMode } from '../provide/arbitration.ts';
import type { Override } from '../provide/override.ts';
import { type ProfileName, type ProvideMode, profiles } from '../service/profiles.ts';
import type { WireGuardTraffic } from '../system/wg.ts';
import { createHandshakeClock } from '../tunnel/handshake-clock.ts';

type ProblemTopic =
  | 'configuration'
  | 'state'
  | 'usage'
  | 'signIn'
  | 'registration'
  | 'service'
  | 'tunnel'
  | 'shortfall'
  | 'gateway'
  | 'confirmation';

/** What the loops tell each other and the status: the one place in the agent that changes. Everything on it can be lost. */
export interface Board {
  config: Config;
  readonly startedAt: Date;
  stoppingSince: Date | undefined;
  registration: Registration | undefined;
  /** undefined before the first answer or failure. */
  isServiceReachable: boolean | undefined;
  lastContactAt: Date | undefined;
  nextKeepaliveAt: Date | undefined;
  keepaliveSeconds: number | undefined;
  dataPath: DataPath | undefined;
  readonly traffic: WireGuardTraffic | undefined;
  uplinkMissingSince: Date | undefined;
  isOpen: boolean;
  scheduled: ProvideMode | undefined;
  override: Override | undefined;
  wanted: WantedMode | undefined;
  pause: Pause | undefined;
  confirmedMode: ProvideMode | undefined;
  usage: { readonly periodStart: Date | undefined; readonly resetsAt: Date | undefined; readonly bytes: number };
  serviceFigures: ServiceFigures | undefined;
  readonly wakes: { readonly dataPath: Wakeup; readonly announce: Wakeup; readonly service: Wakeup };
  noteTraffic(traffic: WireGuardTraffic | undefined): void;
  /** By the clock as it is now, whatever it was then. */
  lastHandshakeAt(): Date | undefined;
  /** Keeps a failure's beginning while it lasts; undefined: it went well again. */
  setProblem(topic: ProblemTopic, error: unknown): void;
  problem(topic: ProblemTopic): Problem | undefined;
}

export function createBoard(config: Config, now: () => Date): Board {
  const problems = new Map<ProblemTopic, Problem>();
  const handshakes = createHandshakeClock(now, () => uptime() * 1000);
  let traffic: WireGuardTraffic | undefined;
  return {
    config,
    startedAt: now(),
    stoppingSince: undefined,
    registration: undefined,
    isServiceReachable: undefined,
    lastContactAt: undefined,
    nextKeepaliveAt: undefined,
    keepaliveSeconds: undefined,
    dataPath: undefined,
    get traffic() {
      return traffic;
    },
    uplinkMissingSince: undefined,
    isOpen: false,
    scheduled: undefined,
    override: undefined,
    wanted: undefined,
    pause: undefined,
    confirmedMode: undefined,
    usage: { periodStart: undefined, resetsAt: undefined, bytes: 0 },
    serviceFigures: undefined,
    wakes: { dataPath: createWakeup(), announce: createWakeup(), service: createWakeup() },
    noteTraffic(seen) {
      traffic = seen;
      handshakes.note(seen?.lastHandshakeAt);
    },
    lastHandshakeAt: handshakes.lastHandshakeAt,
    setProblem(topic, error) {
      if (error === undefined) {
        problems.delete(topic);
        return;
      }
      const code = error instanceof TributaryError ? error.code : 'command-failed';
      const before = problems.get(topic);
      const since = before?.code === code ? before.since : now();
      problems.set(topic, { code, message: messageOf(error), since });
    },
    problem: (topic) => problems.get(topic),
  };
}

/** The profile in force: the configured one, else the documented. */
export function toProfileName(config: Config): ProfileName {
  return config.service.profile ?? profiles.documented.name;
}

/** What the device is called: the owner's text, else the host's name. */
export function toDescription(config: Config): string {
  return config.device.description ?? hostname();
}

/** The board as the status, the metrics and the health check see it. */
export function toFacts(board: Board, version: string): Facts {
  return {
    version,
    startedAt: board.startedAt,
    stoppingSince: board.stoppingSince,
    timeZone: board.config.provide.time_zone,
    residentBytes: process.memoryUsage.rss(),
    configurationProblem: board.problem('configuration'),
    stateProblem: board.problem('state') ?? board.problem('usage'),
    signInProblem: board.problem('signIn'),
    registration: board.registration && {
      clientId: board.registration.clientId,
      description: toDescription(board.config),
    },
    registrationProblem: board.problem('registration'),
    service: {
      baseUrl: board.config.service.base_url,
      profile: toProfileName(board.config),
      isReachable: board.isServiceReachable,
      lastContactAt: board.lastContactAt,
      lastError: board.problem('service'),
      keepaliveSeconds: board.keepaliveSeconds,
      nextKeepaliveAt: board.nextKeepaliveAt,
    },
    tunnel: toTunnelFacts(board),
    provide: {
      configured: board.config.provide.mode,
      scheduled: board.scheduled,
      override: board.override && {
        mode: board.override.mode,
        until: board.override.until === undefined ? undefined : new Date(board.override.until),
      },
      effective: board.wanted?.mode,
      confirmed: board.confirmedMode,
      pause: board.pause,
      confirmationProblem: board.problem('confirmation'),
    },
    gateway: toGatewayFacts(board),
    usage: { ...board.usage, capBytes: board.config.provide.cap?.bytes },
    serviceFigures: board.serviceFigures,
  };
}

function toTunnelFacts(board: Board): TunnelFacts {
  const tunnel = board.dataPath?.tunnel;
  const present = tunnel?.kind === 'present' ? tunnel : undefined;
  const peer = present?.wireGuard?.peers[0];
  const { traffic } = board;
  return {
    interface: board.config.tunnel.interface,
    backend: present?.backend,
    endpoint: peer?.endpoint,
    lastHandshakeAt: board.lastHandshakeAt(),
    persistentKeepaliveSeconds: peer?.persistentKeepaliveSeconds,
    rxBytes: traffic?.rxBytes ?? 0,
    txBytes: traffic?.txBytes ?? 0,
    problem: board.problem('tunnel'),
    shortfall: board.problem('shortfall'),
  };
}

function toGatewayFacts(board: Board): GatewayFacts {
  const table = board.dataPath?.table;
  const totals = toTotals(table);
  return {
    isEnabled: board.config.gateway.enabled,
    isOpen: board.isOpen,
    uplink: board.dataPath?.uplink,
    uplinkMissingSince: board.uplinkMissingSince,
    forwardedBytes: { up: totals?.up.bytes ?? 0, down: totals?.down.bytes ?? 0 },
    refusedPackets: Object.fromEntries(
      Object.entries(refusals).map(([counter, reason]) => [
        reason,
        table?.counters.get(counter as RefusalCounter)?.packets ?? 0,
      ]),
    ),
    problem: board.problem('gateway'),
  };
}
