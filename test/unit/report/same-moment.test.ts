import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clipHours, findMoment } from '../../../src/report/same-moment.ts';
import { makeHistoryRow } from '../../../tools/docs/sample-history-row.ts';
import { assertLaw } from '../law.ts';

const hourMs = 3_600_000;
const nowMs = Date.parse('2026-05-04T12:30:00Z');
const runningMs = nowMs - hourMs / 2;

describe("the moment of a service's figures", () => {
  test.each([
    ['is the one that it names', '2026-05-04T11:50:00Z', '2026-05-04T11:50:00Z'],
    ['is now where it names none', undefined, '2026-05-04T12:30:00Z'],
    ['is now where it names no time', 'yesterday', '2026-05-04T12:30:00Z'],
    ['is never in the future', '2026-05-04T12:31:00Z', '2026-05-04T12:30:00Z'],
    ['is never days ago', '2026-05-03T12:30:00Z', '2026-05-04T12:30:00Z'],
  ])('%s', (_, createdTime, moment) => {
    expect(findMoment(createdTime, nowMs)).toBe(Date.parse(moment));
  });
});

describe('what was counted in a time', () => {
  const row = makeHistoryRow({ startMs: runningMs - hourMs, upBytes: 1000, peakBytesPerSecond: 7 });
  const running = makeHistoryRow({ startMs: runningMs, upBytes: 600, providingSeconds: 1800 });

  test('includes a share of each hour that lies partly in it, with its peak', () => {
    const span = { sinceMs: runningMs - hourMs / 4, untilMs: runningMs + hourMs / 8, nowMs };
    expect(clipHours([row, running], span)).toMatchObject([
      { startMs: row.startMs, upBytes: 250, peakBytesPerSecond: 7 },
      { startMs: runningMs, upBytes: 150, providingSeconds: 450 },
    ]);
  });

  test('leaves out what lies outside', () => {
    expect(clipHours([row, running], { sinceMs: 0, untilMs: row.startMs, nowMs })).toEqual([]);
    expect(clipHours([row, running], { sinceMs: runningMs, untilMs: nowMs, nowMs })).toEqual([
      running,
    ]);
  });

  test('includes everything up to now, even by a clock that was put back', () => {
    assertLaw(fc.integer({ min: -5, max: 5 }), (hours) => {
      const span = { sinceMs: 0, untilMs: runningMs + 10 * hourMs, nowMs: nowMs + hours * hourMs };
      expect(clipHours([row, running], span)).toEqual([row, running]);
    });
  });
});
