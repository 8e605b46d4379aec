import type { OperationResponse } from '../../service/operations.ts';

type Found = OperationResponse<'findLocations'>;

/** A country, region or city; null where the service says nothing. */
export interface PlaceView {
  readonly locationId: string | null;
  /** country, region or city. */
  readonly type: string | null;
  readonly name: string | null;
  readonly city: string | null;
  readonly cityLocationId: string | null;
  readonly region: string | null;
  readonly regionLocationId: string | null;
  readonly country: string | null;
  readonly countryLocationId: string | null;
  readonly countryCode: string | null;
  /** Active providers there. */
  readonly providerCount: number;
  /** How far the name is from what was looked for, 0 for the same. */
  readonly matchDistance: number;
}

/** Places that go by one name. */
export interface GroupView {
  readonly locationGroupId: string | null;
  readonly name: string | null;
  readonly providerCount: number;
  readonly isPromoted: boolean;
  readonly matchDistance: number;
}

/** What to ask for to get a provider: of the four, one or more. */
export interface SpecView {
  readonly locationId: string | null;
  readonly locationGroupId: string | null;
  readonly clientId: string | null;
  readonly isBestAvailable: boolean;
}

/** What an answer says about places. Services leave zeros out, so an absent count is none. */
export function toPlacesView({ locations, groups, specs }: Pick<Found, 'locations' | 'groups' | 'specs'>) {
  return { locations: locations.map(toPlaceView), groups: groups.map(toGroupView), specs: specs.map(toSpecView) };
}

/** A spec with null for whatever it does not name. */
export function toSpecView(spec: Found['specs'][number]): SpecView {
  return {
    locationId: spec.locationId ?? null,
    locationGroupId: spec.locationGroupId ?? null,
    clientId: spec.clientId ?? null,
    isBestAvailable: spec.bestAvailable ?? false,
  };
}

/** The place's name with what it lies in: `Munich, Bavaria, Germany`, each name once. */
export function toFullName({ name, region, country }: PlaceView): string {
  const names = [name, region, country].filter((part) => part !== null && part !== '');
  return names.filter((part, index) => names.indexOf(part) === index).join(', ');
}

function toPlaceView(location: Found['locations'][number]): PlaceView {
  return {
    locationId: location.locationId ?? null,
    type: location.locationType ?? null,
    name: location.name || location.city || location.region || location.country || null,
    city: location.city ?? null,
    cityLocationId: location.cityLocationId ?? null,
    region: location.region ?? null,
    regionLocationId: location.regionLocationId ?? null,
    country: location.country ?? null,
    countryLocationId: location.countryLocationId ?? null,
    countryCode: location.countryCode ?? null,
    providerCount: location.providerCount ?? 0,
    matchDistance: location.matchDistance ?? 0,
  };
}

function toGroupView(group: Found['groups'][number]): GroupView {
  return {
    locationGroupId: group.locationGroupId ?? null,
    name: group.name ?? null,
    providerCount: group.providerCount ?? 0,
    isPromoted: group.promoted ?? false,
    matchDistance: group.matchDistance ?? 0,
  };
}
