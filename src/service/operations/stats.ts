import * as z from 'zod';
import { answer, flag, integer, list, map, number, object, text, time } from '../fields.ts';
import { asking, type Operation, reading } from '../operation.ts';

/**
 * One provider over a window. The `_last_24h` names stay whatever the window is (service-interface,
 * "Stats").
 */
export const providerWindow = object(() => ({
  client_id: text.describe('A client.'),
  connected: flag.describe('True while online.'),
  connected_events_last_24h: list(
    z.object({
      event_time: time('When that was.'),
      connected: flag.describe('True while online.'),
    }),
  ).describe('When it came online and went offline.'),
  uptime_last_24h: number.describe('Hours online.'),
  transfer_data_last_24h: number.describe('Data transferred, in GiB.'),
  payout_last_24h: number.describe('Estimated earnings, in USDC.'),
  search_interest_last_24h: number.describe('Searches that it was an answer to.'),
  contracts_last_24h: number.describe('Contracts served.'),
  clients_last_24h: number.describe('Consumers served.'),
  provide_mode: integer.describe('Provide mode, as a number of the profile in use.'),
}));

/** The answer of `providers` and `providersLastN`. */
export const providersResponse = answer(() => ({
  created_time: time('When the report was made.'),
  providers: list(providerWindow).describe('The providers of the network, one row each.'),
}));

const transferByDate = map(z.number()).describe('Data transferred in GiB, by date (`yyyy-mm-dd`).');

/** For provider-last-90, `lookback` is a number of days and every map has dates as keys. */
export const providerStats = answer(() => ({
  lookback: number.describe(
    'How far the report looks back, in hours; in the production profile in days, of which a part counts as one.',
  ),
  created_time: time('When the report was made.'),
  uptime: map(z.number()).describe('Minutes online, by hour (`yyyy-mm-dd-hh`) or by date.'),
  transfer_data: transferByDate,
  payout: map(z.number()).describe('Estimated earnings in USDC, by date.'),
  search_interest: map(z.number()).describe('Searches that it was an answer to, by date.'),
  contracts: map(z.number()).describe('Contracts served, by date.'),
  clients: map(z.number()).describe('Consumers served, by date.'),
  client_details: list(
    z.object({ client_id: text.describe('A client.'), transfer_data: transferByDate }),
  ).describe('The same for each consumer.'),
}));

export const earner = object(() => ({
  network_id: text.describe('Network that it belongs to.'),
  network_name: text.describe('Name of the network; masked where it is not public.'),
  net_mib_count: number.describe('Data provided, in MiB.'),
  is_public: flag.describe('True where the network agreed to be shown.'),
  contains_profanity: flag.describe('True where the name is better not shown.'),
}));

/** The operations below `/stats` (service-interface, "Endpoints"). */
export const statsOperations = {
  providers: {
    ...reading,
    authentication: 'any-jwt',
    summary: "Reads statistics of the network's providers over the last 24 hours.",
    path: '/stats/providers',
    response: providersResponse,
    spare: ['created_time'],
    list: 'providers',
  },
  providersLastN: {
    ...asking,
    summary: "Reads statistics of the network's providers over some hours.",
    path: '/stats/providers-last-n',
    request: object(() => ({ last_n: number.describe('Hours to look back; 24 by default.') })),
    response: providersResponse,
    spare: ['created_time'],
    list: 'providers',
  },
  providerLastN: {
    ...asking,
    authentication: 'any-jwt',
    summary: 'Reads statistics of one provider, by hour and by day.',
    path: '/stats/provider-last-n',
    request: object(() => ({
      client_id: z.string().describe('A client.'),
      last_n: z.number().describe('Hours to look back.'),
    })),
    response: providerStats,
    spare: ['created_time'],
  },
  providerLast90: {
    ...asking,
    summary: 'Reads statistics of one provider over 90 days, by day.',
    path: '/stats/provider-last-90',
    request: object(() => ({ client_id: text.describe('A client.') })),
    response: providerStats,
    spare: ['created_time'],
  },
  leaderboard: {
    ...asking,
    summary: 'Lists the networks that provided the most.',
    path: '/stats/leaderboard',
    request: object(() => ({})),
    response: answer(() => ({ earners: list(earner).describe('Networks, the best first.') })),
    list: 'earners',
  },
} as const satisfies Record<string, Operation>;
