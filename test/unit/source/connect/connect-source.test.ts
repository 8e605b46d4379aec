import { expect, test } from 'vitest';
import { TributaryError } from '../../../../src/errors/codes.ts';
import { Secret } from '../../../../src/lib/secret.ts';
import { createConnectSource } from '../../../../src/source/connect/connect-source.ts';
import { noFigures, noSums } from '../../../../src/source/connect/consumer-figures.ts';
import { createEngineDriver } from '../../../../src/source/connect/device.ts';
import type { EngineOrder } from '../../../../src/source/connect/engine-order.ts';
import type { KeptSums } from '../../../../src/source/connect/kept-sums.ts';
import { planPool } from '../../../../src/source/connect/pool.ts';
import type { EngineReport } from '../../../../src/source/connect/supervise-engine.ts';
import type { ConsumerSums, MarketReport } from '../../../../src/source/source-report.ts';
import { toState } from '../../../connect/support/engine-state.ts';

const addresses = planPool('100.126.0.0/16', 'fd5e:b4c2:91d7::/112');
const device = 'tributary-c0';
const fitting = {
  kind: 'present',
  isUp: true,
  mtu: 1500,
  addresses: addresses.device,
  takesOffloads: true,
  queueLength: undefined,
  user: '990',
} as const;

interface World {
  report: EngineReport;
  /** Why the kept sums cannot be read or written. */
  diskProblem: TributaryError | undefined;
  taken: ConsumerSums;
  readonly said: string[];
  registered: { readonly token: Secret } | undefined;
  market: MarketReport | undefined;
}

function createWorld() {
  const wants: (EngineOrder | undefined)[] = [];
  const world: World = {
    report: {
      state: undefined,
      figures: noFigures,
      problem: undefined,
      isTokenRefused: false,
      starts: 0,
    },
    registered: { token: new Secret('token') },
    market: undefined,
    diskProblem: undefined,
    taken: noSums,
    said: [],
  };
  const use = async () => {
    if (world.diskProblem) throw world.diskProblem;
  };
  const sums: KeptSums = {
    load: use,
    take(counted) {
      world.taken = counted;
    },
    read: () =>
      world.diskProblem
        ? undefined
        : { ...noSums, acceptedContracts: 107, countedSince: undefined, month: noSums },
    keep: use,
    close: use,
  };
  const judged: unknown[] = [];
  const closed: string[] = [];
  const source = createConnectSource({
    driver: createEngineDriver(async () => '', { device, consumers: addresses.consumers }),
    supervisor: {
      want: (order) => void wants.push(order),
      report: () => world.report,
      close: async () => void closed.push('engine'),
    },
    market: {
      report: (of) => {
        judged.push(of);
        return world.market;
      },
      close: async () => void closed.push('market'),
    },
    sums,
    onSaid: (line) => world.said.push(line),
    user: async () => ({ uid: 990, gid: 990, name: undefined, isOther: true }),
    addresses,
    order: () =>
      world.registered && {
        clientId: 'client',
        token: world.registered.token,
        urls: ['wss://connect.example/'],
        controlUrl: 'https://service.example/connect/control',
        authority: undefined,
        mostUnpaidBytes: 268_435_456,
        encryption: 'opportunistic',
        way: undefined,
      },
    readCarried: () => ({ rxBytes: 10, txBytes: 20, packets: 3 }),
  });
  return { world, source, wants, judged, closed };
}

test('its engine waits for a device and for the first decision, and is then kept as decided', async () => {
  const { source, wants } = createWorld();
  await source.wanted();
  await source.settle();
  source.follow(undefined);
  source.take(fitting);
  await source.settle();
  expect(wants).toEqual([]);
  source.follow('public');
  source.follow('none');
  await source.settle();
  expect(wants.map((order) => order?.wish)).toEqual(['public', 'none', 'none']);
  expect(wants[0]).toMatchObject({ device, pool: addresses.pool, clientId: 'client' });
});

test('a device that the engine cannot attach to starts none', async () => {
  const { source, wants } = createWorld();
  await source.wanted();
  source.take({ ...fitting, user: 'root' });
  source.follow('public');
  expect(wants).toEqual([]);
  expect(source.report().isThere).toBe(false);
});

