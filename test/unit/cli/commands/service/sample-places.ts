import type {
  PlacesView,
  PlaceView,
  SpecView,
} from '../../../../../src/cli/commands/service/place-view.ts';

/** A place of which only this is known. */
export function place(known: Partial<PlaceView>): PlaceView {
  return {
    locationId: undefined,
    type: undefined,
    name: undefined,
    city: undefined,
    cityLocationId: undefined,
    region: undefined,
    regionLocationId: undefined,
    country: undefined,
    countryLocationId: undefined,
    countryCode: undefined,
    providerCount: 0,
    matchDistance: 0,
    ...known,
  };
}

/** A group of which only this is known. */
export function group(known: Partial<PlacesView['groups'][number]>): PlacesView['groups'][number] {
  return {
    locationGroupId: undefined,
    name: undefined,
    providerCount: 0,
    isPromoted: false,
    matchDistance: 0,
    ...known,
  };
}

/** A spec that names only this. */
export function spec(known: Partial<SpecView>): SpecView {
  return {
    locationId: undefined,
    locationGroupId: undefined,
    clientId: undefined,
    isBestAvailable: false,
    ...known,
  };
}
