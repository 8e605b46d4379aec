import type { Facts, SourceFacts } from '../../src/health/facts.ts';
import { findFreshUntil, isHandshakeOverdue } from '../../src/source/wireguard/handshake.ts';

export const now = new Date('2026-03-14T12:00:00.000Z');

/** `seconds` before `now`. */
export function ago(seconds: number): Date {
  return new Date(now.getTime() - seconds * 1000);
}

/** A device that provides, with everything known. */
export const providingFacts: Facts = {
  version: '1.2.3',
  startedAt: ago(90_000),
  stoppingSince: undefined,
  timeZone: undefined,
  residentBytes: 60_000_000,
  configurationProblem: undefined,
  log: { problem: undefined, droppedLines: 0 },
  missingPart: undefined,
  undelivered: undefined,
  failures: {},
  zone: { name: 'Europe/Berlin', problem: undefined },
  stateProblem: undefined,
  signInProblem: undefined,
  registration: { clientId: '3f8a1c9e-0000-4000-8000-00000000abcd', description: 'kitchen' },
  signIn: { endsAt: new Date('2026-04-13T12:00:00.000Z'), ending: undefined },
  registrationProblem: undefined,
  secondClient: undefined,
  service: {
    baseUrl: 'https://service.example',
    profile: 'documented',
    isReachable: true,
    lastContactAt: ago(12),
    lastError: undefined,
    renewSeconds: 60,
    nextRenewalAt: ago(-48),
    requests: { ok: 1450, 'service-unreachable': 3 },
  },
  sources: [
    {
      name: 'wireguard',
      device: 'tributary0',
      isThere: true,
      life: { since: ago(40), until: ago(40 - 205) },
      traffic: { rxBytes: 200_000_000, txBytes: 1_500_000_000 },
      consumers: undefined,
      market: undefined,
      asksService: false,
      problem: undefined,
      shortfall: undefined,
      silentSince: undefined,
    },
  ],
  tunnel: {
    interface: 'tributary0',
    backend: 'kernel',
    triedEndpoints: [],
    endpoint: '198.51.100.1:51820',
    lastHandshakeAt: ago(40),
    persistentKeepaliveSeconds: 25,
    rxBytes: 200_000_000,
    txBytes: 1_500_000_000,
  },
  provide: {
    configured: 'public',
    scheduled: undefined,
    override: undefined,
    effective: 'public',
    confirmed: 'public',
    pause: undefined,
    wider: undefined,
    confirmationProblem: undefined,
    lineLimit: { bitsPerSecond: 20e6, source: 'configured' },
    household: {
      mode: 'first',
      bitsPerSecond: undefined,
      ceilingBitsPerSecond: undefined,
      yieldingSince: undefined,
      yields: 4,
      measuredTo: 'first-hop',
      pingProblem: undefined,
    },
  },
  gateway: {
    isEnabled: true,
    isOpen: true,
    uplink: 'eth0',
    uplinkMissingSince: undefined,
    lineHeldBy: 'one-tree',
    forwardedBytes: { up: 180_000_000, down: 1_400_000_000 },
    refusedPackets: { 'private-destination': 12, 'blocked-port': 3, spoofed: 0 },
    silence: undefined,
    outsideAddresses: ['203.0.113.7'],
    outsideProblem: undefined,
    connections: 318,
    connectionsProblem: undefined,
    listProblem: undefined,
    problem: undefined,
    selfTest: {
      lastHeldAt: new Date('2026-03-14T11:59:50.000Z'),
      failures: 0,
      failure: undefined,
      note: undefined,
    },
  },
  usage: {
    periodStart: new Date('2026-03-01T00:00:00.000Z'),
    bytes: 250_000_000_000,
    capBytes: 500_000_000_000,
    counts: 'share',
    endingSince: undefined,
    resetsAt: new Date('2026-04-01T00:00:00.000Z'),
    reachedAt: new Date('2026-03-28T00:00:00.000Z'),
  },
  serviceFigures: {
    isConnected: true,
    uptimeSeconds: 86_040,
    transferredBytes: 1_490_000_000,
    payoutUsdc: 0.42,
    contracts: 17,
    consumers: 5,
    provideMode: 'public',
    at: ago(300),
    hereBytes: 1_500_000_000,
  },
  provided: undefined,
  earned: {
    last24hUsdc: 0.42,
    monthUsdc: 11.9,
    totalUsdc: 48.2,
    totalSince: new Date('2025-11-02T00:00:00.000Z'),
    at: ago(300),
  },
};

/** A second source, for beside the tunnel or instead of it. */
export const programSource: SourceFacts = {
  name: 'program',
  device: 'program0',
  isThere: true,
  life: { since: ago(7_200), until: undefined },
  traffic: { rxBytes: 3_000_000_000, txBytes: 900_000_000 },
  consumers: undefined,
  market: undefined,
  asksService: false,
  problem: undefined,
  shortfall: undefined,
  silentSince: undefined,
};

