import * as z from 'zod';
import { errorObject, flag, list, number, text } from './wire.ts';

/** ProviderSpec: what is wanted of a provider; of the four, one or more. */
export const providerSpecRequest = z.object({
  location_id: z.string().optional(),
  location_group_id: z.string().optional(),
  client_id: z.string().optional(),
  best_available: z.boolean().optional(),
});
export const providerSpec = z.object({
  location_id: text,
  location_group_id: text,
  client_id: text,
  best_available: flag,
});

/** Location: `location_type` is country, region or city; the `…_location_id`s come from provider-locations. */
export const location = z.object({
  location_id: text,
  location_type: text,
  name: text,
  city: text,
  city_location_id: text,
  region: text,
  region_location_id: text,
  country: text,
  country_location_id: text,
  country_code: text,
  provider_count: number,
  match_distance: number,
});

/** Location group: several places under one name. */
export const locationGroup = z.object({
  location_group_id: text,
  name: text,
  provider_count: number,
  promoted: flag,
  match_distance: number,
});

/** `rank_mode`: `quality` is the only one there is. */
export const findProviders2Request = z.object({
  specs: z.array(providerSpecRequest).optional(),
  count: z.int().optional(),
  exclude_client_ids: z.array(z.string()).optional(),
  exclude_destinations: z.array(z.array(z.string())).optional(),
  rank_mode: z.string().optional(),
});
/** `intermediary_ids`: relays on the way, none for a direct one. */
export const findProviders2Response = z.object({
  providers: list(
    z.object({
      client_id: text,
      estimated_bytes_per_second: number,
      tier: number,
      intermediary_ids: list(z.string()),
    }),
  ),
  error: errorObject,
});

export const findProvidersRequest = z.object({
  location_id: z.string().optional(),
  location_group_id: z.string().optional(),
  count: z.int().optional(),
  exclude_location_ids: z.array(z.string()).optional(),
});
export const findProvidersResponse = z.object({ client_ids: list(z.string()), error: errorObject });

/** `max_distance_fraction` counts only with `enable_max_distance_fraction`. */
export const findLocationsRequest = z.object({
  query: z.string(),
  max_distance_fraction: z.number().optional(),
  enable_max_distance_fraction: z.boolean().optional(),
});
const locationsFields = { specs: list(providerSpec), groups: list(locationGroup), locations: list(location) };
export const findLocationsResponse = z.object({ ...locationsFields, error: errorObject });
export const providerLocationsResponse = z.object({
  ...locationsFields,
  devices: list(z.object({ client_id: text, device_name: text })),
  error: errorObject,
});

/** `query`: an intended use or a place, in words. */
export const createProviderSpecRequest = z.object({ query: z.string() });
export const createProviderSpecResponse = z.object({ specs: list(providerSpec), error: errorObject });
