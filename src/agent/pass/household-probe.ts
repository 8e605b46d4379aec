import type { HostPort } from '../../lib/host-port.ts';
import {
  connectEachMs,
  isBeyondHome,
  isWorthConnecting,
  type LinePlace,
  type LineUse,
  listPingPlaces,
  mostHops,
  mostPlaces,
  type PingPlace,
  type PingProblem,
} from '../../provide/line-places.ts';
import { type LineProbe, patienceMs } from '../../system/line-probe.ts';
import type { NoPing, Ping } from '../../system/ping.ts';
import type { Shared } from '../state.ts';
import { createPingWatch, type PingWatch } from './ping-watch.ts';

/** Where delays may be measured to, and what the line carries meanwhile. */
export interface ProbeQuestion extends LineUse {
  /** The outer address of a source's tunnel; undefined where no source has one. */
  readonly tunnelEnd: string | undefined;
  readonly service: HostPort;
  /** The home's router; undefined while unknown. */
  readonly router: string | undefined;
}

export interface Probed {
  readonly kind: LinePlace;
  /** Delays to different places cannot be compared. */
  readonly place: string;
  /** undefined without an answer that tells anything. */
  readonly delayMs: number | undefined;
}

export interface HouseholdProbe {
  /**
   * Measures the delay once. Takes a second at most, and some at the first call, where ping is
   * tried and routers on the way are looked for. undefined where nobody was asked.
   */
  measure(question: ProbeQuestion, signal: AbortSignal): Promise<Probed | undefined>;
  /** Call it while nothing is shared: some time after the last load nothing runs any more. */
  rest(): void;
  /** Ends all that runs. */
  end(): void;
  /** Why ping is not what measures; undefined while it is. */
  problem(): PingProblem | undefined;
}

export interface HouseholdProbeParts {
  /** A ping, or why it cannot be used; undefined where no program is kept running. */
  readonly findPing: (() => Promise<Ping | NoPing>) | undefined;
  readonly connect: LineProbe;
  /** The address of a name; undefined without one. */
  readonly resolve: (host: string) => Promise<string | undefined>;
  readonly log: Pick<Shared['log'], 'info'>;
}

/** Without load for this long (ms), the ping is ended. */
const restAfterMs = 30_000;
/** The routers on the way are looked for again after this time (ms): a way may change. */
const keepPlacesMs = 3_600_000;
/** Where no place answers a ping, it is tried again after this time (ms). */
const pingAgainMs = 300_000;
/** As long (ms), where the service does not answer, the router is asked instead. */
const routerMs = 300_000;
const routerPort = 53;
/** After this many connections without an answer. */
const mostFailures = 2;

/**
 * Measures delays on the owner's line at the expense of nobody: by one ping to the first router
 * beyond the home's, else the next ones or the tunnel's outer end. Where none of them answers a
 * ping, by connections to the service, which are few.
 */
export function createHouseholdProbe(parts: HouseholdProbeParts): HouseholdProbe {
  const connect = createConnecting(parts.connect);
  let ping: Ping | undefined;
  let places: readonly PingPlace[] = [];
  /** What `places` were found for, and until when they are believed. */
  let found = { key: '', untilMs: 0 };
  let watch: PingWatch | undefined;
  let notBeforeMs = parts.findPing === undefined ? Number.POSITIVE_INFINITY : 0;
  let loadedAtMs = 0;
  let problem: PingProblem | undefined;

  const stop = () => {
    watch?.end();
    watch = undefined;
  };
  const giveUp = (why: PingProblem, message = 'nothing on the way answers a ping') => {
    stop();
    places = [];
    found = { key: '', untilMs: 0 };
    // It is tried every few minutes, and said once.
    if (problem !== why) parts.log.info({ message }, 'delays on the line are not measured by ping');
    problem = why;
    notBeforeMs = performance.now() + pingAgainMs;
  };
  const findPlaces = async (question: ProbeQuestion, signal: AbortSignal) => {
    const key = `${question.tunnelEnd} ${question.router}`;
    if (key === found.key && performance.now() < found.untilMs && places.length > 0) return;
    stop();
    const outcome = ping ?? (await parts.findPing?.());
    if (outcome === undefined) return;
    if ('problem' in outcome) return giveUp(outcome.problem, outcome.message);
    ping = outcome;
    const target = question.tunnelEnd ?? (await parts.resolve(question.service.host));
    const hops = target === undefined ? [] : await findHops(outcome, target, signal);
    places = listPingPlaces(hops, question.tunnelEnd);
    found = { key, untilMs: performance.now() + keepPlacesMs };
    if (places.length === 0 && !signal.aborted) giveUp('no-answer');
  };
  const pingOnce = async (question: ProbeQuestion, signal: AbortSignal) => {
    await findPlaces(question, signal);
    const [place] = places;
    if (ping === undefined || place === undefined || signal.aborted) return undefined;
    watch ??= createPingWatch(ping, place.address, signal);
    const delayMs = await watch.next(signal);
    if (delayMs !== 'silent') {
      if (delayMs !== undefined) problem = undefined;
      return { kind: place.kind, place: place.address, delayMs };
    }
    stop();
    places = places.slice(1);
    // A ping that was there before may be gone, so it is looked for again.
    if (places.length === 0) {
      ping = undefined;
      giveUp('no-answer');
    }
    return { kind: place.kind, place: place.address, delayMs: undefined };
  };
  return {
    async measure(question, signal) {
      loadedAtMs = performance.now();
      if (loadedAtMs >= notBeforeMs) {
        const probed = await pingOnce(question, signal);
        if (probed !== undefined || signal.aborted) return probed;
      }
      return connect(question);
    },
    rest() {
      if (performance.now() - loadedAtMs >= restAfterMs) stop();
    },
    end: stop,
    problem: () => problem,
  };
}

/** The routers that said they are on the way to the address, the nearest first. */
async function findHops(
  ping: Ping,
  address: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const hops: string[] = [];
  for (let distance = 1; distance <= mostHops && !signal.aborted; distance += 1) {
    const said = await ping.ask(address, distance, signal);
    // It lies no farther than this, so no more routers are on the way.
    if (said?.kind === 'answer') break;
    if (said !== undefined) hops.push(said.from);
    if (hops.filter(isBeyondHome).length >= mostPlaces) break;
  }
  return hops;
}

/** Connections to the service, or to the router while the service does not answer. */
function createConnecting(probe: LineProbe) {
  let lastAtMs = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let routerUntilMs = 0;
  return async (question: ProbeQuestion): Promise<Probed | undefined> => {
    const startedAtMs = performance.now();
    if (startedAtMs - lastAtMs < connectEachMs || !isWorthConnecting(question)) return undefined;
    lastAtMs = startedAtMs;
    const { service, router } = question;
    const isRouter = routerUntilMs > startedAtMs && router !== undefined;
    const target = isRouter ? { host: router, port: routerPort } : service;
    const delayMs = await probe(target);
    failures = delayMs === undefined || delayMs >= patienceMs ? failures + 1 : 0;
    const probed = { kind: isRouter ? 'router' : 'service', place: target.host } as const;
    // A full queue may hold an answer back for that long, and one cut ends this. If it does not,
    // the place does not answer at all.
    if (failures <= mostFailures) return { ...probed, delayMs };
    if (!isRouter) {
      failures = 0;
      routerUntilMs = startedAtMs + routerMs;
    }
    return { ...probed, delayMs: undefined };
  };
}
