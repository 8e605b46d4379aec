import * as fc from 'fast-check';
import type { Facts } from '../../../src/health/facts.ts';
import type { Problem } from '../../../src/health/problem.ts';
import { provideModes } from '../../../src/service/profiles.ts';
import type { MarketReport } from '../../../src/source/source-report.ts';
import { ago, providingFacts } from '../../../tools/docs/sample-facts.ts';

const time = fc.integer({ min: -5000, max: 5000 }).map(ago);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const text = fc.string({ unit: 'binary', maxLength: 200, size: 'max' });
/**
 * Any text but the one name that an object cannot have as an ordinary property. Reasons are named
 * by this program alone, and no counter of the kernel's may begin with an underscore.
 */
const reason = text.filter((name) => name !== '__proto__');
const bytes = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const mode = fc.constantFrom(...provideModes);
const rate = fc.integer({ min: 64_000, max: 100_000_000_000 });
const limitSources = ['configured', 'schedule', 'override'] as const;
/** Around a day. */
const seconds = fc.integer({ min: 86_300, max: 86_500 });

const codes = [
  'missing-program',
  'not-allowed',
  'command-failed',
  'state-unwritable',
  'state-unreadable',
  'signed-out',
  'service-unreachable',
  'service-failed',
  'rate-limited',
  'answer-not-json',
  'client-limit-exceeded',
  'wireguard-text-refused',
  'tunnel-failed',
  'no-ipv6',
  'gateway-failed',
  'operation-not-served',
  'configuration-invalid',
] as const;

const consumerSums = {
  upBytes: bytes,
  downBytes: bytes,
  overheadBytes: bytes,
  acceptedContracts: fc.nat(),
  unpaidBytes: bytes,
  bridgedBytes: bytes,
  doubtfulBytes: bytes,
};
const problem: fc.Arbitrary<Problem> = fc.record({
  code: fc.constantFrom(...codes),
  message: text,
  since: time,
});
const rare = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 1 });

/** Any facts at all, also those that no agent should ever report together. */
const minuteCount = fc.record({
  valid: fc.nat(10_080),
  known: fc.nat(10_080),
  wanted: maybe(fc.nat(10_080)),
  all: fc.integer({ min: 1, max: 10_080 }),
});
const market: fc.Arbitrary<MarketReport> = fc.record({
  standing: fc.constantFrom(
    'listed',
    'at-risk',
    'waiting',
    'dropped',
    'offline',
    'own-network',
    'nobody',
  ),
  standingSince: time,
  expectedAt: maybe(time),
  minutes: fc.record({ hour: minuteCount, halfDay: minuteCount, week: minuteCount }),
  speedTest: maybe(fc.record({ at: time, bytesPerSecond: fc.nat(), isWhole: fc.boolean() })),
  latencyTestedAt: maybe(time),
  lastConsumerAt: maybe(time),
});