/** A source that can tell its consumers apart, and was refused and not paid some of everything. */
export const consumersSource: SourceFacts = {
  ...programSource,
  name: 'connect',
  device: 'tributary-c0',
  consumers: {
    present: 3,
    countedSince: ago(90 * 86_400),
    upBytes: 600_000_000,
    downBytes: 2_900_000_000,
    overheadBytes: 290_000_000,
    acceptedContracts: 120,
    refusedContracts: { 'bad-signature': 1, 'too-old': 3 },
    unpaidBytes: 1_200_000,
    bridgedBytes: 30_000_000,
    doubtfulBytes: 4_000,
    month: {
      upBytes: 200_000_000,
      downBytes: 900_000_000,
      overheadBytes: 90_000_000,
      acceptedContracts: 40,
      unpaidBytes: 300_000,
      bridgedBytes: 9_000_000,
      doubtfulBytes: 1_000,
    },
    reportsWaiting: 2,
    reportsRefused: 0,
    sealing: {
      consumers: 2,
      handshakes: 31,
      refusedHandshakes: { 'half-open': 2, proof: 1 },
      sealedMessages: 1_400_000,
      openedMessages: 380_000,
      unopenedMessages: 12,
      workMs: 11_400,
      refusedPlaintext: 0,
    },
  },
  market: {
    standing: 'at-risk',
    standingSince: ago(2_400),
    expectedAt: undefined,
    minutes: {
      hour: { valid: 57, known: 60, wanted: 57, all: 60 },
      halfDay: { valid: 717, known: 720, wanted: 504, all: 720 },
      week: { valid: 10_070, known: 10_080, wanted: undefined, all: 10_080 },
    },
    speedTest: { at: ago(4_000), bytesPerSecond: 6_150_000, isWhole: true },
    latencyTestedAt: ago(4_100),
    lastConsumerAt: ago(120),
  },
};

/** A device that has only just started and knows nothing yet. */
export const freshFacts: Facts = {
  ...providingFacts,
  startedAt: ago(1),
  registration: undefined,
  signIn: { endsAt: undefined, ending: undefined },
  service: {
    ...providingFacts.service,
    isReachable: undefined,
    lastContactAt: undefined,
    renewSeconds: undefined,
    nextRenewalAt: undefined,
    requests: {},
  },
  sources: providingFacts.sources.map((source) => ({
    ...source,
    isThere: false,
    life: undefined,
    traffic: undefined,
  })),
  tunnel: {
    ...providingFacts.tunnel,
    backend: undefined,
    endpoint: undefined,
    lastHandshakeAt: undefined,
    persistentKeepaliveSeconds: undefined,
    rxBytes: undefined,
    txBytes: undefined,
  },
  provide: {
    ...providingFacts.provide,
    effective: undefined,
    confirmed: undefined,
    lineLimit: undefined,
    household: { ...providingFacts.provide.household, yields: 0, measuredTo: undefined },
  },
  gateway: {
    ...providingFacts.gateway,
    isOpen: false,
    uplink: undefined,
    forwardedBytes: undefined,
    refusedPackets: undefined,
    connections: undefined,
    selfTest: { lastHeldAt: undefined, failures: 0, failure: undefined, note: undefined },
  },
  usage: {
    ...providingFacts.usage,
    periodStart: undefined,
    bytes: 0,
    capBytes: undefined,
    resetsAt: undefined,
    reachedAt: undefined,
  },
  serviceFigures: undefined,
  earned: undefined,
};

/** Changes to the parts of a device that provides; of the tunnel also what is wrong with it. */
export type FactsChange = {
  readonly [Part in Exclude<keyof Facts, 'tunnel'>]?: Facts[Part] extends readonly unknown[]
    ? Facts[Part]
    : Facts[Part] extends object
      ? Partial<Facts[Part]>
      : Facts[Part];
} & {
  readonly tunnel?: Partial<Facts['tunnel'] & Pick<SourceFacts, 'problem' | 'shortfall'>>;
};

/** What is changed of the tunnel is changed of its source too. */
export function createFacts(
  { tunnel: change = {}, ...others }: FactsChange,
  base: Facts = providingFacts,
): Facts {
  const parts = Object.entries(others).map(([name, value]) => {
    const before = base[name as keyof Facts];
    const isPart = isRecord(value) && isRecord(before);
    return [name, isPart ? { ...before, ...value } : value];
  });
  const { problem, shortfall, ...ofTunnel } = change;
  const tunnel = { ...base.tunnel, ...ofTunnel };
  const sources = [{ ...toTunnelSource(tunnel), problem, shortfall, silentSince: undefined }];
  return { ...base, tunnel, sources, ...Object.fromEntries(parts) };
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && !(value instanceof Date) && !Array.isArray(value);
}

/** As the source of such a tunnel tells of itself. */
function toTunnelSource(
  tunnel: Facts['tunnel'],
): Omit<SourceFacts, 'problem' | 'shortfall' | 'silentSince'> {
  const { lastHandshakeAt: since, rxBytes, txBytes } = tunnel;
  const isRead = rxBytes !== undefined && txBytes !== undefined;
  return {
    name: 'wireguard',
    device: tunnel.interface,
    isThere: tunnel.backend !== undefined,
    life: since && { since, until: findFreshUntil(tunnel) },
    traffic: isRead ? { rxBytes, txBytes } : undefined,
    consumers: undefined,
    market: undefined,
    asksService: tunnel.backend !== undefined && isHandshakeOverdue(tunnel, now),
  };
}
