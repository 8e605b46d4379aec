import { createSections } from '../../src/agent/create-sections.ts';
import { createAnnounceLoop } from '../../src/agent/talk/announce-loop.ts';
import { triesPerCall } from '../../src/agent/talk/create-talk.ts';
import { createServiceLoop } from '../../src/agent/talk/service-loop.ts';
import type { ServiceSession } from '../../src/agent/talk/service-session.ts';
import { firstAskMs, firstCountedMs } from '../../src/agent/tell/ledger-loop.ts';
import { createReportLoop, delayClock } from '../../src/agent/tell/report-loop.ts';
import { configSchema } from '../../src/config/schema.ts';
import { TributaryError } from '../../src/errors/codes.ts';
import type { Registration } from '../../src/identity/registration-files.ts';
import { Secret } from '../../src/lib/secret.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import { type ProvideMode, profiles } from '../../src/service/profiles.ts';
import { planRetryMs } from '../../src/service/retry.ts';
import { createFacts, freshFacts } from '../../tools/docs/sample-facts.ts';
import type { VirtualClock } from './clock.ts';
import { bootAtMs, refuseNow, type Scenario } from './scenarios.ts';

/*
 * One registered device on virtual time: the agent's own loops decide when the service is asked. Of
 * the data path only what it tells them is there: the device provides two seconds after it was
 * switched on.
 */

const config = configSchema.parse({ service: { base_url: 'https://service.example' } });
const providesAfterMs = 2_000;
const providing = {
  ...createFacts({ tunnel: { lastHandshakeAt: new Date(bootAtMs + 86_400_000) } }),
  serviceFigures: undefined,
};
const networkJwt = new Secret('network-jwt');
const { signal } = new AbortController();

interface DeviceParts {
  readonly scenario: Scenario;
  readonly clock: VirtualClock;
  readonly random: () => number;
  /** Hears of each request, at the clock's time. */
  readonly onRequest: () => void;
}

/** Drives one device from the moment of power until `untilMs`. */
export async function driveDevice(parts: DeviceParts, untilMs: number): Promise<void> {
  const { scenario, clock, random } = parts;
  clock.ms = 0;
  const now = () => new Date(bootAtMs + clock.ms);
  const registration = createRegistration(random);
  const sections = createSections(config, now());
  const call = createCalls(parts);
  let confirmed: ProvideMode | undefined =
    scenario.profile === 'production' ? undefined : 'friends';
  sections.mode.decision = { permit: true, mode: 'friends', reasons: [], devices: [] };
  const state = { ...sections, overrides: { current: () => undefined } };
  const nextMs = {
    service: 0,
    report: 0,
    announce: 0,
    mode: (scenario.modeMinute ?? Number.POSITIVE_INFINITY) * 60_000,
  };
  const announceNow = {
    ...idle,
    notify: () => {
      nextMs.announce = clock.ms;
    },
  };
  const wakeups = { dataPath: idle, outside: idle, service: idle, announce: announceNow };
  const session: ServiceSession = {
    load: async () => registration,
    signIn: async () => networkJwt,
    // On the disk since an earlier life: nothing is asked for it.
    register: async () => registration,
    renew: async () => {
      call('authClient');
      return registration;
    },
    confirmRefusal: async () => false,
    dropIfUseless: async () => false,
  };
  const service = createServiceLoop({
    state,
    service: sections.service,
    session,
    wakeups,
    now,
    random,
  });
  await service.restore();
  const announce = createAnnounceLoop({
    state,
    announcement: sections.announcement,
    confirmedMode: {
      current: () => confirmed,
      note: async (mode) => {
        confirmed = mode;
      },
    },
    client: { call: createAnnouncing(scenario, call) },
    profile: profiles[scenario.profile],
    wakeups,
    now,
    random,
  });
  const reportsAtMs = [...(await findReportTimes(parts, registration.installId, untilMs))];
  nextMs.report = reportsAtMs.shift() ?? Number.POSITIVE_INFINITY;
  const report = async () => {
    ignoreFailure(() => call('providers'));
    return (reportsAtMs.shift() ?? Number.POSITIVE_INFINITY) - clock.ms;
  };
  const ticks = { service: service.tick, announce: announce.tick, report };
  const askLedgerAtMs = Math.min(
    firstAskMs * (1 + random()),
    providesAfterMs + firstCountedMs + random() * firstAskMs,
  );
  const ledger = { atMs: askLedgerAtMs };
  for (;;) {
    const name = (Object.keys(nextMs) as (keyof typeof nextMs)[]).reduce((first, other) =>
      nextMs[other] < nextMs[first] ? other : first,
    );
    if (ledger.atMs <= nextMs[name]) {
      clock.ms = ledger.atMs;
      ledger.atMs = Number.POSITIVE_INFINITY;
      if (clock.ms < untilMs) ignoreFailure(() => call('providerLastN'));
      continue;
    }
    clock.ms = nextMs[name];
    if (clock.ms >= untilMs) return;
    if (name === 'mode') {
      sections.mode.scheduled = 'public';
      sections.mode.decision = { permit: true, mode: 'public', reasons: [], devices: [] };
      nextMs.mode = Number.POSITIVE_INFINITY;
      announceNow.notify();
      continue;
    }
    nextMs[name] = Number.POSITIVE_INFINITY;
    const waitMs = await ticks[name](signal);
    nextMs[name] = Math.min(nextMs[name], clock.ms + waitMs);
  }
}

