import * as z from 'zod';
import { errorObject, flag, list, map, number, text } from './wire.ts';

/** One provider over a window; the `_last_24h` names are kept whatever the window is (service-interface, "Stats"). */
export const providerWindow = z.object({
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

/** A provider of the caller's network; `lookback` is a number of days there, and every map is keyed by one, too. */
export const providerLast90Request = z.object({ client_id: z.string() });

/** Earner: `net_mib_count` in MiB; `network_name` is masked where the network is not public. */
export const earner = z.object({
  network_id: text,
  network_name: text,
  net_mib_count: number,
  is_public: flag,
  contains_profanity: flag,
});
/** The body is an empty object. */
export const leaderboardRequest = z.object({});
export const leaderboardResponse = z.object({ earners: list(earner), error: errorObject });
