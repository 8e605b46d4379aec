import type { Facts } from '../../src/health/facts.ts';
import type { ReadHistory } from '../../src/status/source.ts';
import { ago, createFacts, freshFacts } from '../../tools/docs/sample-facts.ts';
import { createHistoryRow, keepRows, sampleHistory } from '../unit/status/sample-past.ts';
import { busyFacts, type PageWorld } from './page-world.ts';

/** A state of the page that has its picture in the documentation. */
export interface PageState {
  readonly facts: Facts;
  readonly history?: ReadHistory;
  /** Brings an open page into it. */
  readonly bring?: (world: PageWorld) => Promise<void>;
}

const hostile = `<img src=x onerror=alert(1)><script>alert(2)</script>"'&\u202e\u0007`;

const midnightMs = Date.parse('2026-03-14T00:00:00Z');

const closed = { isOpen: false };

export const pageStates: Readonly<Record<string, PageState>> = {
  providing: { facts: busyFacts },
  paused: {
    facts: createFacts(
      {
        provide: {
          override: { mode: 'none', until: ago(-3600) },
          effective: 'none',
          confirmed: 'none',
        },
        gateway: closed,
      },
      busyFacts,
    ),
  },
  'cap-reached': {
    facts: createFacts(
      {
        provide: {
          effective: 'none',
          confirmed: 'none',
          pause: {
            code: 'cap-reached',
            message: 'The cap of 500 GB for this month is reached.',
            since: ago(240),
          },
        },
        usage: { bytes: 500_000_000_000, reachedAt: undefined },
        gateway: closed,
      },
      busyFacts,
    ),
  },
  connecting: {
    facts: createFacts({ tunnel: { lastHandshakeAt: undefined }, gateway: closed }, busyFacts),
  },
  'no-uplink': {
    facts: createFacts(
      {
        gateway: { ...closed, uplink: undefined, uplinkMissingSince: ago(300) },
        service: { isReachable: false },
      },
      busyFacts,
    ),
  },
  'signed-out': {
    facts: createFacts({
      version: busyFacts.version,
      signInProblem: {
        code: 'signed-out',
        message: 'Nothing is stored to sign in with.',
        since: ago(90),
      },
      registration: undefined,
      tunnel: { backend: undefined, lastHandshakeAt: undefined },
      provide: { effective: undefined, confirmed: undefined },
      gateway: { ...closed, forwardedBytes: undefined, refusedPackets: undefined },
      serviceFigures: undefined,
      earned: undefined,
      usage: { bytes: 0, reachedAt: undefined },
    }),
    history: keepRows({ hour: [], day: [] }),
  },
  blocked: {
    facts: createFacts(
      {
        gateway: {
          ...closed,
          problem: {
            code: 'gateway-failed',
            message: 'nft -f -: Error: Could not process rule: Operation not supported',
            since: ago(125),
          },
        },
      },
      busyFacts,
    ),
  },
  'consumer-tunnel': {
    facts: createFacts(
      {
        service: { profile: 'production' },
        gateway: {
          forwardedBytes: { up: 0, down: 0 },
          refusedPackets: {},
          connections: 0,
          silence: { since: ago(100_000), providingSeconds: 90_000, totalBytes: 0 },
        },
        usage: { bytes: 0, reachedAt: undefined },
        serviceFigures: undefined,
        earned: undefined,
      },
      busyFacts,
    ),
    history: async (question) =>
      (await sampleHistory(question)).map(({ startMs, providingSeconds }) =>
        createHistoryRow(startMs, { providingSeconds }),
      ),
  },
  young: {
    facts: createFacts(
      {
        startedAt: ago(11 * 3600 + 35 * 60),
        usage: { bytes: 5_830_000_000, reachedAt: undefined },
        gateway: {
          forwardedBytes: { up: 810_000_000, down: 5_020_000_000 },
          refusedPackets: { 'not-public': 31, 'own-network': 4 },
        },
        serviceFigures: {
          isConnected: true,
          uptimeSeconds: 41_000,
          transferredBytes: 5_710_000_000,
          hereBytes: 5_830_000_000,
          payoutUsdc: 0.0131,
          contracts: 12,
          consumers: 2,
          provideMode: 'public',
          at: ago(300),
        },
        earned: {
          last24hUsdc: 0.0131,
          monthUsdc: undefined,
          totalUsdc: undefined,
          totalSince: undefined,
          at: ago(2400),
        },
      },
      busyFacts,
    ),
    history: keepRows({
      hour: Array.from({ length: 12 }, (_, index) =>
        createHistoryRow(midnightMs + index * 3_600_000, {
          providingSeconds: 3600,
          upBytes: 5e7 + 1e7 * (index % 4),
          downBytes: 3e8 + 4e7 * ((index * 5) % 7),
        }),
      ),
      day: [
        createHistoryRow(midnightMs, {
          providingSeconds: 41_700,
          upBytes: 8.1e8,
          downBytes: 5.02e9,
        }),
      ],
    }),
  },
  fresh: {
    facts: { ...freshFacts, version: busyFacts.version },
    history: keepRows({ hour: [], day: [] }),
  },
  hostile: {
    facts: createFacts({
      registration: { description: hostile, clientId: hostile },
      service: { baseUrl: `https://${hostile}` },
      tunnel: {
        backend: undefined,
        problem: { code: 'wireguard-text-refused', message: hostile, since: ago(125) },
      },
      gateway: { isOpen: false, uplink: hostile, refusedPackets: { [hostile]: 1 } },
    }),
  },
  silent: {
    facts: busyFacts,
    async bring({ fixture, page }) {
      await fixture.server.close();
      await page.getByText('Unknown since').waitFor();
    },
  },
};
