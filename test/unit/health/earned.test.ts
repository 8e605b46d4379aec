import { describe, expect, test } from 'vitest';
import { findEarned } from '../../../src/health/service-figures.ts';
import { providingFacts } from '../../../tools/docs/sample-facts.ts';

const figures = (at: string, payoutUsdc: number | undefined) =>
  providingFacts.serviceFigures && {
    ...providingFacts.serviceFigures,
    payoutUsdc,
    at: new Date(at),
  };

describe('what was earned', () => {
  test('is not known before the service said something of a payout', () => {
    expect(findEarned(undefined, { monthUsdc: 12 })).toBeUndefined();
    expect(
      findEarned(figures('2026-05-14T12:00:00Z', undefined), { monthUsdc: 12 }),
    ).toBeUndefined();
  });

  test.each([
    ['what the ledger has of it', '2026-05-14T12:00:00Z', 11.9, 11.9],
    ['no less than the 24 hours that lie in it', '2026-05-14T12:00:00Z', 0, 0.42],
    ['less than the 24 hours that began in the one before', '2026-05-01T12:00:00Z', 0.2, 0.2],
    ['not known without a ledger', '2026-05-14T12:00:00Z', undefined, undefined],
  ])('in the month is %s', (_, at, monthUsdc, expected) => {
    expect(findEarned(figures(at, 0.42), { monthUsdc })).toMatchObject({
      last24hUsdc: 0.42,
      monthUsdc: expected,
      at: new Date(at),
    });
  });

  test.each([
    [48.2, 48.2],
    [0.1, 0.42],
  ])('in all is %s by the ledger, and no less than the last 24 hours', (usdc, expected) => {
    const since = new Date('2025-11-02T00:00:00Z');
    const earned = findEarned(figures('2026-05-14T12:00:00Z', 0.42), { total: { usdc, since } });
    expect(earned).toMatchObject({ totalUsdc: expected, totalSince: since });
  });
});
