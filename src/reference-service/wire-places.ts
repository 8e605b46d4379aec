import type { WireResponse } from '../service/operations.ts';
import { type Dialect, toWireCount } from './dialect.ts';
import type { Findable } from './place-search.ts';
import type { Place, PlaceGroup } from './world.ts';

type Answer = WireResponse<'providerLocations'>;
type WireSpec = NonNullable<Answer['specs']>[number];
type WireGroup = NonNullable<Answer['groups']>[number];
type WireLocation = NonNullable<Answer['locations']>[number];

/** The spec that asks for providers in this place or group. */
export function toWireSpec(found: Findable): WireSpec {
  return found.type === 'group' ? { location_group_id: found.groupId } : { location_id: found.locationId };
}

/** A group with the number of its public providers. */
export function toWireGroup(dialect: Dialect, group: PlaceGroup, providers: number): WireGroup {
  const { groupId, name, promoted } = group;
  return { location_group_id: groupId, name, provider_count: toWireCount(dialect, providers), promoted };
}

/** A place with the number of its public providers. */
export function toWireLocation(dialect: Dialect, place: Place, providers: number): WireLocation {
  return {
    location_id: place.locationId,
    location_type: place.type,
    name: place.name,
    ...(place.city === undefined ? {} : { city: place.city.name }),
    ...(place.region === undefined ? {} : { region: place.region.name }),
    country: place.country.name,
    country_code: place.country.code,
    provider_count: toWireCount(dialect, providers),
  };
}

/** The ids of what a place lies in, itself included. */
export function toWirePlaceIds({ city, region, country }: Place) {
  return {
    ...(city === undefined ? {} : { city_location_id: city.locationId }),
    ...(region === undefined ? {} : { region_location_id: region.locationId }),
    country_location_id: country.locationId,
  };
}
