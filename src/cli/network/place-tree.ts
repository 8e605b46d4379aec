import type { PlaceView } from './place-view.ts';

/** A place, and how many others of the list it lies in. */
export interface PlacedPlace {
  readonly place: PlaceView;
  readonly depth: number;
}

const types = ['country', 'region', 'city'];

/** Each country with its regions and their cities behind it, those with the most providers first. */
export function toPlaceTree(places: readonly PlaceView[]): readonly PlacedPlace[] {
  const byId = new Map(places.map((place) => [place.locationId, place]));
  const byParent = Map.groupBy(places, (place) => findParent(place, byId)?.locationId);
  const list = (parentId: string | null | undefined, depth: number): readonly PlacedPlace[] =>
    (byParent.get(parentId) ?? [])
      .toSorted(compare)
      .flatMap((place) => [{ place, depth }, ...list(place.locationId, depth + 1)]);
  return list(undefined, 0);
}

/** What a place lies in, as far as it is listed; always of a wider type, so nobody lies in itself. */
function findParent(place: PlaceView, byId: ReadonlyMap<string | null, PlaceView>): PlaceView | undefined {
  return [place.regionLocationId, place.countryLocationId]
    .flatMap((id) => (id === null ? [] : (byId.get(id) ?? [])))
    .find((wider) => types.indexOf(wider.type ?? '') < types.indexOf(place.type ?? ''));
}

function compare(one: PlaceView, other: PlaceView): number {
  return other.providerCount - one.providerCount || (one.name ?? '').localeCompare(other.name ?? '', 'en');
}
