import { expect, test } from 'vitest';
import { createMinuteRate } from '../../../src/connect/contract/rate.ts';
import { planSpares, type SpareFacts, wouldBridge } from '../../../src/connect/contract/spares.ts';

const spare = (usable: number, age: number) => ({ usable, age });
const rate = (bytes: number) => ({ bytesPerMinute: bytes, mostPerMinute: bytes });
const young: SpareFacts = { spares: [], ...rate(100), anchorAge: 239_999 };
const old: SpareFacts = { ...young, anchorAge: 240_000 };

test.each<readonly [string, SpareFacts, ReturnType<typeof planSpares>]>([
  ['no spare', young, { wants: 0, surplus: 0 }],
  ['a young spare', { ...young, spares: [spare(9, 59_999)] }, { wants: undefined, surplus: 0 }],
  ['a spare of a minute', { ...young, spares: [spare(9, 60_000)] }, { wants: 9, surplus: 0 }],
  [
    'a spare of a minute that nobody uses',
    { ...young, bytesPerMinute: 0, spares: [spare(9, 60_000)] },
    { wants: undefined, surplus: 0 },
  ],
  [
    'a spare of a quarter of a minute, long before the service may refuse one',
    { ...old, ...rate(1), anchorAge: 599_999, spares: [spare(99, 15_000)] },
    { wants: undefined, surplus: 0 },
  ],
  [
    'a spare of a quarter of a minute that may be the last',
    { ...old, ...rate(1), anchorAge: 600_000, spares: [spare(99, 15_000)] },
    { wants: 99, surplus: 0 },
  ],
  [
    'a spare that may be the last, and its successor',
    { ...old, ...rate(1), anchorAge: 600_000, spares: [spare(99, 15_000), spare(99, 0)] },
    { wants: undefined, surplus: 1 },
  ],
  [
    'a spare of a minute and its successor',
    { ...young, spares: [spare(9, 60_000), spare(9, 0)] },
    { wants: undefined, surplus: 1 },
  ],
  ['an old anchor', { ...old, spares: [spare(600, 0)] }, { wants: 900, surplus: 0 }],
  [
    'an old anchor and enough for a quarter of an hour',
    { ...old, spares: [spare(600, 59_999), spare(900, 0)] },
    { wants: undefined, surplus: 0 },
  ],
  [
    'a bridge of four in a pause, none of which is given back',
    {
      ...old,
      bytesPerMinute: 0,
      spares: [450, 350, 350, 350].map((usable) => spare(usable, 99_999)),
    },
    { wants: undefined, surplus: 0 },
  ],
  [
    'a spare that may be the last, in a pause',
    { ...old, ...rate(1), bytesPerMinute: 0, anchorAge: 600_000, spares: [spare(99, 15_000)] },
    { wants: 99, surplus: 0 },
  ],
  [
    'a spare that may be the last, of a consumer that has been silent for minutes',
    { ...old, ...rate(0), anchorAge: 600_000, spares: [spare(99, 15_000)] },
    { wants: undefined, surplus: 0 },
  ],
  [
    'an old anchor and four spares that are too small',
    { ...old, spares: [spare(1, 60_000), spare(2, 0), spare(3, 0), spare(4, 0)] },
    { wants: 1490 + 1, surplus: 0 },
  ],
])('%s', (_, facts, plan) => {
  expect(planSpares(facts)).toEqual(plan);
});

test('spares are a bridge where they last a quarter of an hour', () => {
  expect(wouldBridge({ ...old, spares: [spare(1500, 0)] })).toBe(true);
  expect(wouldBridge({ ...old, spares: [spare(1499, 0)] })).toBe(false);
});

test('the rate of a minute is that of the last one, or of this one where more has come', () => {
  const rate = createMinuteRate();
  rate.add(100, 0);
  expect(rate.bytesPerMinute(59_999)).toBe(100);
  rate.add(20, 60_000);
  expect(rate.bytesPerMinute(60_000)).toBe(100);
  rate.add(200, 70_000);
  expect(rate.bytesPerMinute(70_000)).toBe(220);
  expect(rate.bytesPerMinute(120_000)).toBe(220);
  expect(rate.bytesPerMinute(400_000)).toBe(0);
});

test('the busiest minute counts for four more, whatever comes in them', () => {
  const rate = createMinuteRate();
  rate.add(100, 0);
  rate.add(20, 60_000);
  expect([60_000, 240_000, 299_999].map((at) => rate.mostPerMinute(at))).toEqual([100, 100, 100]);
  expect(rate.mostPerMinute(300_000)).toBe(20);
  rate.add(5, 300_000);
  expect([359_999, 360_000, 900_000].map((at) => rate.mostPerMinute(at))).toEqual([20, 5, 0]);
});
