import { GIB } from '../lib/units.ts';
import type { OperationResponse } from '../service/operations.ts';
import { type Profile, toProvideMode } from '../service/profiles.ts';

/**
 * What the service counted for one client over the last 24 hours; undefined where it said nothing.
 */
export interface ServiceFigures
  extends Readonly<NonNullable<ReturnType<typeof pickServiceFigures>>> {
  readonly at: Date;
  /** What was forwarded here over the 24 hours before that moment; undefined without a ledger. */
  readonly hereBytes: number | undefined;
}

/**
 * Our client's row of `/stats/providers` (hours and GiB there); undefined where the service has
 * none for it.
 */
export function pickServiceFigures(
  answer: OperationResponse<'providers'>,
  clientId: string,
  profile: Profile,
) {
  const row = answer.providers.find((provider) => provider.clientId === clientId);
  if (row === undefined) return undefined;
  return {
    isConnected: row.connected,
    uptimeSeconds:
      row.uptimeLast24h === undefined ? undefined : Math.round(row.uptimeLast24h * 3600),
    transferredBytes:
      row.transferDataLast24h === undefined ? undefined : Math.round(row.transferDataLast24h * GIB),
    payoutUsdc: row.payoutLast24h,
    contracts: row.contractsLast24h,
    consumers: row.clientsLast24h,
    provideMode: toProvideMode(profile, row.provideMode),
  };
}

/** What the service says this device earned. */
export type Earned = Readonly<NonNullable<ReturnType<typeof findEarned>>>;

/**
 * undefined while the service has not said. The month is asked for less often than the day that is
 * a part of it.
 */
export function findEarned(figures: ServiceFigures | undefined, monthUsdc: number | undefined) {
  if (figures?.payoutUsdc === undefined) return undefined;
  const { payoutUsdc: last24hUsdc, at } = figures;
  // From the second of a month on, by UTC, the last 24 hours lie in it.
  const isInMonth = at.getUTCDate() > 1;
  return {
    last24hUsdc,
    /** Since the month began by UTC; undefined without a ledger. */
    monthUsdc: monthUsdc !== undefined && isInMonth ? Math.max(monthUsdc, last24hUsdc) : monthUsdc,
    at,
  };
}
