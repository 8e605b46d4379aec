import type { OperationResponse } from '../../../service/operations.ts';

type Found = Pick<OperationResponse<'findLocations'>, 'locations' | 'groups' | 'specs'>;

/** Places, groups of them, and what to ask for, in the words of `--json`. */
export interface PlacesView {
  readonly locations: readonly PlaceView[];
  readonly groups: readonly {
    readonly locationGroupId: string | undefined;
    readonly name: string | undefined;
    readonly providerCount: number;
    readonly isPromoted: boolean;
    readonly matchDistance: number;
  }[];
  readonly specs: readonly SpecView[];
}

/** A place with the places around it; what the service left out is undefined. */
export interface PlaceView {
  readonly locationId: string | undefined;
  readonly type: string | undefined;
  readonly name: string | undefined;
  readonly city: string | undefined;
  readonly cityLocationId: string | undefined;
  readonly region: string | undefined;
  readonly regionLocationId: string | undefined;
  readonly country: string | undefined;
  readonly countryLocationId: string | undefined;
  readonly countryCode: string | undefined;
  readonly providerCount: number;
  /** How far the name is from the searched one; 0 if they are equal. */
  readonly matchDistance: number;
}

/** What to ask for to get a provider; one or more of the four fields. */
export interface SpecView {
  readonly locationId: string | undefined;
  readonly locationGroupId: string | undefined;
  readonly clientId: string | undefined;
  readonly isBestAvailable: boolean;
}

/** What an answer says about places. Services leave zeros out, so an absent count is 0. */
export function viewPlaces({ locations, groups, specs }: Found): PlacesView {
  return {
    locations: locations.map(
      ({ locationId, locationType, city, region, country, ...location }) => ({
        locationId,
        type: locationType,
        name: location.name || city || region || country || undefined,
        city,
        cityLocationId: location.cityLocationId,
        region,
        regionLocationId: location.regionLocationId,
        country,
        countryLocationId: location.countryLocationId,
        countryCode: location.countryCode,
        providerCount: location.providerCount ?? 0,
        matchDistance: location.matchDistance ?? 0,
      }),
    ),
    groups: groups.map(
      ({ locationGroupId, name, providerCount = 0, promoted = false, matchDistance = 0 }) => {
        return { locationGroupId, name, providerCount, isPromoted: promoted, matchDistance };
      },
    ),
    specs: specs.map(viewSpec),
  };
}

export function viewSpec({
  locationId,
  locationGroupId,
  clientId,
  bestAvailable = false,
}: Found['specs'][number]): SpecView {
  return { locationId, locationGroupId, clientId, isBestAvailable: bestAvailable };
}

/** The place's name with the places around it: `Munich, Bavaria, Germany`, each name once. */
export function nameInFull({ name, region, country }: PlaceView): string {
  return [...new Set([name, region, country].filter(Boolean))].join(', ');
}

const types = ['country', 'region', 'city'];

/**
 * Each country with its regions, and their cities below these; those with the most providers come
 * first. A country has depth 0.
 */
export function sortAsTree(places: readonly PlaceView[]) {
  const byId = new Map(places.map((place) => [place.locationId, place]));
  const byParent = Map.groupBy(places, (place) => findParent(place, byId)?.locationId);
  const list = (
    parentId: string | undefined,
    depth: number,
  ): readonly (PlaceView & { readonly depth: number })[] =>
    (byParent.get(parentId) ?? []).toSorted(compare).flatMap((place) => [
      { ...place, depth },
      // Places without a parent are listed under undefined. A place without an id therefore has no
      // places below it.
      ...(place.locationId === undefined ? [] : list(place.locationId, depth + 1)),
    ]);
  return list(undefined, 0);
}

/**
 * The listed place that contains a place. It is always of a wider type, so no place contains
 * itself.
 */
function findParent(
  place: PlaceView,
  byId: ReadonlyMap<string | undefined, PlaceView>,
): PlaceView | undefined {
  return [place.regionLocationId, place.countryLocationId]
    .flatMap((id) => (id === undefined ? [] : (byId.get(id) ?? [])))
    .find((wider) => types.indexOf(wider.type ?? '') < types.indexOf(place.type ?? ''));
}

function compare(one: PlaceView, other: PlaceView): number {
  return (
    other.providerCount - one.providerCount ||
    (one.name ?? '').localeCompare(other.name ?? '', 'en')
  );
}
