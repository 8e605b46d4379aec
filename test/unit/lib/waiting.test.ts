import { getEventListeners } from 'node:events';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { computeBackoffMs } from '../../../src/lib/backoff.ts';
import { createBeat } from '../../../src/lib/beat.ts';
import { sleep } from '../../../src/lib/sleep.ts';
import { createWakeup } from '../../../src/lib/wakeup.ts';
import { assertLaw } from '../law.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('a delay before another try', () => {
  const bounds = { baseMs: 1000, maxMs: 60_000 };

  test.each([
    [1, 1000],
    [2, 2000],
    [6, 32_000],
    [7, 60_000],
    [1_000_000, 60_000],
  ])('before try %i is between 0 and %i ms', (attempt, most) => {
    expect(computeBackoffMs(attempt, bounds, () => 1)).toBe(most);
    expect(computeBackoffMs(attempt, bounds, () => 0)).toBe(0);
  });

  test('never leaves its bounds', () => {
    const given = fc.record({
      attempt: fc.integer({ min: 1 }),
      baseMs: fc.integer({ min: 1, max: 10_000 }),
      maxMs: fc.integer({ min: 1, max: 86_400_000 }),
      random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    });
    assertLaw(given, ({ attempt, baseMs, maxMs, random }) => {
      const delay = computeBackoffMs(attempt, { baseMs, maxMs }, () => random);
      expect(delay).toBeGreaterThanOrEqual(0);
      expect(delay).toBeLessThanOrEqual(maxMs);
      expect(Number.isInteger(delay)).toBe(true);
    });
  });
});

describe('waits on a beat', () => {
  test('end in one moment, never late and less than a beat early', async () => {
    const beat = createBeat(4000);
    const { signal } = new AbortController();
    const waits = [4000, 5000, 7900, 8000, 11_000, 12_000];
    await vi.advanceTimersByTimeAsync(1300);
    const startedMs = performance.now();
    const ended = new Map<number, number>();
    const waiting = waits.map((ms) =>
      beat(ms, signal).then(() => ended.set(ms, performance.now() - startedMs)),
    );
    await vi.advanceTimersByTimeAsync(12_000);
    await Promise.all(waiting);
    for (const ms of waits) {
      expect(ended.get(ms), `${ms}`).toBeLessThanOrEqual(ms);
      expect(ended.get(ms), `${ms}`).toBeGreaterThan(ms - 4000);
    }
    expect(new Set(ended.values()).size).toBe(3);
    expect([listeners(signal), vi.getTimerCount()]).toEqual([0, 0]);
  });

  test('last their own time where it is less than a beat', async () => {
    const passed = vi.fn();
    const waiting = createBeat(4000)(3999, new AbortController().signal).then(passed);
    await vi.advanceTimersByTimeAsync(3998);
    expect(passed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(passed).toHaveBeenCalledExactlyOnceWith(true);
    await waiting;
  });

  test('end with their signals at once, alone, and leave neither timer nor listener', async () => {
    const beat = createBeat(4000);
    const [one, other] = [new AbortController(), new AbortController()];
    const passed = vi.fn();
    const waiting = [beat(9000, one.signal), beat(9000, other.signal).then(passed)];
    one.abort();
    await expect(waiting[0]).resolves.toBe(false);
    expect(passed).not.toHaveBeenCalled();
    expect([listeners(one.signal), vi.getTimerCount()]).toEqual([0, 1]);
    other.abort();
    await waiting[1];
    expect([passed.mock.calls, listeners(other.signal), vi.getTimerCount()]).toEqual([
      [[false]],
      0,
      0,
    ]);
    await expect(beat(9000, AbortSignal.abort())).resolves.toBe(false);
  });

  test('come again and again: a wait that begins at a beat lasts whole beats', async () => {
    const beat = createBeat(4000);
    const controller = new AbortController();
    const times: number[] = [];
    const waitOn = async () => {
      while (await beat(8000, controller.signal)) times.push(performance.now());
    };
    const waiting = waitOn();
    await vi.advanceTimersByTimeAsync(60_000);
    controller.abort();
    await waiting;
    const gaps = times
      .slice(1)
      .map((at, index) => Math.round((at - (times[index] ?? 0)) / 10) * 10);
    expect(gaps.length).toBeGreaterThan(3);
    expect(new Set(gaps)).toEqual(new Set([8000]));
  });
});

describe('a wait', () => {
  test('lasts the given time, and reports that it passed', async () => {
    const { signal } = new AbortController();
    const passed = vi.fn();
    const waiting = sleep(1000, signal).then(passed);
    await vi.advanceTimersByTimeAsync(999);
    expect(passed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(passed).toHaveBeenCalledExactlyOnceWith(true);
    await waiting;
    expect(listeners(signal)).toBe(0);
  });

  test('ends with its signal at once, and leaves neither timer nor listener', async () => {
    const controller = new AbortController();
    const waiting = sleep(1000, controller.signal);
    expect(listeners(controller.signal)).toBe(1);
    controller.abort();
    await expect(waiting).resolves.toBe(false);
    expect([listeners(controller.signal), vi.getTimerCount()]).toEqual([0, 0]);
  });

  test('does not begin under a signal that is aborted already', async () => {
    await expect(sleep(1000, AbortSignal.abort())).resolves.toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that is longer than a timer can hold does not end at once', async () => {
    const passed = vi.fn();
    const controller = new AbortController();
    const waiting = sleep(2 ** 40, controller.signal).then(passed);
    await vi.advanceTimersByTimeAsync(86_400_000);
    expect(passed).not.toHaveBeenCalled();
    controller.abort();
    await waiting;
  });
});

describe('a doorbell', () => {
  test('ends the wait that it rings into', async () => {
    const { signal } = new AbortController();
    const wakeup = createWakeup();
    const waiting = wakeup.wait(1000, signal);
    wakeup.notify();
    await expect(waiting).resolves.toBeUndefined();
    expect([listeners(signal), vi.getTimerCount()]).toEqual([0, 0]);
  });

  test('that rang while nobody waited ends the next wait, and only that', async () => {
    const { signal } = new AbortController();
    const wakeup = createWakeup();
    wakeup.notify();
    wakeup.notify();
    await wakeup.wait(1000, signal);
    const passed = vi.fn();
    const waiting = wakeup.wait(1000, signal).then(passed);
    await vi.advanceTimersByTimeAsync(999);
    expect(passed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(passed).toHaveBeenCalledOnce();
    await waiting;
  });

  test('is not waited for under an aborted signal, and a wait ends when it aborts', async () => {
    const controller = new AbortController();
    const wakeup = createWakeup();
    const waiting = wakeup.wait(1000, controller.signal);
    controller.abort();
    await expect(waiting).resolves.toBeUndefined();
    await expect(wakeup.wait(1000, controller.signal)).resolves.toBeUndefined();
    expect([listeners(controller.signal), vi.getTimerCount()]).toEqual([0, 0]);
  });

  test('leaves no listener however often it is waited for', async () => {
    const { signal } = new AbortController();
    const wakeup = createWakeup();
    for (let round = 0; round < 100; round += 1) {
      const waiting = wakeup.wait(10, signal);
      await vi.advanceTimersByTimeAsync(10);
      await waiting;
    }
    expect(listeners(signal)).toBe(0);
  });
});
