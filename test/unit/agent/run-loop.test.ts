import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createHeartbeats, every, type Loop, runLoop } from '../../../src/agent/run-loop.ts';
import { createBeat } from '../../../src/lib/beat.ts';
import { createWakeup } from '../../../src/lib/wakeup.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A loop that counts its ticks, one every 900 seconds. */
function start(given: Pick<Loop, 'firstAfterMs' | 'wakeup'>) {
  const controller = new AbortController();
  let ticks = 0;
  const loop = every({
    name: 'some',
    waitMs: 900_000,
    work: () => {
      ticks += 1;
    },
  });
  const running = runLoop({ ...loop, ...given }, controller.signal);
  return { controller, running, count: () => ticks };
}

test('what an optional loop throws is noted, and it goes on after a minute', async () => {
  const controller = new AbortController();
  const noted: [string, unknown][] = [];
  const failures = { note: (part: string, error: unknown) => void noted.push([part, error]) };
  const bug = new TypeError('a bug');
  let ticks = 0;
  const loop: Loop = {
    name: 'report',
    isOptional: true,
    async tick() {
      ticks += 1;
      throw bug;
    },
  };
  const running = runLoop(loop, controller.signal, { failures });
  await vi.advanceTimersByTimeAsync(60_000);
  expect([ticks, noted]).toEqual([
    2,
    [
      ['report', bug],
      ['report', bug],
    ],
  ]);
  controller.abort();
  await running;
  await expect(
    runLoop({ ...loop, isOptional: false }, new AbortController().signal, { failures }),
  ).rejects.toBe(bug);
});

test('a loop ticks at once', async () => {
  const { count } = start({});
  await vi.advanceTimersByTimeAsync(0);
  expect(count()).toBe(1);
});

test('a loop whose first tick waits does so once', async () => {
  const { count } = start({ firstAfterMs: 10_000 });
  await vi.advanceTimersByTimeAsync(9_999);
  expect(count()).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(count()).toBe(1);
  await vi.advanceTimersByTimeAsync(899_999);
  expect(count()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(count()).toBe(2);
});

test.each(['before', 'while'])(
  'a notice %s it waits makes the first tick at once',
  async (moment) => {
    const wakeup = createWakeup();
    if (moment === 'before') wakeup.notify();
    const { count } = start({ firstAfterMs: 10_000, wakeup });
    if (moment === 'while') wakeup.notify();
    await vi.advanceTimersByTimeAsync(0);
    expect(count()).toBe(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(count()).toBe(1);
  },
);

test('a loop that is stopped while its first tick waits ends without it', async () => {
  const { controller, running, count } = start({ firstAfterMs: 10_000 });
  controller.abort();
  await running;
  expect(count()).toBe(0);
});

test('a loop is stalled when it has been silent for longer than it promised', async () => {
  const controller = new AbortController();
  const heartbeats = createHeartbeats();
  const { promise: hung, resolve: goOn } = Promise.withResolvers<number>();
  const loops: readonly Loop[] = [
    { name: 'quick', tick: async () => 900, maxSilenceMs: 1000 },
    { name: 'hung', tick: () => hung, maxSilenceMs: 1000 },
    { name: 'late', tick: async () => 900, firstAfterMs: 5_000, maxSilenceMs: 1000 },
    { name: 'patient', tick: () => hung, maxSilenceMs: 9_000 },
    { name: 'free', tick: () => hung },
  ];
  const running = loops.map((loop) => runLoop(loop, controller.signal, { heartbeats }));
  await vi.advanceTimersByTimeAsync(1000);
  expect(heartbeats.stalled()).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(heartbeats.stalled()).toEqual(['hung']);
  await vi.advanceTimersByTimeAsync(8_000);
  expect(heartbeats.stalled()).toEqual(['hung', 'patient']);
  controller.abort();
  goOn(0);
  await Promise.all(running);
});

test('loops on the beat tick in one moment, also those that others wake, and the rest in their own time', async () => {
  const controller = new AbortController();
  const startedMs = performance.now();
  const ticks: [name: string, atMs: number][] = [];
  const toLoop = (name: string, waitMs: number, given: Partial<Loop> = {}): Loop => ({
    ...every({
      name,
      waitMs,
      work: () => void ticks.push([name, performance.now() - startedMs]),
    }),
    ...given,
  });
  const wakeup = createWakeup();
  const beat = createBeat(4000);
  const loops = [
    toLoop('short', 5000, { isOnBeat: true }),
    toLoop('long', 8500, { isOnBeat: true, wakeup }),
    toLoop('own', 5000),
  ];
  await vi.advanceTimersByTimeAsync(4000 - (performance.now() % 4000));
  const offsetMs = performance.now() - startedMs;
  const running = loops.map((loop) => runLoop(loop, controller.signal, { beat }));
  await vi.advanceTimersByTimeAsync(9000);
  const toTimes = (name: string) =>
    ticks
      .filter(([own]) => own === name)
      .map(([, atMs]) => Math.round((atMs - offsetMs) / 10) * 10);
  expect(toTimes('short')).toEqual([0, 4000, 8000]);
  expect(toTimes('long')).toEqual([0, 8000]);
  expect(toTimes('own')).toEqual([0, 5000]);
  wakeup.notify();
  await vi.advanceTimersByTimeAsync(0);
  expect(toTimes('long')).toEqual([0, 8000, 9000]);
  controller.abort();
  await Promise.all(running);
});
