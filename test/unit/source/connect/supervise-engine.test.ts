import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TributaryError } from '../../../../src/errors/codes.ts';
import { Secret } from '../../../../src/lib/secret.ts';
import { noFigures } from '../../../../src/source/connect/consumer-figures.ts';
import type { EngineFiles, EngineHeritage } from '../../../../src/source/connect/engine-files.ts';
import type { EngineOrder } from '../../../../src/source/connect/engine-order.ts';
import { superviseEngine } from '../../../../src/source/connect/supervise-engine.ts';
import { toState } from '../../../connect/support/engine-state.ts';
import { books, createFakeEngines, type FakeEngine, toKeep } from './fake-engines.ts';

const order: EngineOrder = {
  clientId: '01920000-0000-7000-8000-0000000000aa',
  token: new Secret('first-token'),
  urls: ['wss://connect.example/'],
  controlUrl: 'https://service.example/connect/control',
  authority: undefined,
  pool: {
    ipv4: { first: '100.126.0.2', count: 100 },
    ipv6: { first: 'fd5e:b4c2:91d7::2', count: 100 },
  },
  device: 'tributary-c0',
  wish: 'public',
  mostUnpaidBytes: 5_000_000,
  encryption: 'opportunistic',
  way: 'eth0 192.168.1.1',
};

/** The clock's steps (ms) while an engine is waited for. */
const stepMs = 500;

/** What was asked of promises alone is done. */
const settled = () => vi.advanceTimersByTimeAsync(0);

function keepInMemory(): EngineFiles {
  const secret = new Secret('ab'.repeat(32));
  let heritage: EngineHeritage = {
    secrets: { 1: secret, 2: secret, 3: secret, 4: secret },
    identity: { seed: secret, certificate: 'a certificate', certificateKey: new Secret('a key') },
    books: null,
    largestId: null,
    published: null,
  };
  return {
    load: async () => heritage,
    async keep(_clientId, kept) {
      heritage = { ...heritage, ...kept };
    },
  };
}

let changes: number;
let said: string[];
let instances: number;
let opened: string[];
let heard: unknown[];

