import type { WireRequest } from '../service/operations.ts';
import type { Backend, Handlers } from './backend.ts';
import type { Network } from './networks.ts';
import { asksForBest, findByName, type PlaceMatch } from './place-search.ts';
import type { CountOf, Provider, ProviderRequest } from './provider-directory.ts';
import { refuse } from './refusal.ts';
import { readWishes, toWireSpec } from './wishes.ts';
import { idOf, type Place, type PlaceGroup, type World } from './world.ts';

const mostMatches = 50;
const mostDevices = 20;
const mostOwnDevices = 200;
/** The share of the query's length by which a near match may differ, if the caller does not say. */
const usualFraction = 0.25;

export const discoveryHandlers = {
  findLocations: (backend, { request }) => findLocations(backend, request),

  findProviderLocations(backend, { request }) {
    checkRankMode(request);
    return findLocations(backend, request);
  },

  providerLocations(backend, { network }) {
    const key = `locations for ${network?.networkId}`;
    return backend.directory.keepUntilWritten(key, () =>
      Object.freeze(listLocations(backend, network)),
    );
  },

  createProviderSpec({ world }, { request }) {
    const { query = '' } = request;
    const specs = readWishes(world, query);
    if (specs.length > 0) return { specs };
    // The best of everything, as an answer to what was not understood, would look understood.
    if (query.trim() !== '' && !asksForBest(query))
      throw refuse('Nothing in the query names a place or a use that this service knows.');
    return { specs: [{ best_available: true }] };
  },

  findProviders(backend, { request, network }) {
    const cityIds = selectCityIds(backend.world, request, request.exclude_location_ids ?? []);
    const { networkId } = network;
    const providers = search(backend, {
      count: limitCount(request.count),
      choices: [{ cityIds }],
      networkId,
    });
    return { client_ids: providers.map(({ clientId }) => clientId) };
  },

  findProviders2(backend, { request }) {
    checkRankMode(request);
    // A request without specs asks for the best available, and so does a spec that names nothing.
    const specs: readonly ProviderSpec[] = request.specs?.length ? request.specs : [{}];
    if (specs.length > mostSpecs) throw refuse(`There may be ${mostSpecs} specs at most.`);
    const providers = search(backend, {
      count: limitCount(request.count),
      choices: specs.map((spec) => ({
        cityIds: selectCityIds(backend.world, spec),
        clientId: spec.client_id,
      })),
      excludedClientIds: new Set(
        // Of a way only the last hop is left out: its relays may serve for another way.
        [
          ...(request.exclude_client_ids ?? []),
          ...(request.exclude_destinations ?? []).flatMap((way) => way.slice(-1)),
        ],
      ),
    });
    return {
      providers: providers.map(({ clientId, bytesPerSecond, quality }) => ({
        client_id: clientId,
        estimated_bytes_per_second: bytesPerSecond,
        tier: tierQualities.filter((least) => quality < least).length + 1,
        // Every provider is reached directly by a tunnel.
        intermediary_ids: [],
      })),
    };
  },
} satisfies Partial<Handlers>;

function checkRankMode({ rank_mode = 'quality' }: { readonly rank_mode?: string | undefined }) {
  if (rank_mode !== 'quality') throw refuse('The only rank_mode is quality.');
}

function findLocations(backend: Backend, request: WireRequest<'findLocations'>) {
  const countOf = backend.directory.countProviders();
  const matches = rankMatches(findMatches(backend, request, countOf), countOf).slice(
    0,
    mostMatches,
  );
  return {
    specs: createSpecs(backend, request.query ?? '', matches),
    groups: matches.flatMap(({ found, distance }) =>
      found.type === 'group' ? [{ ...toWireGroup(found, countOf), match_distance: distance }] : [],
    ),
    locations: matches.flatMap(({ found, distance }) =>
      found.type === 'group'
        ? []
        : [{ ...toWireLocation(found, countOf), match_distance: distance }],
    ),
  };
}

/** Without any text, everything that has providers is found. */
function findMatches({ world }: Backend, request: WireRequest<'findLocations'>, countOf: CountOf) {
  const { query = '', max_distance_fraction: fraction = usualFraction } = request;
  if (!(fraction >= 0 && fraction <= 1)) throw refuse('max_distance_fraction must be from 0 to 1.');
  if (query.trim() === '') {
    return world.findable
      .filter((found) => countOf(found) > 0)
      .map((found) => ({ found, distance: 0 }));
  }
  const known = world.findable.find((found) => idOf(found) === query.trim());
  if (known !== undefined) return [{ found: known, distance: 0 }];
  return findByName(world, query, request.enable_max_distance_fraction === true ? fraction : 0);
}

