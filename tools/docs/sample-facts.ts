import type { Facts } from '../../src/health/facts.ts';

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
  stateProblem: undefined,
  signInProblem: undefined,
  registration: { clientId: '3f8a1c9e-0000-4000-8000-00000000abcd', description: 'kitchen' },
  registrationProblem: undefined,
  service: {
    baseUrl: 'https://service.example',
    profile: 'documented',
    isReachable: true,
    lastContactAt: ago(12),
    lastError: undefined,
    renewSeconds: 60,
    nextRenewalAt: ago(-48),
  },
  tunnel: {
    interface: 'tributary0',
    backend: 'kernel',
    endpoint: '198.51.100.1:51820',
    lastHandshakeAt: ago(40),
    persistentKeepaliveSeconds: 25,
    rxBytes: 1_500_000_000,
    txBytes: 200_000_000,
    problem: undefined,
    shortfall: undefined,
  },
  provide: {
    configured: 'public',
    scheduled: undefined,
    override: undefined,
    effective: 'public',
    confirmed: 'public',
    pause: undefined,
    confirmationProblem: undefined,
    lineLimit: { bitsPerSecond: 20e6, source: 'configured' },
    household: {
      mode: 'first',
      bitsPerSecond: undefined,
      ceilingBitsPerSecond: undefined,
      yieldingSince: undefined,
    },
  },
  gateway: {
    isEnabled: true,
    isOpen: true,
    uplink: 'eth0',
    uplinkMissingSince: undefined,
    lineHeldBy: 'one-tree',
    forwardedBytes: { up: 1_400_000_000, down: 180_000_000 },
    refusedPackets: { 'private-destination': 12, 'blocked-port': 3, spoofed: 0 },
    silence: undefined,
    outsideProblem: undefined,
    listProblem: undefined,
    problem: undefined,
    selfTest: {
      lastHeldAt: new Date('2026-03-14T11:59:50.000Z'),
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
  earned: { last24hUsdc: 0.42, monthUsdc: 11.9, at: ago(300) },
};

/** A device that has only just started and knows nothing yet. */
export const freshFacts: Facts = {
  ...providingFacts,
  startedAt: ago(1),
  registration: undefined,
  service: {
    ...providingFacts.service,
    isReachable: undefined,
    lastContactAt: undefined,
    renewSeconds: undefined,
    nextRenewalAt: undefined,
  },
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
  },
  gateway: {
    ...providingFacts.gateway,
    isOpen: false,
    uplink: undefined,
    forwardedBytes: undefined,
    refusedPackets: undefined,
    selfTest: { lastHeldAt: undefined, failure: undefined, note: undefined },
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

/** Changes to the parts of a device that provides. */
export type FactsChange = {
  readonly [Part in keyof Facts]?: Facts[Part] extends object ? Partial<Facts[Part]> : Facts[Part];
};

export function createFacts(change: FactsChange, base: Facts = providingFacts): Facts {
  const parts = Object.entries(change).map(([name, value]) => {
    const before = base[name as keyof Facts];
    const isPart =
      typeof value === 'object' && typeof before === 'object' && !(value instanceof Date);
    return [name, isPart ? { ...before, ...value } : value];
  });
  return { ...base, ...Object.fromEntries(parts) };
}
