import { describe, expect, test } from 'vitest';
import { createReportLoop, delayClock } from '../../../../src/agent/tell/report-loop.ts';
import type { Facts } from '../../../../src/health/facts.ts';
import { freshFacts, providingFacts } from '../../../../tools/docs/sample-facts.ts';

const { signal } = new AbortController();

/** Ticks of a report by this expression, in UTC; each says how many reports there were. */
function start(cron: string, facts: () => Facts = () => freshFacts, random = () => 0) {
  const clock = { now: new Date(0) };
  let reports = 0;
  const { tick } = createReportLoop({
    cron,
    timeZone: 'UTC',
    report: async () => {
      reports += 1;
    },
    facts,
    now: () => clock.now,
    random,
  });
  return async (at: string) => {
    clock.now = new Date(at);
    const before = reports;
    const waitMs = await tick(signal);
    return { reports: reports - before, waitMs };
  };
}

describe('the report by the clock', () => {
  test('comes when the expression fires, once, and not with the start', async () => {
    const tick = start('0 * * * *');
    expect((await tick('2026-05-04T10:30:00Z')).reports).toBe(0);
    expect((await tick('2026-05-04T10:59:00Z')).reports).toBe(0);
    expect((await tick('2026-05-04T11:00:00Z')).reports).toBe(1);
    expect((await tick('2026-05-04T11:01:00Z')).reports).toBe(0);
    expect((await tick('2026-05-04T11:59:59Z')).reports).toBe(0);
  });

  test('comes once for times that passed unseen, as while the device slept', async () => {
    const tick = start('0 * * * *');
    await tick('2026-05-04T10:30:00Z');
    expect((await tick('2026-05-04T20:05:00Z')).reports).toBe(1);
    expect((await tick('2026-05-04T20:06:00Z')).reports).toBe(0);
  });

  test('comes at once when the clock goes back, and is not silenced by it', async () => {
    const tick = start('0 * * * *');
    await tick('2026-05-04T10:30:00Z');
    await tick('2026-05-04T11:00:00Z');
    expect((await tick('2026-05-03T08:10:00Z')).reports).toBe(1);
    expect((await tick('2026-05-03T09:00:00Z')).reports).toBe(1);
    expect((await tick('2026-05-03T10:00:00Z')).reports).toBe(1);
  });

  test('comes once more about a minute after the first providing, with the first figures of the service', async () => {
    let facts = freshFacts;
    const tick = start('0 0 1 1 *', () => facts);
    const reportsOf = async (...minutes: readonly number[]) => {
      const reports: number[] = [];
      for (const minute of minutes)
        reports.push((await tick(`2026-03-14T12:0${minute}:00Z`)).reports);
      return reports;
    };
    expect(await reportsOf(0, 1)).toEqual([0, 0]);
    facts = { ...providingFacts, serviceFigures: undefined };
    expect(await reportsOf(0)).toEqual([0]);
    // The device provided for less than a minute, so the pause is still short.
    facts = freshFacts;
    expect(await reportsOf(1, 2, 3)).toEqual([1, 0, 0]);
  });

  test.each([
    [0, 1],
    [0.13, 2],
    [0.99, 8],
  ])(
    'fetches its first figures after %f of up to seven minutes, which differ by device',
    async (part, minute) => {
      const tick = start(
        '0 0 1 1 *',
        () => ({ ...providingFacts, serviceFigures: undefined }),
        () => part,
      );
      const minutes: number[] = [];
      for (const at of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) {
        if ((await tick(`2026-03-14T12:0${at}:00Z`)).reports === 1) minutes.push(at);
      }
      expect(minutes).toEqual([minute]);
    },
  );

  test('does not come for figures that are there', async () => {
    const tick = start('0 0 1 1 *', () => providingFacts);
    for (const minute of [0, 1, 2])
      expect((await tick(`2026-03-14T12:0${minute}:00Z`)).reports).toBe(0);
  });

  test('comes at the right times from the moment on at which the clock is first set', async () => {
    const tick = start('0 * * * *');
    await tick('1970-01-01T00:00:20Z');
    await tick('2026-05-04T10:30:00Z');
    expect((await tick('2026-05-04T10:31:00Z')).reports).toBe(0);
    expect((await tick('2026-05-04T11:00:00Z')).reports).toBe(1);
  });

  test.each([
    { at: '2026-05-04T10:30:00.000Z', waitMs: 60_000 },
    { at: '2026-05-04T10:30:59.999Z', waitMs: 1 },
    { at: '2026-05-04T10:30:15.500Z', waitMs: 44_500 },
  ])(
    'is looked for again at the next full minute: from $at in $waitMs ms',
    async ({ at, waitMs }) => {
      expect((await start('0 * * * *')(at)).waitMs).toBe(waitMs);
    },
  );
});

describe("a report's own time", () => {
  const now = new Date('2026-05-04T12:00:00Z');

  test.each([
    ['0000000000000000', '2026-05-04T12:00:00.000Z'],
    ['8000000000000000', '2026-05-04T11:52:30.000Z'],
    ['ffffffffffffffff', '2026-05-04T11:45:00.000Z'],
    [undefined, '2026-05-04T12:00:00.000Z'],
  ])('delays the clock of the installation %s to %s at noon', (installId, at) => {
    expect(delayClock(now, installId).toISOString()).toBe(at);
  });

  test('differs among a thousand installations, and is never more than a quarter of an hour late', () => {
    const ids = Array.from({ length: 1000 }, (_, index) =>
      (index * 4_294_967).toString(16).padStart(8, '0'),
    );
    const behindMs = ids.map((id) => now.getTime() - delayClock(now, `${id}00000000`).getTime());
    expect(new Set(behindMs.map((ms) => Math.floor(ms / 10_000))).size).toBe(90);
    expect([Math.min(...behindMs) >= 0, Math.max(...behindMs) < 900_001]).toEqual([true, true]);
  });
});
