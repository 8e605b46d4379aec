import { toComparable } from './place-names.ts';
import { toStableId } from './stable-id.ts';
import { continents, homeCountryCode, promotedGroups } from './world-places.ts';

interface Named {
  readonly locationId: string;
  readonly name: string;
}

/** A country, region or city, with what it lies in. */
export interface Place extends Named {
  readonly type: 'country' | 'region' | 'city';
  /** What it is called, as names are compared (place-names.ts). */
  readonly names: readonly string[];
  readonly country: Named & { readonly code: string };
  /** undefined for a country. */
  readonly region: Named | undefined;
  /** undefined for a country or a region. */
  readonly city: Named | undefined;
}

/** A set of countries that goes by one name. */
export interface PlaceGroup {
  readonly type: 'group';
  readonly groupId: string;
  readonly name: string;
  readonly names: readonly string[];
  readonly promoted: boolean;
  readonly countryIds: readonly string[];
}

/** Where a client is: always a city, with what it lies in. */
export interface ClientPlace {
  readonly cityId: string;
  readonly regionId: string;
  readonly countryId: string;
  /** Their names, for people. */
  readonly city: string;
  readonly country: string;
}

/** The places that there are. Ids are UUID text made of the place's own name and what it lies in: the same for ever. */
export interface World {
  /** Each country, then its regions, each followed by its cities. */
  readonly places: readonly Place[];
  /** The promoted ones first. */
  readonly groups: readonly PlaceGroup[];
  readonly cities: readonly ClientPlace[];
  /** Where a client is that says nothing about it. */
  readonly home: ClientPlace;
  /** undefined for an id that is none of a country, region or city. */
  findPlace(locationId: string): Place | undefined;
  /** The cities of a country, region, city or group, the most important first; none for an unknown id. */
  citiesOf(id: string): readonly ClientPlace[];
  /** Where a client is that says its country's two letters; `home` for an unknown or absent country. */
  placeIn(countryCode: string | undefined): ClientPlace;
}

/** The world of world-places.ts, with its ids. */
export function createWorld(): World {
  const countries = Object.values(continents).flat();
  const places = countries.flatMap(toPlaces);
  const groups = [
    ...promotedGroups.map((group) => ({ ...group, promoted: true })),
    ...Object.entries(continents).map(([name, rows]) => ({
      name,
      aliases: [],
      countryCodes: rows.map((row) => row.code),
      promoted: false,
    })),
  ].map(toGroup);
  const byId = new Map(places.map((place) => [place.locationId, place]));
  const cities = places.flatMap(toClientPlace);
  const citiesById = new Map<string, readonly ClientPlace[]>([
    ...Map.groupBy(cities, (city) => city.countryId),
    ...Map.groupBy(cities, (city) => city.regionId),
    ...Map.groupBy(cities, (city) => city.cityId),
    ...groups.map((group) => {
      const ofGroup = cities.filter((city) => group.countryIds.includes(city.countryId));
      return [group.groupId, ofGroup] as const;
    }),
  ]);
  const citiesOf = (id: string) => citiesById.get(id) ?? [];
  const firstCity = (countryCode: string) => citiesOf(toCountryId(countryCode))[0];
  const home = firstCity(homeCountryCode);
  if (home === undefined) throw new RangeError(`there is no country ${homeCountryCode}`);
  return {
    places,
    groups,
    cities,
    home,
    findPlace: (locationId) => byId.get(locationId),
    citiesOf,
    placeIn: (countryCode) => firstCity(countryCode?.toUpperCase() ?? homeCountryCode) ?? home,
  };
}

type CountryRow = (typeof continents)[string][number];

function toPlaces({ code, name, aliases = [], regions }: CountryRow): readonly Place[] {
  const country = { locationId: toCountryId(code), name, code };
  const names = [name, ...aliases].map(toComparable);
  return [
    { ...country, type: 'country', names, country, region: undefined, city: undefined },
    ...Object.entries(regions).flatMap(([regionName, cityNames]): readonly Place[] => {
      const region = toNamed(regionName, code);
      const inRegion = { names: [toComparable(regionName)], country, region };
      return [
        { ...region, ...inRegion, type: 'region', city: undefined },
        ...cityNames.map((cityName): Place => {
          const city = toNamed(cityName, code, regionName);
          return { ...city, ...inRegion, type: 'city', names: [toComparable(cityName)], city };
        }),
      ];
    }),
  ];
}

function toNamed(name: string, ...path: readonly string[]): Named {
  return { locationId: toStableId('place', ...path, name), name };
}

function toCountryId(code: string): string {
  return toStableId('place', code);
}

function toGroup({
  name,
  aliases,
  countryCodes,
  promoted,
}: {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly countryCodes: readonly string[];
  readonly promoted: boolean;
}): PlaceGroup {
  const names = [name, ...aliases].map(toComparable);
  return {
    type: 'group',
    groupId: toStableId('group', name),
    name,
    names,
    promoted,
    countryIds: countryCodes.map(toCountryId),
  };
}

function toClientPlace({ country, region, city }: Place): readonly ClientPlace[] {
  if (region === undefined || city === undefined) return [];
  const ids = { cityId: city.locationId, regionId: region.locationId, countryId: country.locationId };
  return [{ ...ids, city: city.name, country: country.name }];
}
