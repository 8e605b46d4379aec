import type { GroupView, PlaceView, SpecView } from '../../../../src/cli/network/place-view.ts';

/** A place of which only this is known. */
export function place(known: Partial<PlaceView>): PlaceView {
  return {
    locationId: null,
    type: null,
    name: null,
    city: null,
    cityLocationId: null,
    region: null,
    regionLocationId: null,
    country: null,
    countryLocationId: null,
    countryCode: null,
    providerCount: 0,
    matchDistance: 0,
    ...known,
  };
}

/** A group of which only this is known. */
export function group(known: Partial<GroupView>): GroupView {
  return { locationGroupId: null, name: null, providerCount: 0, isPromoted: false, matchDistance: 0, ...known };
}

/** A spec that names only this. */
export function spec(known: Partial<SpecView>): SpecView {
  return { locationId: null, locationGroupId: null, clientId: null, isBestAvailable: false, ...known };
}
