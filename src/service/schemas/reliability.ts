import * as z from 'zod';
import { errorObject, list, maybe, number, text } from './wire.ts';

/** Reliability window: the three lists have one number a bucket, oldest first. */
export const reliabilityWindow = z.object({
  mean_reliability_weight: number,
  /** Unix time in milliseconds. */
  min_time_unix_milli: number,
  max_time_unix_milli: number,
  min_bucket_number: number,
  max_bucket_number: number,
  bucket_duration_seconds: number,
  max_client_count: number,
  max_total_client_count: number,
  reliability_weights: list(z.number()),
  /** Active clients. */
  client_counts: list(z.number()),
  total_client_counts: list(z.number()),
  country_multipliers: list(
    z.object({
      country_location_id: text,
      country: text,
      country_code: text,
      reliability_multiplier: number,
    }),
  ),
});

export const reliabilityResponse = z.object({ reliability_window: maybe(reliabilityWindow), error: errorObject });
