import { describe, expect, test } from 'vitest';
import {
  readDeviceStats,
  viewDeviceStats,
} from '../../../../../src/cli/commands/stats/device-view.ts';
import {
  formatWindow,
  parseWindowHours,
  sumKnown,
} from '../../../../../src/cli/commands/stats/figures.ts';
import { viewNetworkStats } from '../../../../../src/cli/commands/stats/network-view.ts';
import { renderJson } from '../../../../../src/cli/present/text.ts';
import { profiles } from '../../../../../src/service/profiles.ts';

describe('a window', () => {
  test.each([
    ['1h', 1, '1 h'],
    ['24h', 24, '24 h'],
    ['2d', 48, '48 h'],
    ['3d', 72, '3 d'],
    ['50h', 50, '50 h'],
    ['90d', 2160, '90 d'],
    ['2y', 17_520, '2 y'],
  ])('%s is %i hours, shown as %s', (text, hours, shown) => {
    expect(parseWindowHours(text)).toBe(hours);
    expect(formatWindow(hours)).toBe(shown);
  });

  test.each(['', 'd', '0d', '01h', '1.5h', '1w', '24', '24h ', '175201h', '7301d', '21y', '0y'])(
    '%j is none',
    (text) => {
      expect(() => parseWindowHours(text)).toThrow('it must be hours or days');
    },
  );
});

test.each([
  [[], undefined],
  [[undefined, undefined], undefined],
  [[1, undefined, 2], 3],
  [[0], 0],
])('%j add up to %s', (values, sum) => {
  expect(sumKnown(values)).toBe(sum);
});

/** What `--json` shows of a view. */
const show = <View>(view: View): View => JSON.parse(renderJson(view));

describe('the figures of a network', () => {
  const nothing = {
    clientId: undefined,
    connected: undefined,
    connectedEventsLast24h: [],
    uptimeLast24h: undefined,
    transferDataLast24h: undefined,
    payoutLast24h: undefined,
    searchInterestLast24h: undefined,
    contractsLast24h: undefined,
    clientsLast24h: undefined,
    provideMode: undefined,
  };
  const given = { profile: profiles.production, names: new Map([['a', 'attic']]), windowHours: 48 };
  const createStats = (providers: readonly Partial<typeof nothing>[]) =>
    show(
      viewNetworkStats(
        { createdTime: undefined, providers: providers.map((own) => ({ ...nothing, ...own })) },
        given,
      ),
    );

  test('are null where the service says nothing', () => {
    const [{ connectedEvents, ...rest } = { connectedEvents: undefined }] = createStats([
      {},
    ]).providers;
    expect(connectedEvents).toEqual([]);
    expect(Object.values(rest).filter((value) => value !== null)).toEqual([]);
    expect(createStats([{}]).totals).toMatchObject({
      deviceCount: 1,
      connectedCount: 0,
      uptimeHours: null,
      uptimeShare: null,
    });
  });

  test('are added up as far as they are known', () => {
    const kitchen = {
      clientId: 'k',
      connected: true,
      uptimeLast24h: 24,
      transferDataLast24h: 2,
      contractsLast24h: 3,
    };
    const attic = { clientId: 'a', connected: false, uptimeLast24h: 12, provideMode: 3 };
    const { providers, totals } = createStats([kitchen as never, attic as never]);
    expect(providers).toMatchObject([
      { clientId: 'k', name: null, isConnected: true, uptimeShare: 0.5 },
      {
        clientId: 'a',
        name: 'attic',
        isConnected: false,
        uptimeShare: 0.25,
        provideMode: 'public',
      },
    ]);
    expect(totals).toMatchObject({
      connectedCount: 1,
      uptimeHours: 36,
      uptimeShare: 0.375,
      transferGib: 2,
      payoutUsdc: null,
      contracts: 3,
    });
  });
});