beforeEach(() => {
  [changes, said, instances, opened, heard] = [0, [], 0, [], []];
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

function supervise(files: EngineFiles = keepInMemory()) {
  const { engines, prepare } = createFakeEngines();
  const supervisor = superviseEngine({
    files,
    market: { open: async (clientId) => void opened.push(clientId), take: (of) => heard.push(of) },
    prepare,
    appVersion: '1.2.3',
    newInstanceId: () => `00000000-0000-4000-8000-00000000000${++instances}`,
    random: () => 1,
    onSaid: (line) => said.push(line),
    onChange: () => {
      changes += 1;
    },
  });
  /** The engine of this number, from 1, once it is started; the clock goes on in steps. */
  const engine = async (number: number): Promise<FakeEngine> => {
    for (let steps = 0; steps < 1000 && engines[number - 1] === undefined; steps += 1)
      await vi.advanceTimersByTimeAsync(stepMs);
    const found = engines[number - 1];
    if (found === undefined) throw new Error(`engine ${number} was not started`);
    return found;
  };
  return { supervisor, engines, engine };
}

describe('an engine that is wanted', () => {
  test('begins with all that it needs, and with secrets that stay', async () => {
    const { supervisor, engine } = supervise();
    supervisor.want(order);
    const [first] = (await engine(1)).told;
    expect(first).toMatchObject({
      type: 'start',
      ownId: order.clientId,
      token: 'first-token',
      urls: order.urls,
      authority: null,
      instanceId: '00000000-0000-4000-8000-000000000001',
      appVersion: '1.2.3',
      published: null,
      books: null,
      largestId: null,
      wish: 'public',
      device: 'tributary-c0',
      mostUnpaidBytes: 5_000_000,
      identity: { seed: 'ab'.repeat(32), certificate: 'a certificate', certificateKey: 'a key' },
      isSealingRequired: false,
    });
    expect(first?.type === 'start' && Object.keys(first.secrets)).toEqual(['1', '2', '3', '4']);
  });

  test('is told a renewed token and another mode, and nothing twice', async () => {
    const { supervisor, engine, engines } = supervise();
    supervisor.want(order);
    const { told } = await engine(1);
    const renewed = { ...order, token: new Secret('second-token') };
    supervisor.want(renewed);
    supervisor.want({ ...renewed, token: new Secret('second-token') });
    supervisor.want({ ...renewed, wish: 'none' });
    expect(told.slice(1)).toEqual([
      { type: 'token', token: 'second-token' },
      { type: 'wish', wish: 'none' },
    ]);
    expect(engines).toHaveLength(1);
  });

  test('is told when the device has another way to the Internet, or has one again', async () => {
    const { supervisor, engine, engines } = supervise();
    supervisor.want(order);
    const { told } = await engine(1);
    supervisor.want({ ...order, way: undefined });
    expect(told).toHaveLength(1);
    supervisor.want(order);
    supervisor.want(order);
    supervisor.want({ ...order, way: 'wlan0 192.168.1.1' });
    expect(told.slice(1)).toEqual([{ type: 'network' }, { type: 'network' }]);
    expect(engines).toHaveLength(1);
  });

  test('is told what was wanted while it was being started', async () => {
    const { supervisor, engine } = supervise();
    supervisor.want(order);
    supervisor.want({ ...order, wish: 'network' });
    const { told } = await engine(1);
    await settled();
    expect(told.slice(1)).toEqual([{ type: 'wish', wish: 'network' }]);
  });

  test('makes way for one of another client, which starts once it has ended', async () => {
    const { supervisor, engine, engines } = supervise();
    supervisor.want(order);
    const first = await engine(1);
    supervisor.want({ ...order, clientId: '01920000-0000-7000-8000-0000000000bb' });
    expect(first.told.at(-1)).toEqual({ type: 'stop', final: false });
    // Its books have to be answered until it has ended.
    expect(first.hasHungUp()).toBe(false);
    expect(engines).toHaveLength(1);
    first.end('exited with 0');
    expect((await engine(2)).told[0]).toMatchObject({
      ownId: '01920000-0000-7000-8000-0000000000bb',
    });
  });

  test('is ended for good where none is wanted any more', async () => {
    const { supervisor, engine, engines } = supervise();
    supervisor.want(order);
    const first = await engine(1);
    supervisor.want(undefined);
    expect(first.told.at(-1)).toEqual({ type: 'stop', final: true });
    first.end('exited with 0');
    await vi.advanceTimersByTimeAsync(120_000);
    expect(engines).toHaveLength(1);
    expect(supervisor.report().problem).toBeUndefined();
  });

  test('is ended for a restart where the agent ends, which waits for it', async () => {
    const { supervisor, engine } = supervise();
    supervisor.want(order);
    const first = await engine(1);
    let isClosed = false;
    const closing = supervisor.close().then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(first.told.at(-1)).toEqual({ type: 'stop', final: false });
    expect(isClosed).toBe(false);
    first.end('exited with 0');
    await closing;
  });

  test('that does not end when it is asked to is ended', async () => {
    const { supervisor, engine } = supervise();
    supervisor.want(order);
    const first = await engine(1);
    const closing = supervisor.close();
    await vi.advanceTimersByTimeAsync(7_900);
    expect(first.wasKilled()).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(first.wasKilled()).toBe(true);
    await closing;
  });
});

describe('the books of an engine', () => {
  test('are kept before it is told so, and given to the next one', async () => {
    const { supervisor, engine } = supervise();
    supervisor.want(order);
    const { say, told, end } = await engine(1);
    say(toKeep(1));
    await settled();
    expect(told[1]).toEqual({ type: 'kept', number: 1 });
    end('was ended by SIGKILL');
    expect((await engine(2)).told[0]).toMatchObject({
      books,
      published: 'public',
      largestId: toKeep(1).largestId,
    });
  });

  test('that a full disk does not take are not said to be kept until it does', async () => {
    let isFull = true;
    const { supervisor, engine } = supervise({
      ...keepInMemory(),
      async keep() {
        if (isFull) throw new TributaryError('state-unwritable', 'the disk is full');
      },
    });
    supervisor.want(order);
    const { say, told } = await engine(1);
    say(toKeep(1));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(told).toHaveLength(1);
    expect(supervisor.report().problem?.code).toBe('state-unwritable');
    isFull = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(told[1]).toEqual({ type: 'kept', number: 1 });
    expect(supervisor.report().problem).toBeUndefined();
  });

  test('are written once a second at most', async () => {
    let writes = 0;
    const { supervisor, engine } = supervise({
      ...keepInMemory(),
      async keep() {
        writes += 1;
      },
    });
    supervisor.want(order);
    const { say, told } = await engine(1);
    say(toKeep(1));
    await settled();
    say(toKeep(2));
    await vi.advanceTimersByTimeAsync(900);
    expect([writes, told.length]).toEqual([1, 2]);
    await vi.advanceTimersByTimeAsync(100);
    expect([writes, told.length]).toEqual([2, 3]);
  });

  test('are written at once where it has been asked to end', async () => {
    const { supervisor, engine } = supervise();
    supervisor.want(order);
    const { say, told, end } = await engine(1);
    say(toKeep(1));
    await settled();
    const closing = supervisor.close();
    await settled();
    say(toKeep(2));
    await settled();
    expect(told.at(-1)).toEqual({ type: 'kept', number: 2 });
    end('exited with 0');
    await closing;
  });
});

describe('how the network takes to the device', () => {
  test('is remembered for its client, from what each engine says', async () => {
    const { supervisor, engine } = supervise();
    supervisor.want(order);
    const { say, end } = await engine(1);
    expect(opened).toEqual([order.clientId]);
    const seen = {
      type: 'seen',
      sighting: { kind: 'noted', isFirst: true, aheadMs: 0 },
      isPublished: true,
    } as const;
    say(toState());
    say(seen);
    // Over TLS no platform's clock is hastened.
    expect(heard).toEqual([toState({ clockRate: null }), seen]);
    await Promise.all([supervisor.close(), end('exited with 0')]);
  });
});

describe('what engines count', () => {
  const { counters: zero } = toState();
  const first = toState({
    counters: {
      ...zero,
      consumers: 3,
      upBytes: 1000,
      downBytes: 2000,
      overheadBytes: 300,
      admittedContracts: 10,
      refusedContracts: { 'too-old': 2 },
      unpaidBytes: 100,
      doubtfulBytes: 20,
      reportsWaiting: 4,
      reportsRefused: 1,
      renewals: { bridgedBytes: 5, byPause: 1 },
      sealing: {
        consumers: 2,
        handshakes: 5,
        refusedHandshakes: { proof: 1, 'made-up': 7 },
        sealedMessages: 40,
        openedMessages: 30,
        unopenedMessages: 2,
        workMs: 9,
      },
      dropped: { ...zero.dropped, plain: 6 },
    },
  });
  const sealing = {
    consumers: 0,
    handshakes: 5,
    refusedHandshakes: { proof: 1 },
    sealedMessages: 40,
    openedMessages: 30,
    unopenedMessages: 2,
    workMs: 9,
    refusedPlaintext: 6,
  };

  test('is added up over their processes, and goes on between them', async () => {
    const { supervisor, engine } = supervise();
    supervisor.want(order);
    expect(supervisor.report().figures).toEqual(noFigures);
    const one = await engine(1);
    one.say(toState());
    one.say(first);
    const counted = {
      upBytes: 1000,
      downBytes: 2000,
      overheadBytes: 300,
      acceptedContracts: 10,
      refusedContracts: { 'too-old': 2 },
      unpaidBytes: 100,
      bridgedBytes: 5,
      doubtfulBytes: 20,
      reportsWaiting: 4,
      reportsRefused: 1,
      sealing,
    };
    expect(supervisor.report().figures).toEqual({
      ...counted,
      present: 3,
      sealing: { ...sealing, consumers: 2 },
    });
    one.end('was ended by SIGKILL');
    await settled();
    // Nobody is there without an engine. What waited is in the books.
    expect(supervisor.report().figures).toEqual({ ...counted, present: 0 });
    const two = await engine(2);
    expect(supervisor.report().figures).toEqual({ ...counted, present: 0 });
    two.say(toState());
    expect(supervisor.report().figures).toEqual({ ...counted, present: 0, reportsWaiting: 0 });
    two.say(
      toState({
        counters: {
          ...first.counters,
          consumers: 1,
          refusedContracts: { 'too-old': 1, 'bad-signature': 1 },
        },
      }),
    );
    expect(supervisor.report().figures).toEqual({
      present: 1,
      upBytes: 2000,
      downBytes: 4000,
      overheadBytes: 600,
      acceptedContracts: 20,
      sealing: {
        consumers: 2,
        handshakes: 10,
        refusedHandshakes: { proof: 2 },
        sealedMessages: 80,
        openedMessages: 60,
        unopenedMessages: 4,
        workMs: 18,
        refusedPlaintext: 12,
      },
      refusedContracts: { 'bad-signature': 1, 'too-old': 3 },
      unpaidBytes: 200,
      bridgedBytes: 10,
      doubtfulBytes: 40,
      reportsWaiting: 4,
      reportsRefused: 2,
    });
    await Promise.all([supervisor.close(), two.end('exited with 0')]);
  });

  test('is told of once where the service refuses reports of it', async () => {
    const { supervisor, engine } = supervise();
    supervisor.want(order);
    const { say, end } = await engine(1);
    for (const reportsRefused of [0, 1, 1, 5])
      say(toState({ counters: { ...zero, reportsRefused } }));
    expect(said.filter((line) => line.includes('refused a report'))).toHaveLength(1);
    await Promise.all([supervisor.close(), end('exited with 0')]);
  });

  test('is kept by known kinds alone, whatever an engine names', async () => {
    const { supervisor, engine } = supervise();
    supervisor.want(order);
    const { say, end } = await engine(1);
    const refusedContracts = { oversized: 1, 'made-up': 9, toString: 9 };
    say(toState({ counters: { ...zero, refusedContracts } }));
    expect(supervisor.report().figures.refusedContracts).toEqual({ oversized: 1 });
    await Promise.all([supervisor.close(), end('exited with 0')]);
  });
});

describe('an engine that is not as it should be', () => {
  test('is started again when it ends, later each time, and never two at once', async () => {
    const { supervisor, engine, engines } = supervise();
    supervisor.want(order);
    const startedAtMs: number[] = [];
    for (let number = 1; number <= 8; number += 1) {
      const own = await engine(number);
      startedAtMs.push(performance.now());
      expect(engines.filter(({ isRunning }) => isRunning())).toEqual([own]);
      own.end('exited with 1');
      await vi.advanceTimersByTimeAsync(0);
      expect(supervisor.report().problem?.code).toBe('engine-failed');
      supervisor.want(order);
    }
    const waits = startedAtMs.slice(1).map((at, index) => at - (startedAtMs[index] ?? 0));
    expect(waits.map((ms) => Math.round(ms / 500) / 2)).toEqual([
      1.5, 2.5, 4.5, 8.5, 16.5, 32.5, 60.5,
    ]);
    expect(supervisor.report().starts).toBe(8);
    await supervisor.close();
  });

  test('tells the owner why it could not be started, and what it wrote later only to the log', async () => {
    const { supervisor, engine } = supervise();
    supervisor.want(order);
    const first = await engine(1);
    first.complain('opening the device tributary-c0: TUNSETIFF: Device or resource busy');
    first.end('exited with 16');
    await settled();
    expect(supervisor.report().problem?.message).toContain(
      'exited with 16: opening the device tributary-c0: TUNSETIFF: Device or resource busy; it is',
    );
    const second = await engine(2);
    second.say({ type: 'opened' });
    second.complain('TypeError: anything at all');
    second.end('exited with 1');
    await settled();
    expect(supervisor.report().problem?.message).toContain('exited with 1; it is started again');
    await supervisor.close();
  });

  test('is started again at once where it ran for a minute, and its failures are forgotten', async () => {
    const { supervisor, engine, engines } = supervise();
    supervisor.want(order);
    for (let number = 1; number <= 3; number += 1) (await engine(number)).end('exited with 1');
    const { say, end } = await engine(4);
    say({ type: 'opened' });
    await vi.advanceTimersByTimeAsync(61_000);
    end('exited with 1');
    await vi.advanceTimersByTimeAsync(1);
    expect(engines).toHaveLength(5);
    const failedAtMs = performance.now();
    (await engine(5)).end('exited with 1');
    await engine(6);
    expect(performance.now() - failedAtMs).toBe(2_500);
  });

  test('that never opens its device is ended', async () => {
    const { supervisor, engine } = supervise();
    supervisor.want(order);
    const { wasKilled } = await engine(1);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(wasKilled()).toBe(false);
    await vi.advanceTimersByTimeAsync(1_100);
    expect(wasKilled()).toBe(true);
    expect(supervisor.report().problem?.message).toMatch(/never opened its device/);
    await supervisor.close();
  });

  test('that said nothing for a minute is ended and started again, and one that speaks is not', async () => {
    const { supervisor, engine, engines } = supervise();
    supervisor.want(order);
    const { say, wasKilled } = await engine(1);
    say({ type: 'opened' });
    for (let told = 0; told < 20; told += 1) {
      await vi.advanceTimersByTimeAsync(15_000);
      // Whether it is news or not.
      say(toState());
    }
    await vi.advanceTimersByTimeAsync(59_900);
    expect(wasKilled()).toBe(false);
    await vi.advanceTimersByTimeAsync(10_100);
    expect(wasKilled()).toBe(true);
    expect(supervisor.report().problem?.message).toMatch(/said nothing for a minute/);
    const next = await engine(2);
    expect(engines).toHaveLength(2);
    await Promise.all([supervisor.close(), next.end('exited with 0')]);
  });

  test('wakes nobody by what it counts alone', async () => {
    const { supervisor, engine } = supervise();
    supervisor.want(order);
    const { say, end } = await engine(1);
    say(toState());
    const before = changes;
    say(toState({ counters: { ...toState().counters, consumers: 3 } }));
    expect(changes).toBe(before);
    expect(supervisor.report().state?.counters.consumers).toBe(3);
    say(toState({ isConnected: false }));
    expect(changes).toBe(before + 1);
    await Promise.all([supervisor.close(), end('exited with 0')]);
  });

  test('that does not wait for its books is ended', async () => {
    const { supervisor, engine } = supervise();
    supervisor.want(order);
    const { say, wasKilled } = await engine(1);
    say(toKeep(1));
    say(toKeep(2));
    expect(wasKilled()).toBe(true);
    await supervisor.close();
  });

  test('has its problem shown until it says that it is over', async () => {
    const { supervisor, engine } = supervise();
    supervisor.want(order);
    const { say } = await engine(1);
    say({ type: 'problem', code: 'token-refused', message: 'the platform refuses the token' });
    expect(supervisor.report()).toMatchObject({
      isTokenRefused: true,
      problem: { code: 'platform-unreachable', message: 'the platform refuses the token' },
    });
    say(toState({ problem: 'token-refused', isConnected: false }));
    expect(supervisor.report().isTokenRefused).toBe(true);
    say(toState());
    expect(supervisor.report()).toMatchObject({ isTokenRefused: false, problem: undefined });
    expect(changes).toBeGreaterThanOrEqual(3);
  });

  test('leaves no state behind: what ended is not connected', async () => {
    const { supervisor, engine } = supervise();
    supervisor.want(order);
    const { say, end } = await engine(1);
    say(toState());
    expect(supervisor.report().state?.isConnected).toBe(true);
    end('was ended by SIGSEGV');
    await vi.advanceTimersByTimeAsync(0);
    expect(supervisor.report().state).toBeUndefined();
    expect(said).toEqual(['the engine was ended by SIGSEGV']);
    await supervisor.close();
  });
});
