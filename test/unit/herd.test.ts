import { describe, expect, test } from 'vitest';
import { countProbes, judgeProbes, probesGoal } from '../herd/probes.ts';
import { goalRatio, runHerd } from '../herd/run-herd.ts';

const herd = await runHerd({ agents: 2_000, seed: 1 });

describe('the load of very many devices on one service', () => {
  test.each(herd.rows.map(({ phase, ratio }) => [phase, ratio] as const))(
    'while: %s, has a highest window of %f means of rest, within the goal',
    (_, ratio) => {
      expect(ratio).toBeLessThanOrEqual(goalRatio);
    },
  );

  test('at rest is a renewal in each interval, and a report', () => {
    const rest = herd.rows.find(({ phase }) => phase === 'rest');
    expect(rest?.mean).toBeCloseTo(2_000 / 54 + 2_000 / 900, 0);
  });

  test('repeats exactly with the same seed', async () => {
    const [first, second] = [
      await runHerd({ agents: 20, seed: 7 }),
      await runHerd({ agents: 20, seed: 7 }),
    ];
    expect(first).toEqual(second);
  });
});

describe('the connections of the household probes', () => {
  test('are less than one a second for a thousand sharing devices, most of which have a ping', async () => {
    const counted = await countProbes({ seed: 1, first: 0, end: 3_000 });
    const [most, none] = judgeProbes({ agents: 3_000 }, counted);
    expect(most?.mean).toBeGreaterThan(0);
    expect(most?.mean).toBeLessThan(probesGoal);
    // One of ten is busy, and then connects once in five seconds.
    expect(Math.abs((none?.mean ?? 0) - 20)).toBeLessThan(3);
  });
});