describe('the figures of a device', () => {
  const client = { clientId: 'a', name: 'attic' };
  const nothing = {
    lookback: undefined,
    createdTime: undefined,
    uptime: {},
    transferData: {},
    payout: {},
    searchInterest: {},
    contracts: {},
    clients: {},
    clientDetails: [],
  };
  const createStats = (change: Partial<Parameters<typeof viewDeviceStats>[0]>, lookbackHours = 1) =>
    show(viewDeviceStats({ ...nothing, ...change }, { client, askedHours: 30, lookbackHours }));

  test('are null where the service says nothing', () => {
    expect(createStats({})).toMatchObject({
      windowHours: null,
      days: [],
      hours: [],
      consumers: [],
    });
    expect(Object.values(createStats({}).totals).filter((value) => value !== null)).toEqual([]);
  });

  test.each([
    [30, 1, 30],
    [2, 24, 30],
    [3, 24, 72],
    [24, 1, 24],
  ])('are of a window of %i times %i hours', (lookback, lookbackHours, windowHours) => {
    expect(createStats({ lookback }, lookbackHours).windowHours).toBe(windowHours);
  });

  // Only the answer of production counts days: its request counts hours, as everywhere.
  test.each([
    ['documented', 168, 168],
    ['production', 168, 7],
    ['production', 30, 2],
  ] as const)('are asked of a service (%s) for %i hours', async (profile, askedHours, lookback) => {
    const asked: unknown[] = [];
    const session = {
      profile: profiles[profile],
      async call(...question: unknown[]) {
        asked.push(question);
        return { ...nothing, lookback };
      },
    } as unknown as Parameters<typeof readDeviceStats>[0];
    const { windowHours } = await readDeviceStats(session, client, askedHours);
    expect(asked).toEqual([['providerLastN', { clientId: 'a', lastN: askedHours }]]);
    expect(windowHours).toBe(askedHours);
  });

  test('come by the day, minutes of its hours added up', () => {
    const uptime = { '2026-03-14-23': 60, '2026-03-15-00': 30, '2026-03-15-01': 15 };
    const { days, hours, totals } = createStats({
      uptime,
      transferData: { '2026-03-13': 1.5 },
      lookback: 30,
    });
    expect(days).toMatchObject([
      { day: '2026-03-13', uptimeHours: null, transferGib: 1.5 },
      { day: '2026-03-14', uptimeHours: 1, transferGib: null },
      { day: '2026-03-15', uptimeHours: 0.75 },
    ]);
    expect(hours.map(({ startAt }) => startAt.slice(0, 13))).toEqual([
      '2026-03-14T23',
      '2026-03-15T00',
      '2026-03-15T01',
    ]);
    expect(totals).toMatchObject({
      uptimeHours: 1.75,
      uptimeShare: 1.75 / 30,
      transferGib: 1.5,
      payoutUsdc: null,
    });
  });

  test('are kept under whatever a service calls its days', () => {
    const { days, hours } = createStats({
      uptime: { '2026-03-14': 90 },
      payout: { 'day 1': 2, '2026-03-14': 1 },
    });
    expect(days).toMatchObject([
      { day: '2026-03-14', uptimeHours: 1.5, payoutUsdc: 1 },
      { day: 'day 1', uptimeHours: null, payoutUsdc: 2 },
    ]);
    expect(hours).toEqual([]);
  });

  test('name those who had the most first', () => {
    const { consumers } = createStats({
      clientDetails: [
        { clientId: 'few', transferData: { '2026-03-14': 1 } },
        { clientId: undefined, transferData: {} },
        { clientId: 'much', transferData: { '2026-03-15': 2, '2026-03-14': 1 } },
      ],
    });
    expect(consumers).toMatchObject([
      { clientId: 'much', transferGib: 3, days: [{ day: '2026-03-14' }, { day: '2026-03-15' }] },
      { clientId: 'few', transferGib: 1 },
      { clientId: null, transferGib: null, days: [] },
    ]);
  });
});
