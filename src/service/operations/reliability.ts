import * as z from 'zod';
import { error, list, maybe, number, object, text } from '../fields.ts';
import type { Operation } from '../operation.ts';

/** The three lists have one number a bucket, oldest first. */
export const reliabilityWindow = object(() => ({
  mean_reliability_weight: number.describe('Mean of the weights over the network.'),
  min_time_unix_milli: number.describe('Where the window begins, Unix time in ms.'),
  max_time_unix_milli: number.describe('Where the window ends, Unix time in ms.'),
  min_bucket_number: number.describe('Number of the first bucket.'),
  max_bucket_number: number.describe('Number of the last bucket.'),
  bucket_duration_seconds: number.describe('Length of a bucket, in seconds.'),
  max_client_count: number.describe('Most clients active in one bucket.'),
  max_total_client_count: number.describe('Most clients registered in one bucket.'),
  reliability_weights: list(z.number()).describe('One weight a bucket.'),
  client_counts: list(z.number()).describe('Clients active, one number a bucket.'),
  total_client_counts: list(z.number()).describe('Clients registered, one number a bucket.'),
  country_multipliers: list(countryMultiplier).describe('What the weights count, by country.'),
}));

const countryMultiplier = object(() => ({
  country_location_id: text.describe('Location of the country.'),
  country: text.describe('Country that it is, or is in.'),
  country_code: text.describe('Country, two letters (ISO 3166).'),
  reliability_multiplier: number.describe('Factor on the weights of clients there.'),
}));

/** How reliably the network provided (service-interface, "Endpoints"). */
export const reliabilityOperations = {
  reliability: {
    summary: "Reads how reliably the network's clients were online, by buckets of time.",
    method: 'GET',
    path: '/network/reliability',
    authentication: 'network-jwt',
    repeat: 'always',
    request: undefined,
    response: object(() => ({
      reliability_window: maybe(reliabilityWindow).describe('The time looked at, cut into buckets.'),
      error,
    })),
  },
} as const satisfies Record<string, Operation>;
