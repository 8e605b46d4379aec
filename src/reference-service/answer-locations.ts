import type { WireRequest, WireResponse } from '../service/operations.ts';
import { toWireCount, toWireList } from './dialect.ts';
import { orErrorObject } from './error-object.ts';
import type { Backend, Handler } from './handler.ts';
import type { Network } from './networks.ts';
import { asksForBest, type Findable, findByName, type PlaceMatch } from './place-search.ts';
import type { Provider, ProviderWish } from './provider-directory.ts';
import { toWireGroup, toWireLocation, toWirePlaceIds, toWireSpec } from './wire-places.ts';

type FindRequest = WireRequest<'findLocations'>;
type WireDevice = NonNullable<WireResponse<'providerLocations'>['devices']>[number];

const mostMatches = 50;
const mostDevices = 20;
const mostOwnDevices = 200;
/** Of the query's length, where the caller wants near matches and does not say how near. */
const usualFraction = 0.25;
const anywhere: ProviderWish = {
  choices: [{ cityIds: undefined, clientId: undefined }],
  excludedClientIds: new Set(),
  count: mostDevices,
  networkId: undefined,
};

/** find-locations: the places and groups that a text names, with the specs that ask for them. */
export function answerFindLocations(backend: Backend): Handler<'findLocations'> {
  return ({ request }) =>
    orErrorObject(() => {
      const { dialect } = backend;
      const countOf = backend.directory.countProviders();
      const matches = toRanked(findMatches(backend, request, countOf), countOf).slice(0, mostMatches);
      const toDistance = (match: PlaceMatch) => ({ match_distance: toWireCount(dialect, match.distance) });
      const groups = matches.flatMap((match) =>
        match.found.type === 'group'
          ? [{ ...toWireGroup(dialect, match.found, countOf(match.found)), ...toDistance(match) }]
          : [],
      );
      const locations = matches.flatMap((match) =>
        match.found.type === 'group'
          ? []
          : [{ ...toWireLocation(dialect, match.found, countOf(match.found)), ...toDistance(match) }],
      );
      return {
        specs: toSpecs(backend, request.query, matches),
        groups: toWireList(dialect, groups),
        locations: toWireList(dialect, locations),
      };
    });
}

/** provider-locations: everywhere that there are public providers, and some of the best; a caller's own devices first. */
export function answerProviderLocations(backend: Backend): Handler<'providerLocations'> {
  return ({ network }) => {
    const { dialect, world } = backend;
    const countOf = backend.directory.countProviders();
    const locations = world.places
      .filter((place) => countOf(place) > 0)
      .map((place) => ({ ...toWireLocation(dialect, place, countOf(place)), ...toWirePlaceIds(place) }));
    return {
      specs: [{ best_available: true }],
      groups: world.groups.map((group) => toWireGroup(dialect, group, countOf(group))),
      locations: toWireList(dialect, locations),
      devices: toWireList(dialect, listDevices(backend, network)),
    };
  };
}

type CountOf = (found: Findable) => number;

/** No text at all asks for everything that has providers. */
function findMatches({ world }: Backend, request: FindRequest, countOf: CountOf): readonly PlaceMatch[] {
  if (request.query.trim() === '') {
    return [...world.places, ...world.groups]
      .filter((found) => countOf(found) > 0)
      .map((found) => ({ found, distance: 0 }));
  }
  const fraction = Math.min(1, Math.max(0, request.max_distance_fraction ?? usualFraction));
  return findByName(world, request.query, request.enable_max_distance_fraction === true ? fraction : 0);
}

/** The nearest first, of equals the one with more providers. */
function toRanked(matches: readonly PlaceMatch[], countOf: CountOf): readonly PlaceMatch[] {
  return matches.toSorted(
    (one, other) =>
      one.distance - other.distance ||
      countOf(other.found) - countOf(one.found) ||
      (one.found.name < other.found.name ? -1 : Number(one.found.name > other.found.name)),
  );
}

function toSpecs({ directory }: Backend, query: string, matches: readonly PlaceMatch[]) {
  const choices = [{ cityIds: undefined, clientId: query.trim().toLowerCase() }];
  const clients = directory.find({ ...anywhere, choices }).map(({ clientId }) => ({ client_id: clientId }));
  const specs = [...matches.map(({ found }) => toWireSpec(found)), ...clients];
  return specs.length === 0 || asksForBest(query) ? [...specs, { best_available: true }] : specs;
}

/** A device of another network goes by its place: what its owner calls it is the owner's alone. */
function listDevices({ world, directory }: Backend, network: Network | undefined): readonly WireDevice[] {
  const toLabel = ({ cityId, clientId }: Provider) =>
    `${world.findPlace(cityId)?.name ?? ''} ${clientId.slice(0, 4)}`.trim();
  const own = network === undefined ? [] : directory.listOwn(network.networkId, mostOwnDevices);
  const excludedClientIds = new Set(own.map(({ clientId }) => clientId));
  return [
    ...own.map((provider) => ({
      client_id: provider.clientId,
      device_name: provider.description || toLabel(provider),
    })),
    ...directory
      .find({ ...anywhere, excludedClientIds })
      .map((provider) => ({ client_id: provider.clientId, device_name: toLabel(provider) })),
  ];
}
