import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  rollUsage,
  toForwardedTotals,
  type Usage,
  usageSchema,
  usedBytes,
} from '../../../src/data-path/usage.ts';
import type { ForwardedTotals } from '../../../src/gateway/policy.ts';
import { isClockSet } from '../../../src/lib/clock.ts';
import { assertLaw } from '../law.ts';

const july = new Date('2026-07-01T00:00Z');
const august = new Date('2026-08-01T00:00Z');
const totals = (up: number, down: number): ForwardedTotals => ({
  up: { bytes: up, packets: Math.ceil(up / 1000) },
  down: { bytes: down, packets: Math.ceil(down / 1000) },
});

describe('what was used', () => {
  const begun = rollUsage(undefined, totals(100, 50), july);

  test('includes everything that the kernel counted before anything was kept', () => {
    expect(usedBytes(begun)).toBe(150);
  });

  test('counts both directions on', () => {
    expect(usedBytes(rollUsage(begun, totals(300, 70), july))).toBe(370);
  });

  test('is nothing when a new period opens, and the totals go on', () => {
    const next = rollUsage(begun, totals(300, 70), august);
    expect(usedBytes(next)).toBe(0);
    expect(next).toMatchObject({
      periodStart: august.toISOString(),
      totalUpBytes: 300,
      totalDownBytes: 70,
    });
    expect(usedBytes(rollUsage(next, totals(301, 70), august))).toBe(1);
  });

  test('stays when the clock goes back to 1970 and comes again', () => {
    const booted = rollUsage(begun, totals(200, 50), new Date(0));
    expect(booted.periodStart).toBe(july.toISOString());
    expect(usedBytes(rollUsage(booted, totals(200, 60), july))).toBe(260);
  });

  test('stays when a clock that began in 1970 is set', () => {
    const booted = rollUsage(undefined, totals(200, 50), new Date(0));
    const set = rollUsage(booted, totals(300, 50), july);
    expect(set.periodStart).toBe(july.toISOString());
    expect(usedBytes(set)).toBe(350);
    expect(usedBytes(rollUsage(set, totals(300, 50), august))).toBe(0);
  });

  test('stays in the earlier period after a clock that was ahead, and the next period begins as usual', () => {
    const ahead = rollUsage(undefined, totals(100, 50), august);
    const back = rollUsage(ahead, totals(120, 50), july);
    expect([back.periodStart, usedBytes(back)]).toEqual([july.toISOString(), 170]);
    const september = new Date('2026-09-01T00:00Z');
    expect(usedBytes(rollUsage(back, totals(130, 50), september))).toBe(0);
    expect(usedBytes(rollUsage(back, totals(130, 50), august))).toBe(180);
  });

  test('stays when the kernel counts from a lower number', () => {
    expect(rollUsage(begun, totals(0, 0), july)).toEqual(begun);
  });
});

test('the counters begin again where they were', () => {
  expect(toForwardedTotals(rollUsage(undefined, totals(1500, 50), july))).toEqual(totals(1500, 50));
  expect(toForwardedTotals(undefined)).toEqual(totals(0, 0));
});

test('a broken usage file is refused', () => {
  const usage = rollUsage(undefined, totals(1, 2), july);
  expect(usageSchema.parse(JSON.parse(JSON.stringify(usage)))).toEqual(usage);
  for (const change of [
    { baseBytes: -1 },
    { totalUpBytes: 0.5 },
    { periodStart: 'July' },
    { totalDownBytes: null },
  ]) {
    expect(usageSchema.safeParse({ ...usage, ...change }).success).toBe(false);
  }
});

const reading = fc.record({
  up: fc.nat({ max: 1e9 }),
  down: fc.nat({ max: 1e9 }),
  startMs: fc.integer({ min: 0, max: 4e12 }),
});

test('through any readings the used bytes are never negative and none is lost within a period', () => {
  assertLaw(fc.array(reading, { minLength: 1, maxLength: 20 }), (readings) => {
    let usage: Usage | undefined;
    let up = 0;
    let down = 0;
    let begunMs = Number.NEGATIVE_INFINITY;
    let counted = 0;
    for (const { startMs, ...step } of readings) {
      up += step.up;
      down += step.down;
      const opens = usage !== undefined && isClockSet(begunMs) && startMs > begunMs;
      const before = counted + step.up + step.down;
      const isFormer = usage?.former?.periodStart === new Date(startMs).toISOString();
      usage = rollUsage(usage, totals(up, down), new Date(startMs));
      counted = usedBytes(usage);
      if (isFormer) expect(counted).toBeGreaterThanOrEqual(step.up + step.down);
      else expect(counted).toBe(opens ? 0 : before);
      if (startMs > begunMs || isClockSet(startMs)) begunMs = startMs;
      expect(Date.parse(usage.periodStart)).toBe(begunMs);
      expect(toForwardedTotals(usage)).toEqual(totals(up, down));
    }
  });
});

test('each of two periods between which a wrong clock jumps has every byte since it began', () => {
  const step = fc.record({ bytes: fc.nat({ max: 1e9 }), isFuture: fc.boolean() });
  assertLaw(fc.array(step, { minLength: 1, maxLength: 20 }), (steps) => {
    let usage = rollUsage(undefined, totals(0, 0), july);
    let up = 0;
    let futureFrom: number | undefined;
    for (const { bytes, isFuture } of steps) {
      up += bytes;
      if (isFuture) futureFrom ??= up;
      usage = rollUsage(usage, totals(up, 0), isFuture ? august : july);
      expect(usedBytes(usage)).toBe(isFuture ? up - (futureFrom ?? up) : up);
    }
  });
});

test('whatever the kernel counts, totals and used bytes never go back within a period', () => {
  assertLaw(fc.array(reading, { minLength: 1, maxLength: 20 }), (readings) => {
    let usage = rollUsage(undefined, totals(0, 0), july);
    for (const { up, down } of readings) {
      const next = rollUsage(usage, totals(up, down), july);
      expect(usedBytes(next)).toBeGreaterThanOrEqual(usedBytes(usage));
      expect(rollUsage(next, totals(up, down), july)).toEqual(next);
      usage = next;
    }
  });
});
