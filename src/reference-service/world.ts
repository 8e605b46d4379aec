import { continents, homeCountryCode, promotedGroups } from './places.ts';
import { toStableId } from './repeatable.ts';

/**
 * A country, region or city, with the places around it. Region and city are undefined for a larger
 * place.
 */
export interface Place
  extends Readonly<Record<'locationId' | 'name' | 'country' | 'countryId', string>>,
    Readonly<Partial<Record<'region' | 'regionId' | 'city' | 'cityId', string>>> {
  readonly type: 'country' | 'region' | 'city';
  /** In the form of `toComparable`. */
  readonly names: readonly string[];
  /** Two letters by ISO 3166. */
  readonly countryCode: string;
}

/** Where a client is: always a city, with the places around it. */
export type ClientPlace = Required<Place>;

/** Everything that a text can name. */
export type Findable = Place | PlaceGroup;

/**
 * The places that the service knows. They never change, and neither do their ids. Lists have the
 * most important place of a country or region first.
 */
export interface World {
  /** Each country, followed by its regions, each of them followed by its cities. */
  readonly places: readonly Place[];
  /** The recommended groups come first. */
  readonly groups: readonly PlaceGroup[];
  /** The places, and then the groups. */
  readonly findable: readonly Findable[];
  readonly cities: readonly ClientPlace[];
  /** The city in which a client is that names no place. */
  readonly home: ClientPlace;
  /** undefined for an id that no country, region or city has. */
  findPlace(locationId: string): Place | undefined;
  /** The cities of a country, region, city or group; empty for an unknown id. */
  citiesOf(id: string): readonly ClientPlace[];
  /** The countries of a group, the regions of a country, the cities of a region. */
  partsOf(found: Findable): readonly Place[];
  /**
   * The country with this name in one of several other languages, in the form of `toComparable`;
   * `elsewhere` for the name of a country that is not in this world, in those languages and in
   * English; undefined for any other text.
   */
  findForeign(name: string): Place | 'elsewhere' | undefined;
  /** The id for these two letters; a country with it need not exist. */
  toCountryId(countryCode: string): string;
}

/**
 * The world of places.ts. An id is a UUID made from the name of the place and the places around it,
 * so it never changes.
 */
export function createWorld(): World {
  const places = Object.values(continents).flat().flatMap(readCountry);
  const groups = [
    ...promotedGroups.map((group) => createGroup({ ...group, promoted: true })),
    ...Object.entries(continents).map(([name, rows]) =>
      createGroup({ names: [name], codes: rows.map((row) => row.slice(0, 2)), promoted: false }),
    ),
  ];
  const cities = places.filter((place): place is ClientPlace => place.type === 'city');
  let abroad: ReturnType<typeof nameAbroad> | undefined;
  const foreignNames = () =>
    (abroad ??= nameAbroad(places.filter(({ type }) => type === 'country')));
  const byId = new Map(places.map((place) => [place.locationId, place]));
  const listed = new Map<string, readonly ClientPlace[]>();
  function citiesOf(id: string): readonly ClientPlace[] {
    const known = listed.get(id) ?? listCities(id);
    // Unknown ids are not kept, because callers may send any number of them.
    if (known.length > 0) listed.set(id, known);
    return known;
  }
  function listCities(id: string): readonly ClientPlace[] {
    const ids = groups.find(({ groupId }) => groupId === id)?.countryIds ?? [id];
    return cities.filter((city) =>
      [city.cityId, city.regionId, city.countryId].some((one) => ids.includes(one)),
    );
  }
  const home = citiesOf(toCountryId(homeCountryCode))[0];
  if (home === undefined) throw new RangeError(`there is no country ${homeCountryCode}`);
  return {
    places,
    groups,
    findable: [...places, ...groups],
    cities,
    home,
    findPlace: (locationId) => byId.get(locationId),
    citiesOf,
    findForeign: (name) => foreignNames().get(name),
    partsOf: (found) =>
      found.type === 'group'
        ? places.filter(({ locationId }) => found.countryIds.includes(locationId))
        : places.filter((place) => parentOf(place) === found.locationId),
    toCountryId: (countryCode) => toCountryId(countryCode.toUpperCase()),
  };
}

