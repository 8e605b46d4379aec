import { describe, expect, test } from 'vitest';
import { toldSchema } from '../../../src/agent/tell/notifiers.ts';
import { findMilestone, type Told } from '../../../src/report/webhook-news.ts';
import { ago, createFacts, providingFacts } from '../../../tools/docs/sample-facts.ts';
import { arbitraryFacts } from '../health/arbitrary-facts.ts';
import { assertLaw } from '../law.ts';

const periodStart = providingFacts.usage.periodStart?.toISOString();
const told: Told = { periodStart, capPercent: 0, isPayoutTold: true };
const use = (bytes: number) => createFacts({ usage: { bytes } });
const paused = createFacts({
  usage: { bytes: 499_999_990_000 },
  provide: { pause: { code: 'cap-reached', message: 'The data cap is reached.', since: ago(5) } },
});

describe('a cap', () => {
  test.each([
    ['is quiet at half of it', use(250e9), told, undefined],
    ['is told of at 80 %', use(400e9), told, 'cap-80'],
    ['is told of once at 80 %', use(450e9), { ...told, capPercent: 80 } as const, undefined],
    ['is told of when it is reached', use(500e9), { ...told, capPercent: 80 } as const, 'cap-100'],
    [
      'is told of when the next packet would not pass',
      paused,
      { ...told, capPercent: 80 } as const,
      'cap-100',
    ],
    ['is told of as reached where nobody saw 80 %', use(600e9), told, 'cap-100'],
    [
      'is told of once when it is reached',
      use(600e9),
      { ...told, capPercent: 100 } as const,
      undefined,
    ],
    [
      'is told of again in another period',
      use(410e9),
      { ...told, periodStart: '2026-02-01T00:00:00.000Z', capPercent: 100 } as const,
      'cap-80',
    ],
    [
      'is quiet where there is none',
      createFacts({ usage: { bytes: 9e15, capBytes: undefined } }),
      told,
      undefined,
    ],
  ])('%s', (_, facts, before, event) => {
    expect(findMilestone(facts, before)?.event).toBe(event);
  });

  test('is named in the units in which it was set', () => {
    expect(findMilestone(use(410e9), told)?.message).toBe(
      'The data cap is nearly reached: 410 GB of 500 GB are used in this period.',
    );
  });
});

describe('a payout', () => {
  const earn = (last24hUsdc: number) =>
    createFacts({
      earned: {
        last24hUsdc,
        monthUsdc: 0,
        totalUsdc: undefined,
        totalSince: undefined,
        at: ago(5),
      },
    });
  test.each([
    [
      'is told of when it is the first',
      earn(0.0084),
      { ...told, isPayoutTold: false },
      'first-payout',
    ],
    ['is told of once', earn(0.0084), told, undefined],
    ['is nothing while nothing was earned', earn(0), { ...told, isPayoutTold: false }, undefined],
    [
      'comes after the cap, which is more urgent',
      createFacts({ usage: { bytes: 500e9 } }, earn(1)),
      undefined,
      'cap-100',
    ],
  ])('%s', (_, facts, before, event) => {
    expect(findMilestone(facts, before)?.event).toBe(event);
  });

  test('is named with its amount', () => {
    expect(findMilestone(earn(0.0084), undefined)?.message).toContain(
      '0.0084 USDC in the last 24 hours',
    );
  });
});

test('whatever the facts are, all is told after two calls, and what was told can be kept', () => {
  assertLaw(arbitraryFacts, (facts) => {
    let known: Told | undefined;
    for (let call = 0; call < 2; call += 1) known = findMilestone(facts, known)?.told ?? known;
    expect(findMilestone(facts, known)).toBeUndefined();
    if (known !== undefined)
      expect(toldSchema.parse(JSON.parse(JSON.stringify(known)))).toEqual(known);
  });
});
