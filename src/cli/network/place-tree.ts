import type { PlaceView } from './place-view.ts';

const types = ['country', 'region', 'city'];

type PlacedPlace = PlaceView & { readonly depth: number };

/** Each country with its regions and their cities below it, those with the most providers first. A country has depth 0. */
export function sortAsTree(places: readonly PlaceView[]): readonly PlacedPlace[] {
  const byId = new Map(places.map((place) => [place.locationId, place]));
  const byParent = Map.groupBy(places, (place) => findParent(place, byId)?.locationId);
  const list = (parentId: string | undefined, depth: number): readonly PlacedPlace[] =>
    (byParent.get(parentId) ?? []).toSorted(compare).flatMap((place) => [
      { ...place, depth },
      // Places without a parent are found under undefined: one without an id has nothing below it.
      ...(place.locationId === undefined ? [] : list(place.locationId, depth + 1)),
    ]);
  return list(undefined, 0);
}

/** What a place lies in, as far as it is listed; always of a wider type, so no place lies in itself. */
function findParent(place: PlaceView, byId: ReadonlyMap<string | undefined, PlaceView>): PlaceView | undefined {
  return [place.regionLocationId, place.countryLocationId]
    .flatMap((id) => (id === undefined ? [] : (byId.get(id) ?? [])))
    .find((wider) => types.indexOf(wider.type ?? '') < types.indexOf(place.type ?? ''));
}

function compare(one: PlaceView, other: PlaceView): number {
  return other.providerCount - one.providerCount || (one.name ?? '').localeCompare(other.name ?? '', 'en');
}
