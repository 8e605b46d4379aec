import { hourMs } from '../lib/units.ts';
import type { Backend, Handlers } from './backend.ts';
import type { NetworkHour, Registrations } from './usage-history.ts';
import { findWindowStart } from './usage-hours.ts';

const mostEarners = 100;
/** The last 24 whole hours, and the current one. */
const windowHours = 25;
/** Only whole words count: a name that merely contains one, such as Scunthorpe, is not profane. */
const profaneWords =
  /\b(arse|asshole|bastard|bitch|bollocks|cock|crap|cunt|dick|fuck(er|ing)?|piss|shit|slut|turd|twat|wanker|whore)s?\b/i;

export const networkHandlers = {
  async leaderboard({ usageHistory, sample }) {
    await sample();
    const earners = usageHistory.listEarners(mostEarners);
    return {
      earners: earners.map(({ networkId, networkName, isPublic, providedBytes }) => ({
        network_id: networkId,
        // A private name is shown as its first letter and a fixed number of dots, which hides even
        // its length.
        network_name: isPublic === 1 ? networkName : `${[...networkName][0] ?? ''}•••••••`,
        net_mib_count: providedBytes / 1024 ** 2,
        is_public: isPublic === 1,
        contains_profanity: profaneWords.test(networkName),
      })),
    };
  },

  async reliability(backend, { network }) {
    await backend.sample();
    const nowMs = backend.now();
    const startMs = findWindowStart(nowMs, windowHours);
    const hours = backend.usageHistory.listNetworkHours(network.networkId, startMs);
    const registrations = backend.usageHistory.listRegistrations(network.networkId, startMs);
    const buckets = computeBuckets(hours, registrations, nowMs);
    const weights = buckets.map((bucket) => bucket.weight);
    // An hour in which nobody could be online says nothing about the network.
    const counted = buckets.filter((bucket) => bucket.possibleMs > 0);
    const sum = counted.reduce((before, bucket) => before + bucket.weight, 0);
    return {
      reliability_window: {
        mean_reliability_weight: sum / Math.max(1, counted.length),
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
        country_multipliers: listMultipliers(backend, registrations),
      },
    };
  },
} satisfies Partial<Handlers>;

/**
 * How much reliability in each country counts, between 1 and 2: the fewer public providers a
 * country has, the more each matters.
 */
function listMultipliers({ world, directory }: Backend, registrations: readonly Registrations[]) {
  const countOf = directory.countProviders();
  return [...new Set(registrations.map((row) => row.countryId))].flatMap((countryId) => {
    const place = world.findPlace(countryId);
    if (place === undefined) return [];
    const reliability_multiplier = 1 + 1 / (1 + countOf(place));
    const { country, countryCode } = place;
    return [
      {
        country_location_id: countryId,
        country,
        country_code: countryCode,
        reliability_multiplier,
      },
    ];
  });
}

/**
 * Oldest first. A weight, 0 to 1, is the time that the clients of that hour were online, as a share
 * of the possible time, which begins for each client when it is registered.
 */
export function computeBuckets(
  hours: readonly NetworkHour[],
  registrations: readonly Registrations[],
  nowMs: number,
) {
  const startMs = findWindowStart(nowMs, windowHours);
  const onlineOf = new Map(hours.map((hour) => [hour.hourMs, hour]));
  return Array.from({ length: windowHours }, (_, index) => {
    const bucketMs = startMs + index * hourMs;
    const registered = registrations.filter((row) => row.hourMs <= bucketMs);
    const clients = registered.reduce((sum, row) => sum + row.clients, 0);
    const missedMs = registered.reduce(
      (sum, row) => (row.hourMs === bucketMs ? sum + row.missedMs : sum),
      0,
    );
    const { onlineClients = 0, onlineMs = 0 } = onlineOf.get(bucketMs) ?? {};
    const possibleMs = clients * Math.min(hourMs, nowMs - bucketMs) - missedMs;
    const weight = possibleMs <= 0 ? 0 : Math.min(1, onlineMs / possibleMs);
    return { number: bucketMs / hourMs, weight, onlineClients, clients, possibleMs };
  });
}
