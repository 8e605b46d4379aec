import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createFirstFiguresTick } from '../../../../src/agent/loops/first-figures-loop.ts';
import type { Facts } from '../../../../src/health/facts.ts';
import { createFacts, freshFacts, now, providingFacts } from '../../health/sample-facts.ts';

const { signal } = new AbortController();
const unread: Facts = { ...providingFacts, serviceFigures: undefined };

beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** An agent in which these facts follow one another, each for so many seconds; resolves with the seconds at which the service was asked. */
async function runThrough(...stages: readonly (readonly [Facts, number])[]): Promise<readonly number[]> {
  const startMs = performance.now();
  let facts = freshFacts;
  const asked: number[] = [];
  const tick = createFirstFiguresTick({
    facts: () => facts,
    readFigures: async () => void asked.push(Math.round((performance.now() - startMs) / 1000)),
    now: () => now,
    random: () => 0.5,
  });
  let waitMs = 0;
  for (const [next, seconds] of stages) {
    facts = next;
    for (let second = 0; second < seconds; second += 1) {
      if (waitMs <= 0) waitMs = await tick(signal);
      vi.advanceTimersByTime(1000);
      waitMs -= 1000;
    }
  }
  return asked;
}

describe("the service's figures", () => {
  test('are asked for once, about a minute after the first providing', async () => {
    expect(await runThrough([freshFacts, 300], [unread, 30_000])).toEqual([360]);
  });

  test('are not asked for while nothing was ever provided', async () => {
    const idle = createFacts({ provide: { configured: 'none', effective: 'none' } }, unread);
    expect(await runThrough([idle, 20_000])).toEqual([]);
  });

  test('are asked for also where the first providing was short', async () => {
    expect(await runThrough([unread, 20], [freshFacts, 600])).toEqual([60]);
  });

  test('are left to the reports where one was quicker', async () => {
    expect(await runThrough([unread, 20], [providingFacts, 600], [unread, 3000])).toEqual([]);
  });
});