/**
 * Since the installation's id alone decides, and one chance of eight, a million devices share the
 * answers.
 */
const reportTimes = new Map<string, readonly number[]>();

/** When the agent's own loop reports, in ms since the devices were switched on. */
async function findReportTimes(
  { scenario, clock, random }: DeviceParts,
  installId: string,
  untilMs: number,
) {
  const chance = Math.floor(random() * 8);
  const key = `${scenario.cron} ${installId} ${chance}`;
  const known = reportTimes.get(key);
  if (known !== undefined) return known;
  const times: number[] = [];
  const { tick } = createReportLoop({
    cron: scenario.cron,
    timeZone: undefined,
    report: async () => void times.push(clock.ms),
    facts: () => (clock.ms < providesAfterMs ? freshFacts : providing),
    now: () => delayClock(new Date(bootAtMs + clock.ms), installId),
    random: () => (chance + 0.5) / 8,
  });
  for (clock.ms = 0; clock.ms < untilMs; ) clock.ms += await tick(signal);
  clock.ms = 0;
  reportTimes.set(key, times);
  return times;
}

const idle = { notify: () => undefined, wait: async () => undefined };

/** So many ids there are; their times lie half a second apart. */
const installations = 2_000;

function createRegistration(random: () => number): Registration {
  const part = Math.floor((Math.floor(random() * installations) / installations) * 2 ** 32);
  const installId = `${part.toString(16).padStart(8, '0')}00000000`;
  // The service leaves the interval to the device.
  return {
    installId,
    clientId: 'client',
    renewSeconds: 0,
    showsProduction: false,
  } as Registration;
}

type Operation = 'authClient' | 'providers' | 'providerLastN' | 'setProvide' | 'clients';

/** One call as the service client makes it, with its own tries. @throws what the last try threw */
function createCalls({
  scenario,
  clock,
  random,
  onRequest,
}: DeviceParts): (name: Operation) => void {
  return () => {
    for (let attempt = 1; ; attempt += 1) {
      onRequest();
      try {
        return refuseNow(scenario, clock.ms);
      } catch (error) {
        const waitMs = planRetryMs(error, attempt, {
          repeat: 'always',
          random,
          tries: triesPerCall,
        });
        if (waitMs === undefined) throw error;
        clock.ms += waitMs;
      }
    }
  };
}

function createAnnouncing(
  { profile }: Scenario,
  call: (name: Operation) => void,
): ServiceClient['call'] {
  const answer = async (name: Operation, request: unknown) => {
    call(name);
    if (name === 'clients') return { clients: [] };
    if (profile === 'production') throw new TributaryError('operation-not-served', '404');
    return request;
  };
  return answer as unknown as ServiceClient['call'];
}

function ignoreFailure(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof TributaryError)) throw error;
  }
}
