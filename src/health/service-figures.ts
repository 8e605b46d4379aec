import { GIB } from '../lib/units.ts';
import type { OperationResponse } from '../service/operations.ts';
import { type Profile, type ProvideMode, toProvideMode } from '../service/profiles.ts';

/**
 * What the service counted for one client over the last 24 hours; undefined for what it did not
 * say.
 */
export interface ServiceFigures extends CountedFigures {
  readonly at: Date;
  /** What this device forwarded over the same 24 hours; undefined without a ledger. */
  readonly hereBytes: number | undefined;
}

interface CountedFigures {
  readonly isConnected: boolean | undefined;
  readonly uptimeSeconds: number | undefined;
  /** Both ways. */
  readonly transferredBytes: number | undefined;
  readonly payoutUsdc: number | undefined;
  readonly contracts: number | undefined;
  readonly consumers: number | undefined;
  readonly provideMode: ProvideMode | undefined;
}

/**
 * Our client's row of `/stats/providers`, which is in hours and GiB; undefined if the service has
 * no row for it.
 */
export function pickServiceFigures(
  answer: OperationResponse<'providers'>,
  clientId: string,
  profile: Profile,
): CountedFigures | undefined {
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

/**
 * What all devices of the owner's network provided since the beginning, as the service counts it
 * for payouts; undefined for what it did not say.
 */
export interface Provided {
  readonly paidBytes: number | undefined;
  /** Not paid out yet. */
  readonly unpaidBytes: number | undefined;
  readonly at: Date;
}

/** What the service says that this device earned. */
export interface Earned {
  readonly last24hUsdc: number;
  /** Earnings since the month began by UTC; undefined where the month is unknown. */
  readonly monthUsdc: number | undefined;
  /** Earnings in all, of the days that the ledger knows; undefined where it knows none. */
  readonly totalUsdc: number | undefined;
  /** The first of these days. */
  readonly totalSince: Date | undefined;
  /** When the service was asked for the last 24 hours. */
  readonly at: Date;
}

/** Earnings by the service's count of whole days, as the ledger keeps it. */
export interface EarnedDays {
  /** Since the month began by UTC; undefined where nothing is known of it. */
  readonly monthUsdc?: number | undefined;
  /** Since the first day of which it is known; undefined without one. */
  readonly total?: { readonly usdc: number; readonly since: Date } | undefined;
}

/**
 * undefined while the service has not said. The month is asked for less often than the last 24
 * hours, which are a part of it.
 */
export function findEarned(
  figures: ServiceFigures | undefined,
  { monthUsdc, total }: EarnedDays,
): Earned | undefined {
  if (figures?.payoutUsdc === undefined) return undefined;
  const { payoutUsdc: last24hUsdc, at } = figures;
  // From the second day of a month on, by UTC, the last 24 hours lie in the month.
  const isInMonth = at.getUTCDate() > 1;
  return {
    last24hUsdc,
    monthUsdc: monthUsdc !== undefined && isInMonth ? Math.max(monthUsdc, last24hUsdc) : monthUsdc,
    totalUsdc: total && Math.max(total.usdc, last24hUsdc),
    totalSince: total?.since,
    at,
  };
}
