import * as z from 'zod';
import { errorObject, flag, list, map, number, text } from './wire.ts';

/** One provider over a window; the `_last_24h` names are kept whatever the window is (service-interface, "Stats"). */
const providerWindow = z.object({
  client_id: text,
  connected: flag,
  connected_events_last_24h: list(z.object({ event_time: text, connected: flag })),
  /** Hours online. */
  uptime_last_24h: number,
  /** GiB. */
  transfer_data_last_24h: number,
  /** USDC. */
  payout_last_24h: number,
  search_interest_last_24h: number,
  contracts_last_24h: number,
  clients_last_24h: number,
  provide_mode: number,
});

export const providersResponse = z.object({ created_time: text, providers: list(providerWindow), error: errorObject });

/** `last_n`: hours to look back. */
export const providersLastNRequest = z.object({ last_n: z.number() });
export const providerLastNRequest = z.object({ client_id: z.string(), last_n: z.number() });

/** ProviderStats: `lookback` in hours (days in production); `uptime` minutes by hour, the rest by date. */
export const providerStatsResponse = z.object({
  lookback: number,
  created_time: text,
  /** Minutes online, keyed by hour `yyyy-mm-dd-hh`. */
  uptime: map(z.number()),
  /** GiB, keyed by date. */
  transfer_data: map(z.number()),
  /** USDC, keyed by date. */
  payout: map(z.number()),
  search_interest: map(z.number()),
  contracts: map(z.number()),
  clients: map(z.number()),
  client_details: list(z.object({ client_id: text, transfer_data: map(z.number()) })),
  error: errorObject,
});
