import * as z from 'zod';
import {
  answer,
  count,
  flag,
  integer,
  list,
  maybe,
  number,
  object,
  oneOf,
  text,
} from '../fields.ts';
import { asking, type Operation, reading } from '../operation.ts';

/** What a provider has to match; one or more of these four. */
export const providerSpec = object(() => ({
  location_id: text.describe('A country, region or city.'),
  location_group_id: text.describe('A group of locations.'),
  client_id: text.describe('A client.'),
  best_available: flag.describe('True for the best that there is.'),
}));

export const location = object(() => ({
  location_id: text.describe('A country, region or city.'),
  location_type: oneOf('country', 'region', 'city').describe('What kind of place it is.'),
  name: text.describe('Name of the place.'),
  city: text.describe('City that it is, or is in.'),
  city_location_id: text.describe('Location of the city.'),
  region: text.describe('Region that it is, or is in.'),
  region_location_id: text.describe('Location of the region.'),
  country: text.describe('Country that it is, or is in.'),
  country_location_id: text.describe('Location of the country.'),
  country_code: text.describe('Country, two letters (ISO 3166).'),
  provider_count: integer.describe('Providers that are active there.'),
  match_distance: number.describe('How far the match is from the text; 0 for an exact one.'),
}));

/** Several places under one name. */
export const locationGroup = object(() => ({
  location_group_id: text.describe('A group of locations.'),
  name: text.describe('Name of the place.'),
  provider_count: integer.describe('Providers that are active there.'),
  promoted: flag.describe('True where the service recommends the group.'),
  match_distance: number.describe('How far the match is from the text; 0 for an exact one.'),
}));

const foundProvider = object(() => ({
  client_id: text.describe('A client.'),
  estimated_bytes_per_second: integer.describe('Speed to be expected, in bytes a second.'),
  tier: integer.describe('Class that the service puts it in.'),
  intermediary_ids: list(z.string()).describe('Relays on the way; none where it is direct.'),
}));

const device = object(() => ({
  client_id: text.describe('A client.'),
  device_name: text.describe('Name of the device.'),
}));

const listLocationsFields = () => ({
  specs: list(providerSpec).describe('Wishes for a provider; any one of them will do.'),
  groups: list(locationGroup).describe('Groups of locations that were found.'),
  locations: list(location).describe('Locations that were found.'),
});

const searchFields = () => ({
  query: text.describe('A place or an intended use, in words.'),
  max_distance_fraction: number.describe(
    'How much may differ, as a share of the text; counts with `enable_max_distance_fraction` only.',
  ),
  enable_max_distance_fraction: flag.describe('True to find names that are only similar.'),
});

/** The operations that find places and providers (service-interface, "Endpoints"). */
export const discoveryOperations = {
  findProviders2: {
    ...asking,
    summary: 'Finds providers that fit one of several wishes, the best first, with their speed.',
    path: '/network/find-providers2',
    authentication: 'none',
    request: object(() => ({
      specs: maybe(z.array(providerSpec)).describe(
        'Wishes for a provider; any one of them will do.',
      ),
      count: count.describe('How many at most.'),
      exclude_client_ids: maybe(z.array(z.string())).describe('Providers that are not wanted.'),
      exclude_destinations: maybe(z.array(z.array(z.string()))).describe(
        'Ways, each a list of clients, whose last client is not wanted; those before it are relays.',
      ),
      rank_mode: oneOf('quality').describe('Order of the answer.'),
    })),
    response: answer(() => ({
      providers: list(foundProvider).describe('The providers that were found, the best first.'),
    })),
    list: 'providers',
  },
  findProviders: {
    ...asking,
    summary: 'Finds ids of providers at a location or in a group.',
    path: '/network/find-providers',
    request: object(() => ({
      location_id: text.describe('A country, region or city.'),
      location_group_id: text.describe('A group of locations.'),
      count: count.describe('How many at most.'),
      exclude_location_ids: maybe(z.array(z.string())).describe('Locations that are not wanted.'),
    })),
    response: answer(() => ({
      client_ids: list(z.string()).describe('Providers, the best first.'),
    })),
    list: 'client_ids',
  },
  findLocations: {
    ...asking,
    summary: 'Finds locations and groups by a text.',
    path: '/network/find-locations',
    authentication: 'none',
    request: object(searchFields),
    response: answer(listLocationsFields),
  },
  findProviderLocations: {
    ...asking,
    isOutside: true,
    summary: 'Finds locations and groups by a text.',
    path: '/network/find-provider-locations',
    authentication: 'none',
    request: object(() => ({
      ...searchFields(),
      rank_mode: oneOf('quality').describe('Order of the answer.'),
    })),
    response: answer(listLocationsFields),
  },
  providerLocations: {
    ...reading,
    summary: 'Lists every location and group that has providers, and some of the best devices.',
    path: '/network/provider-locations',
    authentication: 'none',
    takesNetworkJwt: true,
    response: answer(() => ({
      ...listLocationsFields(),
      devices: list(device).describe('Devices to choose from.'),
    })),
  },
  createProviderSpec: {
    ...asking,
    summary: 'Turns an intended use or a place, in words, into wishes for a provider.',
    path: '/network/create-provider-spec',
    request: object(() => ({ query: text.describe('A place or an intended use, in words.') })),
    response: answer(() => ({
      specs: list(providerSpec).describe('Wishes for a provider; any one of them will do.'),
    })),
    list: 'specs',
  },
} as const satisfies Record<string, Operation>;
