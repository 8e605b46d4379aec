import { expect, test } from 'vitest';
import { liveLong } from '../support/long-life.ts';

const mebibyte = 1024 * 1024;

test('days of many consumers, with a clock that jumps and a service that answers badly, leave nothing behind and count nothing twice', () => {
  const life = liveLong({ days: 3, perDay: 25, dayMs: 3_600_000 });
  expect(life.consumers).toBeGreaterThan(50);
  expect(life.answered / life.asked).toBeGreaterThan(0.9);
  expect(life.contracts).toBeGreaterThan(2 * life.consumers);
  expect(life.overcounted).toBe(0);
  expect(life.ids.made).toBeGreaterThan(life.consumers);
  expect(life.ids.repeated).toBe(0);
  expect(life.toldBytes).toBeGreaterThan(0.9 * life.carriedBytes);
  const [first, ...later] = life.days;
  for (const { consumers, booksBytes, heapBytes } of later) {
    expect(consumers).toBeLessThan(30);
    expect(booksBytes).toBeLessThan(100_000);
    expect(heapBytes).toBeLessThan((first?.heapBytes ?? 0) + 8 * mebibyte);
  }
}, 120_000);