test('without a registration there is no device and no engine', async () => {
  const { world, source, wants } = createWorld();
  world.registered = undefined;
  expect((await source.wanted()).wish.kind).toBe('absent');
  source.take(fitting);
  source.follow('public');
  expect(wants).toEqual([undefined]);
});

test('it wants a device behind whose fence consumers have addresses of its own', async () => {
  const { source } = createWorld();
  expect(source.wantsIssuedTunnel).toBe(false);
  expect(source.driver.consumers).toEqual(['100.126.0.0/16', 'fd5e:b4c2:91d7::/112']);
  expect((await source.wanted()).wish).toMatchObject({
    kind: 'present',
    mtu: 1100,
    outer: undefined,
    settings: { user: { uid: 990 } },
  });
});

test.each([
  ['before the engine said anything', undefined, 'public', false],
  ['connected and published', toState(), 'public', true],
  ['connected, not published yet', toState({ isPublished: false }), 'public', false],
  [
    'connected in mode none, which publishes nothing',
    toState({ isPublished: false }),
    'none',
    true,
  ],
  ['not connected', toState({ isConnected: false, connectedSince: null }), 'public', false],
] as const)('%s it is alive: %#', async (_, state, mode, isAlive) => {
  const { world, source } = createWorld();
  await source.wanted();
  source.take(fitting);
  source.follow(mode);
  world.report = { ...world.report, state };
  const since = new Date(1_700_000_000_000);
  expect(source.report().life).toEqual(isAlive ? { since, until: undefined } : undefined);
});

test('it tells who is there now, and what was kept of all runs with what this one counted', () => {
  const { world, source } = createWorld();
  const figures = { ...noFigures, present: 2, acceptedContracts: 7 };
  world.report = { ...world.report, figures };
  const consumers = { ...figures, acceptedContracts: 107, countedSince: undefined, month: noSums };
  expect(source.report().consumers).toEqual(consumers);
  expect(world.taken).toEqual(figures);
});

test('a state directory that cannot be used is its problem, and stops no traffic', async () => {
  const { world, source } = createWorld();
  world.diskProblem = new TributaryError('state-unreadable', 'reading connect-sums.json: EACCES');
  const { wish, problem } = await source.wanted();
  expect([wish.kind, problem]).toEqual(['present', world.diskProblem]);
  source.take(fitting);
  source.follow('public');
  world.report = { ...world.report, state: toState() };
  expect(source.report()).toMatchObject({ isThere: true, consumers: undefined });
  expect(source.report().life).toBeDefined();
  await expect(source.settle()).rejects.toBe(world.diskProblem);
  await source.close();
  expect(world.said).toEqual(['what it counted last is lost: reading connect-sums.json: EACCES']);
});

test('what its engine counted last is kept at the end', async () => {
  const { world, source } = createWorld();
  world.report = { ...world.report, figures: { ...noFigures, downBytes: 5 } };
  await source.close();
  expect(world.taken).toMatchObject({ downBytes: 5 });
  expect(world.said).toEqual([]);
});

test('it tells how the network judges it: by its connection, and by whom the mode is for', () => {
  const { world, source, judged } = createWorld();
  const market = { standing: 'listed' } as MarketReport;
  world.market = market;
  // Before the mode is decided nobody knows whom it is for.
  expect(source.report().market).toBeUndefined();
  source.follow('public');
  expect(source.report().market).toBe(market);
  world.report = { ...world.report, state: toState() };
  source.follow('none');
  source.report();
  expect(judged).toEqual([
    { isConnected: false, wish: 'public' },
    { isConnected: true, wish: 'none' },
  ]);
});

test('its end is the end of the engine, and then of what is remembered of it', async () => {
  const { source, closed } = createWorld();
  await source.close();
  expect(closed).toEqual(['engine', 'market']);
});

test('it counts at its device, and asks the service where its token is refused', async () => {
  const { world, source } = createWorld();
  source.take(fitting);
  world.report = { ...world.report, isTokenRefused: true };
  expect(source.report()).toMatchObject({
    traffic: { rxBytes: 10, txBytes: 20 },
    asksService: true,
  });
});
