import type { Backend, Handlers } from './backend.ts';
import type { Provider, ProviderRequest } from './provider-directory.ts';
import { refuse } from './refusal.ts';
import type { World } from './world.ts';

const usualCount = 20;
const mostCount = 200;
const mostSpecs = 1000;
/** The least quality of a provider of tier 1 and 2; the others are of tier 3. */
const tierQualities = [0.66, 0.33];

export const providerHandlers = {
  /** Ids of public providers and of the network's own, best first. */
  findProviders(backend, { request, network }) {
    const cityIds = selectCityIds(backend.world, request, request.exclude_location_ids ?? []);
    const { networkId } = network;
    const providers = search(backend, { count: limitCount(request.count), choices: [{ cityIds }], networkId });
    return { client_ids: providers.map(({ clientId }) => clientId) };
  },

  /** Public providers that fit any of the specs, best first. */
  findProviders2(backend, { request }) {
    if ((request.rank_mode ?? 'quality') !== 'quality') throw refuse('The only rank_mode is quality.');
    // Nothing asked for is the best available, and so is a spec that names nothing.
    const specs = request.specs?.length ? request.specs : [{}];
    if (specs.length > mostSpecs) throw refuse(`There may be ${mostSpecs} specs at most.`);
    const providers = search(backend, {
      count: limitCount(request.count),
      choices: specs.map((spec) => ({ cityIds: selectCityIds(backend.world, spec), clientId: spec.client_id })),
      excludedClientIds: new Set([request.exclude_client_ids ?? [], ...(request.exclude_destinations ?? [])].flat()),
    });
    return {
      providers: providers.map(({ clientId, bytesPerSecond, quality }) => ({
        client_id: clientId,
        estimated_bytes_per_second: bytesPerSecond,
        tier: tierQualities.filter((least) => quality < least).length + 1,
        // A tunnel leads straight to each of them.
        intermediary_ids: [],
      })),
    };
  },
} satisfies Partial<Handlers>;

/** To be found counts as interest in the provider's statistics. */
function search({ directory, usage, now }: Backend, request: ProviderRequest): readonly Provider[] {
  const providers = directory.find(request);
  const ids = providers.map(({ clientId }) => clientId);
  usage.noteSearches(ids, now());
  return providers;
}

/** The cities that lie in all that is named, and in nothing that is excluded; undefined: anywhere. */
function selectCityIds(
  world: World,
  named: { readonly location_id?: string | undefined; readonly location_group_id?: string | undefined },
  excludedIds: readonly string[] = [],
): ReadonlySet<string> | undefined {
  const listIds = (id: string) => world.citiesOf(id).map((city) => city.cityId);
  const areas = [named.location_id, named.location_group_id].filter((id) => id !== undefined).map(listIds);
  if (areas.length + excludedIds.length === 0) return undefined;
  const excluded = new Set(excludedIds.flatMap(listIds));
  const everywhere = world.cities.map((city) => city.cityId);
  return new Set(everywhere.filter((id) => areas.every((ids) => ids.includes(id)) && !excluded.has(id)));
}

function limitCount(count = usualCount): number {
  if (count <= 0) throw refuse('count must be above zero.');
  return Math.min(count, mostCount);
}
