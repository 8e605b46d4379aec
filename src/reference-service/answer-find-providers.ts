import { TributaryError } from '../lib/errors.ts';
import type { WireResponse } from '../service/operations.ts';
import { toWireList } from './dialect.ts';
import { orErrorObject } from './error-object.ts';
import type { Backend, Handler } from './handler.ts';
import type { Provider, ProviderWish } from './provider-directory.ts';
import type { World } from './world.ts';

type WireProvider = NonNullable<WireResponse<'findProviders2'>['providers']>[number];

const usualCount = 20;
const mostCount = 200;
const mostSpecs = 1000;
/** The least quality of a provider of tier 1 and 2; the others are of tier 3. */
const tierQualities = [0.66, 0.33];

/** find-providers: ids of public providers and of the network's own, best first. */
export function answerFindProviders(backend: Backend): Handler<'findProviders'> {
  return ({ request, network }) =>
    orErrorObject(() => {
      const cityIds = toCityIds(backend.world, request, request.exclude_location_ids ?? []);
      const providers = search(backend, {
        choices: [{ cityIds, clientId: undefined }],
        excludedClientIds: new Set(),
        count: toCount(request.count),
        networkId: network.networkId,
      });
      const ids = providers.map(({ clientId }) => clientId);
      return { client_ids: toWireList(backend.dialect, ids) };
    });
}

/** find-providers2: public providers that fit any of the specs, best first. */
export function answerFindProviders2(backend: Backend): Handler<'findProviders2'> {
  return ({ request }) =>
    orErrorObject(() => {
      if (request.rank_mode !== undefined && request.rank_mode !== 'quality') {
        throw new TributaryError('usage-invalid', 'The only rank_mode is quality.');
      }
      if (request.specs !== undefined && request.specs.length > mostSpecs) {
        throw new TributaryError('usage-invalid', `There may be ${mostSpecs} specs at most.`);
      }
      // Nothing asked for is the best available, and so is a spec that names nothing.
      const specs = request.specs?.length ? request.specs : [{}];
      const providers = search(backend, {
        choices: specs.map((spec) => ({ cityIds: toCityIds(backend.world, spec), clientId: spec.client_id })),
        excludedClientIds: new Set([request.exclude_client_ids ?? [], ...(request.exclude_destinations ?? [])].flat()),
        count: toCount(request.count),
        networkId: undefined,
      });
      return {
        providers: toWireList(
          backend.dialect,
          providers.map((provider) => toWireProvider(backend, provider)),
        ),
      };
    });
}

/** Whoever is found was of interest to somebody: it counts in the provider's statistics. */
function search({ directory, usage, now }: Backend, wish: ProviderWish): readonly Provider[] {
  const providers = directory.find(wish);
  usage.noteSearches(
    providers.map(({ clientId }) => clientId),
    now(),
  );
  return providers;
}

/** The cities that lie in all that is named, and in nothing that is excluded; undefined: anywhere. */
function toCityIds(
  world: World,
  named: { readonly location_id?: string | undefined; readonly location_group_id?: string | undefined },
  excludedIds: readonly string[] = [],
): ReadonlySet<string> | undefined {
  const toIds = (id: string) => world.citiesOf(id).map((city) => city.cityId);
  const wanted = [named.location_id, named.location_group_id].filter((id) => id !== undefined).map(toIds);
  if (wanted.length + excludedIds.length === 0) return undefined;
  const excluded = new Set(excludedIds.flatMap(toIds));
  const everywhere = world.cities.map((city) => city.cityId);
  return new Set(everywhere.filter((id) => wanted.every((ids) => ids.includes(id)) && !excluded.has(id)));
}

function toCount(count = usualCount): number {
  if (count <= 0) throw new TributaryError('usage-invalid', 'count must be above zero.');
  return Math.min(count, mostCount);
}

function toWireProvider({ dialect }: Backend, provider: Provider): WireProvider {
  const tier = tierQualities.filter((least) => provider.quality < least).length + 1;
  return {
    client_id: provider.clientId,
    estimated_bytes_per_second: provider.bytesPerSecond,
    tier,
    // A tunnel leads straight to each of them.
    intermediary_ids: toWireList(dialect, []),
  };
}