export const arbitraryFacts: fc.Arbitrary<Facts> = fc.record({
  version: fc.constant('1.2.3'),
  startedAt: time,
  stoppingSince: rare(time),
  timeZone: rare(fc.constantFrom('Europe/Berlin', 'Asia/Kolkata', 'America/Los_Angeles')),
  zone: fc.record({
    name: rare(fc.constantFrom('Europe/Berlin', 'UTC')),
    problem: rare(fc.record({ code: fc.constant('zone-unknown'), message: text, since: time })),
  }),
  residentBytes: bytes,
  configurationProblem: rare(problem),
  log: fc.record({
    problem: rare(fc.record({ code: fc.constant('log-unwritten'), message: text, since: time })),
    droppedLines: fc.nat(),
  }),
  missingPart: rare(
    fc.record({ code: fc.constant('program-replaced'), message: text, since: time }),
  ),
  undelivered: rare(
    fc.record({ code: fc.constant('report-undelivered'), message: text, since: time }),
  ),
  failures: fc.dictionary(reason, fc.nat()),
  stateProblem: rare(problem),
  signInProblem: rare(problem),
  registration: maybe(fc.record({ clientId: text, description: maybe(text) })),
  signIn: fc.record({
    endsAt: maybe(time),
    ending: rare(fc.record({ code: fc.constant('sign-in-ending'), message: text, since: time })),
  }),
  registrationProblem: rare(problem),
  secondClient: rare(fc.record({ code: fc.constant('second-client'), message: text, since: time })),
  service: fc.record({
    baseUrl: fc.webUrl(),
    profile: fc.constantFrom('documented', 'production'),
    isReachable: maybe(fc.boolean()),
    lastContactAt: maybe(time),
    lastError: rare(problem),
    renewSeconds: maybe(fc.nat(21_600)),
    nextRenewalAt: maybe(time),
    requests: fc.dictionary(fc.constantFrom('ok', 'service-unreachable', 'not-authorized'), bytes),
  }),
  sources: fc.array(
    fc.record({
      name: fc.constantFrom('wireguard', 'program'),
      device: fc.constantFrom('tributary0', 'program0'),
      isThere: fc.boolean(),
      life: maybe(
        fc.record({
          since: fc.integer({ min: -10, max: 400 }).map(ago),
          until: maybe(fc.integer({ min: -200, max: 200 }).map(ago)),
        }),
      ),
      traffic: maybe(fc.record({ rxBytes: bytes, txBytes: bytes })),
      consumers: maybe(
        fc.record({
          ...consumerSums,
          present: fc.nat(),
          countedSince: maybe(time),
          month: fc.record(consumerSums),
          refusedContracts: fc.dictionary(reason, fc.nat()),
          reportsWaiting: fc.nat(),
          reportsRefused: fc.nat(),
          sealing: fc.record({
            consumers: fc.nat(),
            handshakes: fc.nat(),
            refusedHandshakes: fc.dictionary(reason, fc.nat()),
            sealedMessages: fc.nat(),
            openedMessages: fc.nat(),
            unopenedMessages: fc.nat(),
            workMs: fc.nat(),
            refusedPlaintext: fc.nat(),
          }),
        }),
      ),
      market: maybe(market),
      asksService: fc.boolean(),
      problem: rare(problem),
      shortfall: rare(problem),
      silentSince: maybe(time),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  tunnel: fc.record({
    interface: fc.constant('tributary0'),
    backend: maybe(fc.constantFrom('kernel', 'userspace')),
    triedEndpoints: fc.constant([]),
    endpoint: maybe(text),
    lastHandshakeAt: maybe(fc.integer({ min: -10, max: 400 }).map(ago)),
    persistentKeepaliveSeconds: maybe(fc.nat(120)),
    rxBytes: maybe(bytes),
    txBytes: maybe(bytes),
  }),
  provide: fc.record({
    configured: mode,
    scheduled: maybe(mode),
    override: maybe(fc.record({ mode, until: maybe(time) })),
    effective: maybe(mode),
    confirmed: maybe(mode),
    pause: rare(fc.record({ code: fc.constant('cap-reached'), message: text, since: time })),
    wider: rare(fc.record({ code: fc.constant('mode-not-applied'), message: text, since: time })),
    confirmationProblem: rare(problem),
    lineLimit: maybe(fc.record({ bitsPerSecond: rate, source: fc.constantFrom(...limitSources) })),
    household: fc.record({
      mode: fc.constantFrom('first', 'off'),
      bitsPerSecond: maybe(rate),
      ceilingBitsPerSecond: maybe(rate),
      yieldingSince: maybe(time),
      yields: bytes,
      measuredTo: maybe(fc.constantFrom('first-hop', 'tunnel-end', 'service', 'router')),
      pingProblem: maybe(fc.constantFrom('missing', 'not-allowed', 'no-answer')),
    }),
  }),
  gateway: fc.record({
    isEnabled: fc.boolean(),
    isOpen: fc.boolean(),
    uplink: maybe(text),
    uplinkMissingSince: rare(time),
    lineHeldBy: fc.constantFrom('one-tree', 'two-trees', 'policer', undefined),
    forwardedBytes: maybe(
      fc.oneof(fc.record({ up: bytes, down: bytes }), fc.constant({ up: 600, down: 400 })),
    ),
    refusedPackets: maybe(fc.dictionary(fc.stringMatching(/^[a-z-]{1,20}$/), fc.nat())),
    silence: maybe(
      fc.record({ since: time, providingSeconds: seconds, totalBytes: fc.constantFrom(1000, 999) }),
    ),
    outsideAddresses: maybe(fc.array(fc.ipV4(), { maxLength: 2 })),
    outsideProblem: rare(problem),
    connections: maybe(bytes),
    connectionsProblem: rare(problem),
    listProblem: rare(problem),
    problem: rare(problem),
    selfTest: fc.record({
      lastHeldAt: maybe(time),
      failures: bytes,
      failure: rare(problem),
      note: rare(problem),
    }),
  }),
  usage: fc.record({
    periodStart: maybe(time),
    bytes,
    capBytes: maybe(bytes),
    counts: fc.constantFrom('share', 'line'),
    endingSince: rare(time),
    resetsAt: maybe(time),
    reachedAt: maybe(time),
  }),
  serviceFigures: fc.constant(providingFacts.serviceFigures),
  provided: maybe(fc.record({ paidBytes: maybe(bytes), unpaidBytes: maybe(bytes), at: time })),
  earned: maybe(
    fc.record({
      last24hUsdc: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
      monthUsdc: maybe(fc.constant(12)),
      totalUsdc: maybe(fc.constant(120)),
      totalSince: maybe(time),
      at: time,
    }),
  ),
});