function rankMatches(matches: readonly PlaceMatch[], countOf: CountOf): readonly PlaceMatch[] {
  return matches.toSorted(
    (one, other) =>
      one.distance - other.distance ||
      countOf(other.found) - countOf(one.found) ||
      (one.found.name < other.found.name ? -1 : Number(one.found.name > other.found.name)),
  );
}

function createSpecs({ directory }: Backend, query: string, matches: readonly PlaceMatch[]) {
  const named = directory.find({ count: 1, choices: [{ clientId: query.trim().toLowerCase() }] });
  const clients = named.map(({ clientId }) => ({ client_id: clientId }));
  const specs = [...matches.map(({ found }) => toWireSpec(found)), ...clients];
  // The best of everything, as an answer to a name that nothing has, would look like a place.
  const isAnything = query.trim() === '' && specs.length === 0;
  return isAnything || asksForBest(query) ? [...specs, { best_available: true }] : specs;
}

function listLocations(backend: Backend, network: Network | undefined) {
  const { world, directory } = backend;
  const countOf = directory.countProviders();
  const places = world.places.filter((place) => countOf(place) > 0);
  return {
    specs: [{ best_available: true }],
    groups: world.groups.map((group) => toWireGroup(group, countOf)),
    locations: places.map((place) => ({
      ...toWireLocation(place, countOf),
      city_location_id: place.cityId,
      region_location_id: place.regionId,
      country_location_id: place.countryId,
    })),
    devices: listDevices(backend, network),
  };
}

/** Another network's device is named by its place, because its owner's name for it is private. */
function listDevices({ world, directory }: Backend, network: Network | undefined) {
  const own = network === undefined ? [] : directory.listOwn(network.networkId, mostOwnDevices);
  const excludedClientIds = new Set(own.map(({ clientId }) => clientId));
  const others = directory.find({ count: mostDevices, excludedClientIds });
  return [...own, ...others.map((other) => ({ ...other, description: '' }))].map((device) => {
    const { clientId, cityId, description } = device;
    const label = `${world.findPlace(cityId)?.name ?? ''} ${clientId.slice(0, 4)}`.trim();
    return { client_id: clientId, device_name: description || label };
  });
}

function toWireGroup(group: PlaceGroup, countOf: CountOf) {
  const { groupId, name, promoted } = group;
  return { location_group_id: groupId, name, provider_count: countOf(group), promoted };
}

function toWireLocation(place: Place, countOf: CountOf) {
  const { locationId, type, name, city, region, country, countryCode } = place;
  const inside = { city, region, country, country_code: countryCode };
  return {
    location_id: locationId,
    location_type: type,
    name,
    ...inside,
    provider_count: countOf(place),
  };
}

const usualCount = 20;
const mostCount = 200;
const mostSpecs = 1000;
/** The least quality of providers of tier 1 and of tier 2; all others are of tier 3. */
const tierQualities = [0.66, 0.33];

/** Searches. Being found counts as interest in the provider's statistics. */
function search({ directory, usage, now }: Backend, request: ProviderRequest): readonly Provider[] {
  const providers = directory.find(request);
  const ids = providers.map(({ clientId }) => clientId);
  usage.noteSearches(ids, now());
  return providers;
}

type ProviderSpec = Partial<NonNullable<WireRequest<'findProviders2'>['specs']>[number]>;
type NamedPlace = Pick<ProviderSpec, 'location_id' | 'location_group_id'>;

/** The cities in all named places and in no excluded one; undefined for any city. */
function selectCityIds(world: World, named: NamedPlace, excludedIds: readonly string[] = []) {
  const listIds = (id: string) => world.citiesOf(id).map((city) => city.cityId);
  const areas = [named.location_id, named.location_group_id]
    .filter((id) => id !== undefined)
    .map(listIds);
  if (areas.length + excludedIds.length === 0) return undefined;
  const excluded = new Set(excludedIds.flatMap(listIds));
  const everywhere = world.cities.map((city) => city.cityId);
  return new Set(
    everywhere.filter((id) => areas.every((ids) => ids.includes(id)) && !excluded.has(id)),
  );
}

function limitCount(count = usualCount): number {
  if (count <= 0) throw refuse('count must be above zero.');
  return Math.min(count, mostCount);
}
