import type { WireResponse } from '../service/operations.ts';
import { toWireList } from './dialect.ts';
import type { Backend, Handler } from './handler.ts';
import type { Registrations } from './network-history.ts';
import { toCountryMultiplier, toReliabilityBuckets, toReliabilityStart } from './reliability.ts';
import { hourMs } from './usage-unit.ts';

type WireWindow = NonNullable<WireResponse<'reliability'>['reliability_window']>;
type WireMultiplier = NonNullable<WireWindow['country_multipliers']>[number];

/** reliability: the network's last 24 whole hours and the current one, an hour a bucket. */
export function answerReliability(backend: Backend): Handler<'reliability'> {
  return async ({ network }) => {
    await backend.sample();
    const { dialect, networkHistory } = backend;
    const nowMs = backend.now();
    const startMs = toReliabilityStart(nowMs);
    const hours = networkHistory.listHours(network.networkId, startMs);
    const registrations = networkHistory.listRegistrations(network.networkId, startMs);
    const buckets = toReliabilityBuckets({ hours, registrations, nowMs });
    const weights = buckets.map((bucket) => bucket.weight);
    return {
      reliability_window: {
        mean_reliability_weight: weights.reduce((sum, weight) => sum + weight, 0) / buckets.length,
        min_time_unix_milli: startMs,
        max_time_unix_milli: nowMs,
        min_bucket_number: startMs / hourMs,
        max_bucket_number: startMs / hourMs + buckets.length - 1,
        bucket_duration_seconds: hourMs / 1000,
        max_client_count: Math.max(...buckets.map((bucket) => bucket.onlineClients)),
        max_total_client_count: Math.max(...buckets.map((bucket) => bucket.clients)),
        reliability_weights: weights,
        client_counts: buckets.map((bucket) => bucket.onlineClients),
        total_client_counts: buckets.map((bucket) => bucket.clients),
        country_multipliers: toWireList(dialect, listMultipliers(backend, registrations)),
      },
    };
  };
}

/** One for each country that the network has clients in. */
function listMultipliers({ world, directory }: Backend, registrations: readonly Registrations[]): WireMultiplier[] {
  const countOf = directory.countProviders();
  const countryIds = new Set(registrations.map((row) => row.countryId));
  return [...countryIds].flatMap((countryId) => {
    const place = world.findPlace(countryId);
    if (place === undefined) return [];
    const { name, code } = place.country;
    const reliability_multiplier = toCountryMultiplier(countOf(place));
    return [{ country_location_id: countryId, country: name, country_code: code, reliability_multiplier }];
  });
}
