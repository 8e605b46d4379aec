import type { ServiceFigures } from './service-figures.ts';

/** What the service says this device earned. */
export type Earned = Readonly<NonNullable<ReturnType<typeof findEarned>>>;

/** undefined while the service has not said. The month is asked for less often than the day that is a part of it. */
export function findEarned(figures: ServiceFigures | undefined, monthUsdc: number | undefined) {
  if (figures?.payoutUsdc === undefined) return undefined;
  const { payoutUsdc: last24hUsdc, at } = figures;
  // From the second of a month on, by UTC, the last 24 hours lie in it.
  const isInMonth = at.getUTCDate() > 1;
  return {
    last24hUsdc,
    /** Since the month began by UTC; undefined without a ledger. */
    monthUsdc: monthUsdc !== undefined && isInMonth ? Math.max(monthUsdc, last24hUsdc) : monthUsdc,
    /** When the service said so. */
    at,
  };
}
