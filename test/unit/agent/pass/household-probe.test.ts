import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createHouseholdProbe,
  type ProbeQuestion,
} from '../../../../src/agent/pass/household-probe.ts';
import { patienceMs } from '../../../../src/system/line-probe.ts';
import type { NoPing, Ping } from '../../../../src/system/ping.ts';
import type { PingSaid } from '../../../../src/system/ping-line.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const service = { host: 'service.example', port: 443 };
const router = { host: '192.168.1.1', port: 53 };
const tunnelEnd = '198.51.100.2';
const hops = ['10.0.3.1', router.host, '203.0.113.1', '203.0.113.2'];

const usual: ProbeQuestion = {
  loadBits: 10e6,
  lineBits: 20e6,
  rateBits: 20e6,
  tunnelEnd,
  service,
  router: router.host,
};

/** A way with these routers; `silent` are the places that answer no ping. */
function start(changes: Partial<{ noPing: NoPing; hops: readonly string[] }> = {}) {
  const way = {
    noPing: changes.noPing,
    hops: changes.hops ?? hops,
    silent: new Set<string>(),
    /** What a connection takes, ms. */
    delayOf: (_: { readonly host: string }): number | undefined => 40,
  };
  const asked: string[] = [];
  const looked: (readonly [string, number])[] = [];
  const connected: { readonly host: string; readonly port: number }[] = [];
  const running = new Set<string>();
  let trials = 0;
  const said: string[] = [];
  const ping: Ping = {
    async ask(address, distance): Promise<PingSaid | undefined> {
      looked.push([address, distance]);
      const from = way.hops[distance - 1];
      if (from === undefined) return { kind: 'answer', from: address, delayMs: 40 };
      return from === '' ? undefined : { kind: 'expired', from };
    },
    keepAsking(address, onLine, signal) {
      asked.push(address);
      running.add(address);
      const timer = setInterval(() => {
        if (!way.silent.has(address)) onLine({ kind: 'answer', from: address, delayMs: 41 });
      }, 500);
      signal.addEventListener('abort', () => {
        clearInterval(timer);
        running.delete(address);
      });
    },
  };
  const probe = createHouseholdProbe({
    findPing: async () => {
      trials += 1;
      return way.noPing ?? ping;
    },
    connect: async (target) => {
      connected.push(target);
      return way.delayOf(target);
    },
    resolve: async (host) => (host === service.host ? '192.0.2.80' : undefined),
    log: { info: (_: unknown, text: string) => void said.push(text) } as never,
  });
  const controller = new AbortController();
  const measure = async (question: Partial<ProbeQuestion> = {}) => {
    const probed = probe.measure({ ...usual, ...question }, controller.signal);
    await vi.advanceTimersByTimeAsync(patienceMs);
    return probed;
  };
  /** One look after another for so many seconds; the kinds that measured. */
  const live = async (seconds: number, question: Partial<ProbeQuestion> = {}) => {
    const kinds = new Set<string>();
    for (let second = 0; second < seconds; second += 1) {
      const probed = await measure(question);
      if (probed?.delayMs !== undefined) kinds.add(probed.kind);
    }
    return [...kinds];
  };
  return {
    way,
    probe,
    controller,
    measure,
    live,
    asked,
    looked,
    connected,
    running,
    said,
    trials: () => trials,
  };
}

