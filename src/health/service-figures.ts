import { GIB } from '../lib/units.ts';
import type { OperationResponse } from '../service/operations.ts';
import { type Profile, toProvideMode } from '../service/profiles.ts';

/** What the service counted for one client over the last 24 hours; undefined where it said nothing. */
export interface ServiceFigures extends Readonly<NonNullable<ReturnType<typeof pickServiceFigures>>> {
  /** When it counted. */
  readonly at: Date;
  /** What was forwarded here over the 24 hours before that moment; undefined without a ledger. */
  readonly hereBytes: number | undefined;
}

/** Our client's row of `/stats/providers` (hours and GiB there); undefined where the service has none for it. */
export function pickServiceFigures(answer: OperationResponse<'providers'>, clientId: string, profile: Profile) {
  const row = answer.providers.find((provider) => provider.clientId === clientId);
  if (row === undefined) return undefined;
  return {
    isConnected: row.connected,
    uptimeSeconds: row.uptimeLast24h === undefined ? undefined : Math.round(row.uptimeLast24h * 3600),
    transferredBytes: row.transferDataLast24h === undefined ? undefined : Math.round(row.transferDataLast24h * GIB),
    payoutUsdc: row.payoutLast24h,
    contracts: row.contractsLast24h,
    consumers: row.clientsLast24h,
    provideMode: toProvideMode(profile, row.provideMode),
  };
}
