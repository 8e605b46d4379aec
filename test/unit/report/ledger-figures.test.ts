import { expect, test } from 'vitest';
import { judgePhase } from '../../../src/health/phase.ts';
import {
  addFigures,
  ledgerFigures,
  measureGrowth,
  pickFigures,
  readFigures,
} from '../../../src/report/ledger-figures.ts';
import { createFacts, now, providingFacts } from '../../../tools/docs/sample-facts.ts';

test('are read from the table of statistics', () => {
  const read = (facts: typeof providingFacts) =>
    readFigures({ facts, report: judgePhase(facts, now), now });
  const forwarded = { upBytes: 180_000_000, downBytes: 1_400_000_000 };
  expect(read(providingFacts)).toMatchObject({ ...forwarded, refusedPackets: 15 });
  const withoutCounters = read(createFacts({ gateway: { refusedPackets: {} } }));
  expect(withoutCounters).toMatchObject(forwarded);
  expect(withoutCounters).not.toHaveProperty('refusedPackets');
});

test('add up: what is counted as a sum, what goes up and down as the higher of both', () => {
  const one = pickFigures({
    providingSeconds: 60,
    upBytes: 1,
    refusedPackets: 4,
    peakBytesPerSecond: 7,
  });
  const other = { providingSeconds: 30, upBytes: 2, peakBytesPerSecond: 5 };
  expect(addFigures(one, other)).toMatchObject({
    providingSeconds: 90,
    upBytes: 3,
    downBytes: 0,
    refusedPackets: 4,
    peakBytesPerSecond: 7,
  });
});

test.each([
  {
    name: 'grew',
    before: { upBytes: 5, refusedPackets: 5 },
    now: { upBytes: 9, refusedPackets: 6 },
    growth: [4, 1],
  },
  {
    name: 'fell',
    before: { upBytes: 9, refusedPackets: 9 },
    now: { upBytes: 5, refusedPackets: 2 },
    growth: [0, 2],
  },
  {
    name: 'was not read before',
    before: {},
    now: { upBytes: 5, refusedPackets: 5 },
    growth: [0, 0],
  },
  { name: 'is not read now', before: { upBytes: 5 }, now: {}, growth: [undefined, undefined] },
])('a counter that $name', ({ before, now: reading, growth }) => {
  const { upBytes, refusedPackets } = measureGrowth(before, reading);
  expect([upBytes, refusedPackets]).toEqual(growth);
});

test('figures that an older version did not count are 0', () => {
  const figures = pickFigures({ upBytes: 3 });
  expect(Object.keys(figures)).toEqual(ledgerFigures.map(({ name }) => name));
  expect(figures).toMatchObject({ upBytes: 3, downBytes: 0, peakBytesPerSecond: 0 });
});