describe('by ping', () => {
  test('the first router beyond the home’s is asked, and nobody else', async () => {
    const { measure, live, asked, looked, connected, running, probe } = start();
    expect(await measure()).toEqual({ kind: 'first-hop', place: '203.0.113.1', delayMs: 41 });
    expect(await live(60)).toEqual(['first-hop']);
    expect([asked, connected]).toEqual([['203.0.113.1'], []]);
    expect(looked).toEqual([1, 2, 3, 4, 5].map((distance) => [tunnelEnd, distance]));
    expect([[...running], probe.problem()]).toEqual([['203.0.113.1'], undefined]);
  });

  test('the next of three is asked where it is silent, then the tunnel’s other end', async () => {
    const { way, live, asked, connected, running } = start({
      hops: [router.host, '203.0.113.1', '203.0.113.2', '203.0.113.3', '203.0.113.4'],
    });
    way.silent = new Set(['203.0.113.1', '203.0.113.2', '203.0.113.3']);
    expect(await live(30)).toEqual(['tunnel-end']);
    expect(asked).toEqual(['203.0.113.1', '203.0.113.2', '203.0.113.3', tunnelEnd]);
    expect([[...running], connected]).toEqual([[tunnelEnd], []]);
  });

  test('routers that let packets end in silence are passed over', async () => {
    const { live, asked } = start({ hops: [router.host, '', '', '203.0.113.2'] });
    expect(await live(5)).toEqual(['first-hop']);
    expect(asked).toEqual(['203.0.113.2']);
  });

  test('without a tunnel the routers lie on the way to the service', async () => {
    const { way, live, asked, looked } = start();
    expect(await live(5, { tunnelEnd: undefined })).toEqual(['first-hop']);
    expect(new Set(looked.map(([address]) => address))).toEqual(new Set(['192.0.2.80']));
    way.silent = new Set(hops);
    expect(await live(40, { tunnelEnd: undefined })).toContain('service');
    expect(asked).not.toContain('192.0.2.80');
  });

  test('a place that falls silent is no place for longer than that', async () => {
    const { way, live, asked } = start();
    await live(10);
    way.silent = new Set(['203.0.113.1']);
    await live(20);
    expect(asked).toEqual(['203.0.113.1', '203.0.113.2']);
  });

  test('it ends 30 s after the last load, and goes on at the same place with the next', async () => {
    const { live, probe, running, asked, looked } = start();
    await live(10);
    const count = looked.length;
    await vi.advanceTimersByTimeAsync(28_000);
    probe.rest();
    expect([...running]).toEqual(['203.0.113.1']);
    await vi.advanceTimersByTimeAsync(2_000);
    probe.rest();
    expect([...running]).toEqual([]);
    await live(10);
    expect([[...running], asked.length, looked.length]).toEqual([['203.0.113.1'], 2, count]);
  });

  test('the way is looked at again where the tunnel or the router is another, and each hour', async () => {
    const { live, looked, measure } = start();
    const countLooks = () => looked.filter(([, distance]) => distance === 1).length;
    await live(10);
    expect(countLooks()).toBe(1);
    await live(5, { router: '192.168.2.1' });
    expect(countLooks()).toBe(2);
    await live(5, { router: '192.168.2.1', tunnelEnd: '198.51.100.3' });
    expect(countLooks()).toBe(3);
    await vi.advanceTimersByTimeAsync(3_600_000);
    await measure({ router: '192.168.2.1', tunnelEnd: '198.51.100.3' });
    expect(countLooks()).toBe(4);
  });

  test.each([
    ['the agent ends', ({ controller }: ReturnType<typeof start>) => controller.abort()],
    ['it is not wanted any more', ({ probe }: ReturnType<typeof start>) => probe.end()],
  ])('nothing runs on where %s', async (_, end) => {
    const world = start();
    await world.live(5);
    end(world);
    expect([...world.running]).toEqual([]);
  });
});

describe('by connections', () => {
  test.each(['missing', 'not-allowed'] as const)(
    'the service is asked at most every 5 s where ping is %s, which is said once',
    async (problem) => {
      const { live, connected, probe, said, trials } = start({
        noPing: { problem, message: 'why' },
      });
      expect(await live(100)).toEqual(['service']);
      expect(connected).toEqual(Array.from({ length: 20 }, () => service));
      expect(probe.problem()).toBe(problem);
      await live(600);
      expect([said.length, trials()]).toEqual([1, 3]);
    },
  );

  test('nobody is asked below 30 % of the line', async () => {
    const { live, connected } = start({ noPing: { problem: 'missing', message: 'why' } });
    expect(await live(100, { loadBits: 5.9e6 })).toEqual([]);
    expect(connected).toEqual([]);
  });

  test('ping is tried again after five minutes where no place answered it', async () => {
    const { way, live, connected, probe } = start();
    way.silent = new Set([...hops, tunnelEnd]);
    await live(60);
    expect([probe.problem(), connected.at(-1)]).toEqual(['no-answer', service]);
    way.silent = new Set();
    expect(await live(300)).toContain('first-hop');
    const count = connected.length;
    expect(await live(60)).toEqual(['first-hop']);
    expect([probe.problem(), connected.length]).toEqual([undefined, count]);
  });

  const hostsOf = (targets: readonly { readonly host: string }[]) => [
    ...new Set(targets.map(({ host }) => host)),
  ];
  const noPing: NoPing = { problem: 'missing', message: 'why' };

  test.each([
    ['says nothing', patienceMs],
    ['cannot be tried', undefined],
  ])('the router is asked for five minutes where the service %s', async (_, delayMs) => {
    const { way, live, connected } = start({ noPing });
    way.delayOf = ({ host }) => (host === service.host ? delayMs : 2);
    await live(15);
    expect(connected).toEqual([service, service, service]);
    expect(await live(290)).toEqual(['router']);
    expect(hostsOf(connected.slice(3))).toEqual([router.host]);
    way.delayOf = () => 40;
    await live(20);
    expect(connected.at(-1)).toEqual(service);
  });

  test('a single failure changes nothing, nor do some where it answers in between', async () => {
    const { way, live, connected } = start({ noPing });
    let count = 0;
    way.delayOf = () => {
      count += 1;
      return count % 2 === 0 ? 40 : undefined;
    };
    await live(100);
    expect(hostsOf(connected)).toEqual([service.host]);
  });

  test('the service is asked on where no router is known', async () => {
    const { way, live, connected } = start({ noPing });
    way.delayOf = () => undefined;
    expect(await live(100, { router: undefined })).toEqual([]);
    expect(hostsOf(connected)).toEqual([service.host]);
  });
});
