import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countInDoubt,
  type Period,
  rollUsage as roll,
  toForwardedTotals,
  type Usage,
  usageSchema,
  usedBytes,
} from '../../../src/data-path/usage.ts';
import type { ForwardedTotals } from '../../../src/gateway/policy.ts';
import { isClockSet } from '../../../src/lib/clock.ts';
import { findPeriod } from '../../../src/provide/period.ts';
import { assertLaw } from '../law.ts';

/** A period of which only its beginning counts, or a whole one of the calendar. */
const rollUsage = (usage: Usage | undefined, read: ForwardedTotals, period: Date | Period) =>
  roll(usage, read, period instanceof Date ? { start: period, end: period } : period);
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
    { baseBytes: 0.5 },
    { reservedBytes: -1 },
    { totalUpBytes: 0.5 },
    { periodStart: 'July' },
    { totalDownBytes: null },
  ]) {
    expect(usageSchema.safeParse({ ...usage, ...change }).success).toBe(false);
  }
});

test('past 2^53 bytes the file is as good as before', () => {
  const usage = rollUsage(
    rollUsage(undefined, totals(0, 0), july),
    totals(2 ** 60, 2 ** 55),
    august,
  );
  expect(usageSchema.parse(JSON.parse(JSON.stringify(usage)))).toEqual(usage);
  expect(usedBytes(rollUsage(usage, totals(2 ** 60 + 2 ** 20, 2 ** 55), august))).toBe(2 ** 20);
});

describe('use that was noted ahead', () => {
  const noted = { ...rollUsage(undefined, totals(700, 100), july), reservedBytes: 1_000 };

  test('counts where the kernel has forgotten its counters, and stays in this period', () => {
    const cut = countInDoubt(noted, undefined);
    expect([usedBytes(cut), toForwardedTotals(cut)]).toEqual([1_000, totals(700, 100)]);
    expect(usedBytes(rollUsage(cut, totals(750, 100), july))).toBe(1_050);
    expect(usedBytes(rollUsage(cut, totals(750, 100), august))).toBe(0);
    expect(countInDoubt(cut, undefined)).toEqual(cut);
  });

  test('does not where the kernel has counted on', () => {
    expect(usedBytes(countInDoubt(noted, totals(750, 100)))).toBe(800);
  });
});

describe('an owner who changes when periods begin', () => {
  const noon = new Date('2026-11-25T12:00:00Z');
  const monthly = { period: 'month', resetDay: 1 } as const;
  const daily = { period: 'day', resetDay: 1 } as const;
  test.each([
    ['Europe/Berlin', daily, 'UTC', daily],
    ['UTC', daily, 'Europe/Berlin', daily],
    ['Europe/Berlin', monthly, 'America/New_York', monthly],
    ['UTC', monthly, 'UTC', { period: 'month', resetDay: 20 }],
    ['UTC', { period: 'month', resetDay: 20 }, 'UTC', monthly],
    ['UTC', monthly, 'UTC', daily],
    ['UTC', daily, 'UTC', { period: 'week', resetDay: 2 }],
  ] as const)('from %s, %j to %s, %j gets no second cap', (zone, settings, otherZone, other) => {
    const before = rollUsage(undefined, totals(900, 0), findPeriod(settings, noon, zone));
    const changed = rollUsage(before, totals(900, 0), findPeriod(other, noon, otherZone));
    expect(usedBytes(changed)).toBe(900);
    const back = rollUsage(changed, totals(950, 0), findPeriod(settings, noon, zone));
    expect(usedBytes(back)).toBe(950);
    const { end } = findPeriod(other, noon, otherZone);
    const next = rollUsage(changed, totals(990, 0), findPeriod(other, end, otherZone));
    expect(usedBytes(next)).toBe(0);
  });
});

test('an owner who changes from days to months gets what the known days of the month had', () => {
  const settings = { period: 'day', resetDay: 1 } as const;
  const find = (day: number) => findPeriod(settings, new Date(Date.UTC(2026, 10, day, 12)), 'UTC');
  let usage = rollUsage(undefined, totals(0, 0), find(23));
  for (const [day, bytes] of [
    [23, 500],
    [24, 700],
    [25, 800],
  ] as const) {
    usage = rollUsage(usage, totals(bytes - 100, 0), find(day));
    usage = rollUsage(usage, totals(bytes, 0), find(day));
  }
  const month = { period: 'month', resetDay: 1 } as const;
  const changed = findPeriod(month, new Date(Date.UTC(2026, 10, 25, 12)), 'UTC');
  expect([usedBytes(usage), usedBytes(rollUsage(usage, totals(800, 0), changed))]).toEqual([
    100, 800,
  ]);
});

const jumpsMs = [-3, 3, -24, 24, -48, 48, -744, 744, 72_000, -496_800].map(
  (hours) => hours * 3.6e6,
);
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];

test('however many clocks in a row are wrong, what passed while the clock was right counts', () => {
  const step = fc.record({
    bytes: fc.nat({ max: 100 }),
    clock: fc.option(fc.constantFrom(0, ...jumpsMs)),
    passedHours: fc.nat({ max: 4 }),
  });
  const setting = fc.record({
    period: fc.constantFrom('day', 'week', 'month'),
    resetDay: fc.integer({ min: 1, max: 7 }),
  });
  const history = fc.tuple(setting, fc.constantFrom(...zones), fc.array(step, { maxLength: 9 }));
  assertLaw(history, ([settings, zone, steps]) => {
    let trueMs = Date.UTC(2026, 10, 25, 7);
    let offMs = 0;
    let total = 0;
    let usage: Usage | undefined;
    const truly = new Map<string, number>();
    const find = (ms: number) => findPeriod(settings, new Date(ms), zone);
    const read = () => {
      usage = rollUsage(usage, totals(total, 0), find(trueMs + offMs));
      return usage;
    };
    read();
    for (const { bytes, clock, passedHours } of steps) {
      offMs = clock ?? offMs;
      read();
      trueMs += passedHours * 3.6e6;
      read();
      total += bytes;
      read();
      const key = find(trueMs).start.toISOString();
      if (offMs === 0) truly.set(key, (truly.get(key) ?? 0) + bytes);
    }
    offMs = 0;
    const key = find(trueMs).start.toISOString();
    expect(usedBytes(read())).toBeGreaterThanOrEqual(truly.get(key) ?? 0);
  });
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
      const start = new Date(startMs).toISOString();
      const isFormer = usage?.formers.some(({ periodStart }) => periodStart === start);
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
