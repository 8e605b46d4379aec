import { describe, expect, test, vi } from 'vitest';
import { SystemError } from '../../../src/system/errors.ts';
import type { KeptProgram } from '../../../src/system/kept-program.ts';
import { findPing, widenGroups } from '../../../src/system/ping.ts';

const missing = new SystemError('missing-program', 'trying ping: ping is not installed');
const refused = new SystemError('command-failed', 'trying ping: ping exited with 2: socket');
const notStarted = new SystemError('command-failed', 'trying ping: ping failed (EPERM)');

/** A machine where each trial in turn ends so; `kept` is what was started to run on. */
function createMachine(...outcomes: readonly (SystemError | undefined)[]) {
  const tried: string[] = [];
  const allowed: number[] = [];
  const kept: (KeptProgram & { readonly signal: AbortSignal; end: () => void })[] = [];
  const left = [...outcomes];
  const find = () =>
    findPing({
      exec: async ({ program, args }) => {
        tried.push([program, ...args].join(' '));
        const failure = left.shift();
        if (failure !== undefined) throw failure;
        return '';
      },
      keepProgram: (program, signal) => {
        const { promise: ended, resolve: end } = Promise.withResolvers<void>();
        signal.addEventListener('abort', () => end());
        kept.push({ ...program, signal, end });
        return { ended, restart: () => undefined };
      },
      allowGroup: async (group) => void allowed.push(group),
      findLoader: async (program) => ['/lib/ld.so', `/bin/${program}`],
    });
  return { find, tried, allowed, kept };
}

const trial = 'ping -n -c 1 -W 1 127.0.0.1';
const loaded = '/lib/ld.so /bin/ping -n -c 1 -W 1 127.0.0.1';
const own = process.getegid?.() ?? 0;

describe('whether ping may be used', () => {
  test.each([
    ['it just may', [undefined], [trial], []],
    ['its file has a right that nobody has here', [notStarted, undefined], [trial, loaded], []],
    ['its group may not ping yet', [refused, undefined], [trial, trial], [own]],
    ['both at once', [notStarted, refused, undefined], [trial, loaded, loaded], [own]],
  ])('it may: %s', async (_, outcomes, tried, allowed) => {
    const machine = createMachine(...outcomes);
    expect(await machine.find()).toHaveProperty('keepAsking');
    expect([machine.tried, machine.allowed]).toEqual([tried, allowed]);
  });

  test.each([
    ['missing', [missing], [trial]],
    ['not-allowed', [refused, refused], [trial, trial]],
    ['not-allowed', [notStarted, refused, refused], [trial, loaded, loaded]],
  ])('it may not: %s', async (problem, outcomes, tried) => {
    const machine = createMachine(...outcomes);
    const { message } = outcomes.at(-1) as SystemError;
    expect(await machine.find()).toEqual({ problem, message });
    expect(machine.tried).toEqual(tried);
  });
});

describe('the groups that may ping', () => {
  test.each([
    ['1\t0', 990, '990 990'],
    ['0\t2147483647', 990, undefined],
    ['990 990', 990, undefined],
    ['100\t200', 990, '100 990'],
    ['1000 2000', 0, '0 2000'],
    ['', 0, undefined],
    [undefined, 0, undefined],
  ])('of %j are with %i: %j', (present, group, expected) => {
    expect(widenGroups(present, group)).toBe(expected);
  });
});

/** A ping that may be used, and the machine that it runs on. */
async function createPing() {
  const machine = createMachine();
  const ping = await machine.find();
  if ('problem' in ping) throw new Error(ping.message);
  const controller = new AbortController();
  return { ...machine, ping, controller };
}

describe('a packet that may cross so many routers', () => {
  test('is answered by the first line that tells something, which ends the ping', async () => {
    const { ping, controller, kept } = await createPing();
    const said = ping.ask('198.51.100.2', 2, controller.signal);
    expect(kept.map(({ program, args }) => [program, ...args].join(' '))).toEqual([
      'env LC_ALL=C ping -n -W 1 -c 1 -t 2 198.51.100.2',
    ]);
    kept[0]?.onLine('PING 198.51.100.2 (198.51.100.2) 56(84) bytes of data.');
    kept[0]?.onLine('From 203.0.113.1 icmp_seq=1 Time to live exceeded');
    kept[0]?.onLine('64 bytes from 198.51.100.2: icmp_seq=1 ttl=63 time=1 ms');
    expect(await said).toEqual({ kind: 'expired', from: '203.0.113.1' });
    expect(kept[0]?.signal.aborted).toBe(true);
  });

  test.each([
    ['the ping ends', ({ kept }) => kept[0]?.onReturn()],
    ['the agent ends', ({ controller }) => controller.abort()],
    ['the ping hangs', () => vi.advanceTimersByTime(2_000)],
  ] satisfies readonly (readonly [
    string,
    (world: Awaited<ReturnType<typeof createPing>>) => void,
  ])[])('is answered by nobody where %s', async (_, end) => {
    vi.useFakeTimers();
    try {
      const world = await createPing();
      const said = world.ping.ask('198.51.100.2', 2, world.controller.signal);
      end(world);
      expect(await said).toBeUndefined();
      expect(world.kept[0]?.signal.aborted).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });
});

test('a place that is asked on and on is heard line by line until the end', async () => {
  const { ping, controller, kept } = await createPing();
  const heard: unknown[] = [];
  ping.keepAsking('203.0.113.1', (said) => heard.push(said), controller.signal);
  expect(kept.map(({ program, args }) => [program, ...args].join(' '))).toEqual([
    'env LC_ALL=C ping -n -W 1 -i 0.5 -w 3600 203.0.113.1',
  ]);
  kept[0]?.onLine('64 bytes from 203.0.113.1: icmp_seq=1 ttl=63 time=1 ms');
  kept[0]?.onLine('anything');
  expect(heard).toEqual([{ kind: 'answer', from: '203.0.113.1', delayMs: 1 }, undefined]);
  expect(kept[0]?.signal.aborted).toBe(false);
  controller.abort();
  expect(kept[0]?.signal.aborted).toBe(true);
});
