import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MinuteSpan } from '../../../../src/source/connect/minutes.ts';
import { judgeStanding, type StandingFacts } from '../../../../src/source/connect/standing.ts';

const now = 1_000_000;
const weekAgo = now - 7 * 24 * 60;
const judge = (
  spans: readonly MinuteSpan[],
  change: Partial<StandingFacts> = {},
  since = weekAgo,
) =>
  judgeStanding({
    record: { since, spans },
    minute: now,
    isConnected: true,
    wish: 'public',
    ...change,
  });
/** All minutes but so many, the last of which were lost so long ago. */
const withLoss = (minutes: number, endedAgo: number) => [
  { from: weekAgo, to: now - endedAgo - minutes },
  { from: now - endedAgo, to: now },
];

test.each([
  ['every minute', [{ from: weekAgo, to: now }], 'listed'],
  ['two minutes of the hour lost', withLoss(2, 5), 'listed'],
  ['three of the hour lost: one more is too many', withLoss(3, 5), 'at-risk'],
  ['four of the hour lost', withLoss(4, 5), 'dropped'],
  ['two hours of the half day lost', withLoss(120, 61), 'listed'],
  ['two and a half hours of the half day lost', withLoss(150, 61), 'at-risk'],
  ['three hours and 36 minutes of the half day lost', withLoss(216, 61), 'at-risk'],
  ['one minute more', withLoss(217, 61), 'dropped'],
  ['nothing for days', [{ from: weekAgo, to: now - 3000 }], 'dropped'],
] as const)('%s: %#', (_, spans, standing) => {
  expect(judge(spans).standing).toBe(standing);
});

test('a new device waits until enough minutes counted, and knows when that will be', () => {
  const begun = now - 100;
  const judged = judge([{ from: begun, to: now }], {}, begun);
  expect(judged).toEqual({
    standing: 'waiting',
    minutes: {
      hour: { valid: 60, known: 60, wanted: 57, all: 60 },
      halfDay: { valid: 100, known: 100, wanted: 504, all: 720 },
      week: { valid: 100, known: 100, wanted: undefined, all: 10_080 },
    },
    expectedAt: new Date((begun + 504) * 60_000),
  });
  const later = { minute: begun + 504 };
  expect(judge([{ from: begun, to: begun + 503 }], later, begun).standing).toBe('waiting');
  expect(judge([{ from: begun, to: begun + 504 }], later, begun).standing).toBe('listed');
});

test('one that lost too many comes back when they lie far enough behind', () => {
  // Ten minutes of the last hour: 57 of 60 count again once seven of them are out of the hour.
  const { standing, expectedAt } = judge(withLoss(10, 20));
  expect(standing).toBe('dropped');
  expect(expectedAt).toEqual(new Date((now + 37) * 60_000));
});

test('it is listed in the minute that was named, and in none before', async () => {
  const pieces = fc.array(
    fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 })),
  );
  await fc.assert(
    fc.property(pieces, (lengths) => {
      let to = weekAgo;
      const spans = lengths.map(([lost, held]) => {
        const from = to + lost;
        to = from + held;
        return { from, to };
      });
      const { expectedAt } = judge(spans, { minute: to });
      const listedAt = (expectedAt?.getTime() ?? to * 60_000) / 60_000;
      const judgeAt = (minute: number) =>
        judge([...spans, { from: to, to: minute }], { minute }).standing;
      expect(['listed', 'at-risk']).toContain(judgeAt(listedAt));
      if (listedAt > to) expect(['waiting', 'dropped']).toContain(judgeAt(listedAt - 1));
    }),
  );
});

test.each([
  [{ isConnected: false }, 'offline'],
  [{ wish: 'none' }, 'nobody'],
  [{ wish: 'network' }, 'own-network'],
  [{ wish: 'friends', isConnected: false }, 'own-network'],
] as const)('minutes alone list nobody: %o', (change, standing) => {
  const judged = judge([{ from: weekAgo, to: now }], change);
  expect(judged).toMatchObject({ standing, expectedAt: undefined });
});
