import type { WireRequest } from '../service/operations.ts';
import type { Backend, Handlers } from './backend.ts';
import type { Network } from './networks.ts';
import { asksForBest, findByName, findInWords, type PlaceMatch } from './place-search.ts';
import type { Provider } from './provider-directory.ts';
import type { Findable, Place, PlaceGroup } from './world.ts';

const mostMatches = 50;
const mostDevices = 20;
const mostOwnDevices = 200;
/** Of the query's length, where the caller asks for near matches and does not say how near. */
const usualFraction = 0.25;

/** Where there are providers, and how to ask for them. */
export const placeHandlers = {
  /** The places and groups that a text names, with the specs that ask for them. */
  findLocations(backend, { request }) {
    const countOf = backend.directory.countProviders();
    const matches = rankMatches(findMatches(backend, request, countOf), countOf).slice(0, mostMatches);
    return {
      specs: createSpecs(backend, request.query, matches),
      groups: matches.flatMap(({ found, distance }) =>
        found.type === 'group' ? [{ ...toWireGroup(found, countOf), match_distance: distance }] : [],
      ),
      locations: matches.flatMap(({ found, distance }) =>
        found.type === 'group' ? [] : [{ ...toWireLocation(found, countOf), match_distance: distance }],
      ),
    };
  },

  /** Everywhere that there are public providers, and some of the best; a caller's own devices first. */
  providerLocations(backend, { network }) {
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
  },

  /** What a text in plain words asks for; the best available where it names no place and no use. */
  createProviderSpec({ world }, { request }) {
    const specs = findInWords(world, request.query).map(toWireSpec);
    return { specs: specs.length === 0 ? [{ best_available: true }] : specs };
  },
} satisfies Partial<Handlers>;

type CountOf = (found: Findable) => number;

/** No text at all asks for everything that has providers. */
function findMatches({ world }: Backend, request: WireRequest<'findLocations'>, countOf: CountOf) {
  if (request.query.trim() === '') {
    return world.findable.filter((found) => countOf(found) > 0).map((found) => ({ found, distance: 0 }));
  }
  const fraction = Math.min(1, Math.max(0, request.max_distance_fraction ?? usualFraction));
  return findByName(world, request.query, request.enable_max_distance_fraction === true ? fraction : 0);
}

/** The nearest first, of equals the one with more providers. */
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
  return specs.length === 0 || asksForBest(query) ? [...specs, { best_available: true }] : specs;
}

/** A device of another network goes by its place: what its owner calls it is the owner's alone. */
function listDevices({ world, directory }: Backend, network: Network | undefined) {
  const label = ({ cityId, clientId }: Provider) =>
    `${world.findPlace(cityId)?.name ?? ''} ${clientId.slice(0, 4)}`.trim();
  const own = network === undefined ? [] : directory.listOwn(network.networkId, mostOwnDevices);
  const excludedClientIds = new Set(own.map(({ clientId }) => clientId));
  const others = directory.find({ count: mostDevices, excludedClientIds });
  return [
    ...own.map((provider) => ({ client_id: provider.clientId, device_name: provider.description || label(provider) })),
    ...others.map((provider) => ({ client_id: provider.clientId, device_name: label(provider) })),
  ];
}

/** The spec that asks for providers in this place or group. */
function toWireSpec(found: Findable) {
  return found.type === 'group' ? { location_group_id: found.groupId } : { location_id: found.locationId };
}

function toWireGroup(group: PlaceGroup, countOf: CountOf) {
  const { groupId, name, promoted } = group;
  return { location_group_id: groupId, name, provider_count: countOf(group), promoted };
}

function toWireLocation(place: Place, countOf: CountOf) {
  const { locationId, type, name, city, region, country, countryCode } = place;
  const inside = { city, region, country, country_code: countryCode };
  return { location_id: locationId, location_type: type, name, ...inside, provider_count: countOf(place) };
}
