import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPingWatch } from '../../../../src/agent/pass/ping-watch.ts';
import { patienceMs } from '../../../../src/system/line-probe.ts';
import type { Ping } from '../../../../src/system/ping.ts';
import type { PingSaid } from '../../../../src/system/ping-line.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const place = '203.0.113.1';

function start() {
  let hear: (said: PingSaid | undefined) => void = () => undefined;
  let running: AbortSignal | undefined;
  const ping: Ping = {
    ask: async () => undefined,
    keepAsking: (_, onLine, signal) => {
      hear = onLine;
      running = signal;
    },
  };
  const controller = new AbortController();
  const watch = createPingWatch(ping, place, controller.signal);
  const next = () => watch.next(controller.signal);
  /** What comes of the next look where nothing is heard for so long. */
  const nextAfter = async (ms: number) => {
    const delay = next();
    await vi.advanceTimersByTimeAsync(ms);
    return delay;
  };
  return {
    controller,
    watch,
    next,
    nextAfter,
    hear: (said: PingSaid | undefined) => hear(said),
    answer: (delayMs: number, from = place) => hear({ kind: 'answer', from, delayMs }),
    isRunning: () => running?.aborted === false,
  };
}

describe('the next delay', () => {
  test('is what was heard last, once', async () => {
    const { answer, next, nextAfter } = start();
    answer(41);
    answer(43);
    expect(await next()).toBe(43);
    const later = next();
    answer(50);
    expect(await later).toBe(50);
    expect(await nextAfter(patienceMs)).toBe(patienceMs);
  });

  test('is a second at most, and a second of silence is one, if the place answered before', async () => {
    const { answer, next, nextAfter } = start();
    answer(2_500);
    expect(await next()).toBe(patienceMs);
    expect(await nextAfter(patienceMs)).toBe(patienceMs);
  });

  test('is not taken from anybody else', async () => {
    const { hear, answer, nextAfter } = start();
    answer(1, '203.0.113.2');
    hear({ kind: 'expired', from: place });
    hear(undefined);
    expect(await nextAfter(patienceMs)).toBeUndefined();
  });
});

describe('a place that says nothing', () => {
  test('is given up after three seconds, if it never did', async () => {
    const { nextAfter } = start();
    const delays = [];
    for (let second = 0; second < 3; second += 1) delays.push(await nextAfter(patienceMs));
    expect(delays).toEqual([undefined, undefined, 'silent']);
  });

  test('is given up after six, if it did: so long may a queue need to empty', async () => {
    const { answer, next, nextAfter } = start();
    answer(41);
    await next();
    const delays = [];
    for (let second = 0; second < 5; second += 1) delays.push(await nextAfter(patienceMs));
    expect(delays).toEqual(Array.from({ length: 5 }, () => patienceMs));
    answer(900);
    expect(await next()).toBe(900);
    for (let second = 0; second < 5; second += 1)
      expect(await nextAfter(patienceMs)).toBe(patienceMs);
    expect(await nextAfter(patienceMs)).toBe('silent');
  });
});

test('what answers each packet many times is ended, and not believed', async () => {
  const { answer, next, isRunning } = start();
  for (let times = 0; times < 20; times += 1) answer(41);
  expect(isRunning()).toBe(true);
  answer(41);
  expect(isRunning()).toBe(false);
  expect(await next()).toBe('silent');
});

test('two lines a second are no flood, however long nobody looks', async () => {
  const { answer, next, isRunning } = start();
  for (let times = 0; times < 200; times += 1) {
    answer(41);
    await vi.advanceTimersByTimeAsync(500);
  }
  expect([isRunning(), await next()]).toEqual([true, 41]);
});

test.each([
  ['the agent', ({ controller }: ReturnType<typeof start>) => controller.abort()],
  ['who asked', ({ watch }: ReturnType<typeof start>) => watch.end()],
])('the ping ends with %s', async (_, end) => {
  const world = start();
  expect(world.isRunning()).toBe(true);
  end(world);
  expect(world.isRunning()).toBe(false);
});

test('the agent’s end is not waited for', async () => {
  const { controller, next } = start();
  const delay = next();
  controller.abort();
  expect(await delay).toBeUndefined();
});
