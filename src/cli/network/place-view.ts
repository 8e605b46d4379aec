import type { OperationResponse } from '../../service/operations.ts';

type Found = Pick<OperationResponse<'findLocations'>, 'locations' | 'groups' | 'specs'>;

/** What `--json` shows of places. */
export type PlacesView = ReturnType<typeof viewPlaces>;
/** A country, region or city. */
export type PlaceView = ReturnType<typeof viewPlace>;
/** Places that go by one name. */
export type GroupView = ReturnType<typeof viewGroup>;
/** What to ask for to get a provider: of the four, one or more. */
export type SpecView = ReturnType<typeof viewSpec>;

/** What an answer says about places. Services leave zeros out, so an absent count is 0. */
export function viewPlaces({ locations, groups, specs }: Found) {
  return { locations: locations.map(viewPlace), groups: groups.map(viewGroup), specs: specs.map(viewSpec) };
}

/** What a spec names. */
export function viewSpec({ locationId, locationGroupId, clientId, bestAvailable = false }: Found['specs'][number]) {
  return { locationId, locationGroupId, clientId, isBestAvailable: bestAvailable };
}

/** The place's name with what it lies in: `Munich, Bavaria, Germany`, each name once. */
export function nameInFull({ name, region, country }: PlaceView): string {
  return [...new Set([name, region, country].filter(Boolean))].join(', ');
}

function viewPlace(location: Found['locations'][number]) {
  const { locationId, locationType, city, region, country } = location;
  return {
    locationId,
    /** country, region or city. */
    type: locationType,
    name: location.name || city || region || country || undefined,
    city,
    cityLocationId: location.cityLocationId,
    region,
    regionLocationId: location.regionLocationId,
    country,
    countryLocationId: location.countryLocationId,
    countryCode: location.countryCode,
    /** Active providers there. */
    providerCount: location.providerCount ?? 0,
    /** How far the name is from what was looked for, 0 for the same. */
    matchDistance: location.matchDistance ?? 0,
  };
}

function viewGroup(group: Found['groups'][number]) {
  return {
    locationGroupId: group.locationGroupId,
    name: group.name,
    providerCount: group.providerCount ?? 0,
    isPromoted: group.promoted ?? false,
    matchDistance: group.matchDistance ?? 0,
  };
}
