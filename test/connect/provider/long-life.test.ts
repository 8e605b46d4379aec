import { expect, test } from 'vitest';
import { findGrowth, liveLong } from '../support/long-life.ts';

test('days of many consumers, with a clock that jumps and a service that answers badly, leave nothing behind and count nothing twice', async () => {
  const life = await liveLong({ days: 5, perDay: 30, dayMs: 86_400_000 });
  expect(life.consumers).toBeGreaterThan(50);
  expect(life.answered / life.asked).toBeGreaterThan(0.9);
  expect(life.contracts).toBeGreaterThan(2 * life.consumers);
  expect(life.overcounted).toBe(0);
  expect(life.ids.made).toBeGreaterThan(life.consumers);
  expect(life.ids.repeated).toBe(0);
  expect(life.toldBytes).toBeGreaterThan(0.9 * life.carriedBytes);
  for (const { consumers, booksBytes } of life.days) {
    expect(consumers).toBeLessThan(30);
    expect(booksBytes).toBeLessThan(100_000);
  }
  // In megabytes such a leak is lost among what the compiler makes.
  expect(findGrowth(life.days, 30)).toEqual([]);
}, 120_000);
