import { describe, expect, test } from 'vitest';
import { createPatience } from '../../../src/connect/sequence/patience.ts';

/** How many frames are dropped while each waits for so long, one frame a ms. */
function countDrops(waits: (now: number) => number, ms: number): number {
  const patience = createPatience();
  let drops = 0;
  for (let now = 0; now < ms; now++) if (patience.isOver(waits(now), now)) drops++;
  return drops;
}

describe('patience with what waits', () => {
  test('nothing is dropped while some frame of each period waits for a short time only', () => {
    expect(countDrops((now) => (now % 190 === 0 ? 10 : 900), 60_000)).toBe(0);
  });

  test('a burst that is gone within a period costs nothing', () => {
    expect(countDrops((now) => (now < 190 ? 400 : 0), 1000)).toBe(0);
  });

  test('a wait that stays too long costs one frame, and more the longer it stays', () => {
    const during = (ms: number) => countDrops(() => 300, ms);
    expect(during(200)).toBe(0);
    expect(during(300)).toBe(1);
    expect(during(1000)).toBeGreaterThan(4);
    expect(during(4000) - during(3000)).toBeGreaterThan(during(2000) - during(1000));
  });

  test('a wait that comes back soon goes on where the last one ended', () => {
    const back = (pause: number) =>
      countDrops((now) => (now < 3000 || now >= 3000 + pause ? 300 : 0), 4000 + pause);
    expect(back(100)).toBeGreaterThan(back(10_000) + 3);
  });
});