export function idOf(found: Findable): string {
  return found.type === 'group' ? found.groupId : found.locationId;
}

/** Languages besides English in which a country may be named. */
const languages = 'ar cs da de es fi fr hi id it ja ko nl no pl pt ro ru sv tr uk vi zh';
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** Shorter ones, without accents, are words of other languages: Italy is Ý, and y is "and". */
const leastLetters = 4;

function nameAbroad(countries: readonly Place[]): ReadonlyMap<string, Place | 'elsewhere'> {
  const createNamer = (language: string, style: 'long' | 'short') =>
    new Intl.DisplayNames([language], { type: 'region', style, fallback: 'none' });
  const english = [createNamer('en', 'long'), createNamer('en', 'short')] as const;
  const namers = [
    ...english,
    ...languages.split(' ').map((language) => createNamer(language, 'long')),
  ];
  const byCode = new Map(countries.map((country) => [country.countryCode, country]));
  // Most of these two letters are no country, and have no name.
  const others = letters
    .flatMap((first) => letters.map((second) => `${first}${second}`))
    .filter((code) => !byCode.has(code) && english[0].of(code) !== undefined);
  const named = new Map<string, Place | 'elsewhere'>();
  // A country of this world comes before another one that a language calls the same.
  for (const code of [...byCode.keys(), ...others]) {
    for (const namer of namers) {
      const name = toComparable(namer.of(code) ?? '');
      const isName = name.length >= leastLetters || /\P{Script=Latin}/u.test(name);
      if (isName && !named.has(name)) named.set(name, byCode.get(code) ?? 'elsewhere');
    }
  }
  return named;
}

function parentOf({ type, regionId, countryId }: Place): string | undefined {
  return { country: undefined, region: countryId, city: regionId }[type];
}

function readCountry(row: string): readonly Place[] {
  const [head = '', ...regions] = row.split(' | ');
  const countryCode = head.slice(0, 2);
  const [name = '', ...aliases] = head.slice(3).split(' = ');
  const country = { countryCode, country: name, countryId: toCountryId(countryCode) };
  return [
    { ...country, type: 'country', locationId: country.countryId, ...nameAs(name, ...aliases) },
    ...regions.flatMap((text): readonly Place[] => {
      const [around = '', cities = ''] = text.split(': ');
      const [region = '', ...regionAliases] = around.split(' = ');
      const regionId = toStableId('place', countryCode, region);
      const inRegion = { ...country, region, regionId };
      return [
        { ...inRegion, type: 'region', locationId: regionId, ...nameAs(region, ...regionAliases) },
        ...cities.split(', ').map((own): ClientPlace => {
          const [city = '', ...cityAliases] = own.split(' = ');
          const cityId = toStableId('place', countryCode, region, city);
          const names = nameAs(city, ...cityAliases);
          return { ...inRegion, city, cityId, type: 'city', locationId: cityId, ...names };
        }),
      ];
    }),
  ];
}

/**
 * A text in the form in which names are compared: lower-case words with one blank between, without
 * accents and punctuation.
 */
export function toComparable(text: string): string {
  return splitWords(text).join(' ').toLowerCase();
}

/** The words of a text, without accents and punctuation. */
export function splitWords(text: string): readonly string[] {
  return (
    text
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Countries with a name together: a continent, or a recommended use. */
export interface PlaceGroup {
  readonly type: 'group';
  readonly groupId: string;
  readonly countryIds: readonly string[];
  readonly name: string;
  /** In the form of `toComparable`. */
  readonly names: readonly string[];
  /** True for a recommended use, which says what its providers are good for. */
  readonly promoted: boolean;
}

type GroupRow = (typeof promotedGroups)[number] & { readonly promoted: boolean };

function createGroup({ names: [name = '', ...aliases], codes, promoted }: GroupRow): PlaceGroup {
  const ids = { groupId: toStableId('group', name), countryIds: codes.map(toCountryId) };
  return { type: 'group', ...ids, ...nameAs(name, ...aliases), promoted };
}

function nameAs(name: string, ...aliases: readonly string[]) {
  return { name, names: [name, ...aliases].map(toComparable) };
}

function toCountryId(code: string): string {
  return toStableId('place', code);
}
