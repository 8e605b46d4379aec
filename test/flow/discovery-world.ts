import { createClients } from '../../src/reference-service/clients.ts';
import { openDatabase } from '../../src/reference-service/database.ts';
import { createNetworks } from '../../src/reference-service/networks.ts';
import { findCity } from '../../src/reference-service/place-search.ts';
import { createProxies } from '../../src/reference-service/proxies.ts';
import { createWorld, type Place, type World } from '../../src/reference-service/world.ts';
import type { ProvideMode } from '../../src/service/profiles.ts';
import { call, makeDirectory, startAndLogIn } from './reference-caller.ts';

/** Devices that are always connected, by the names that their owners gave them. */
const devices = [
  { name: 'own attic', network: 'sandbox', mode: 'public', place: 'Berlin', quality: 0.9 },
  { name: 'own cellar', network: 'sandbox', mode: 'network', place: 'Munich', quality: 0.8 },
  { name: 'their roof', network: 'theirs', mode: 'public', place: 'Munich', quality: 0.7 },
  { name: 'their shop', network: 'theirs', mode: 'stream', place: 'Paris', quality: 0.5 },
  { name: 'their barn', network: 'theirs', mode: 'default', place: 'Tokyo', quality: 0.2 },
  { name: 'their secret', network: 'theirs', mode: 'friends', place: 'Berlin', quality: 1 },
  { name: 'their spare', network: 'theirs', mode: 'none', place: 'Berlin', quality: 1 },
] as const satisfies readonly {
  name: string;
  network: string;
  mode: ProvideMode;
  place: string;
  quality: number;
}[];

type DeviceName = (typeof devices)[number]['name'];

/** What another profile than the usual one is started with. */
export const production = { profile: 'production' } as const;

/**
 * A service with the small world, and its callers: `ask` without a token, `post` and `get` with the
 * token of `sandbox`.
 */
export async function openWorld(options: Parameters<typeof startAndLogIn>[0] = {}) {
  const prepared = prepareWorld();
  const { service, token, post, get } = await startAndLogIn({
    directory: prepared.directory,
    ...options,
  });
  const ask = (path: string, body?: unknown) => call(service.baseUrl, path, { body });
  const findProviders2 = async (body: unknown) => {
    const answer = (await ask('/network/find-providers2', body)).body;
    return prepared.findNames(
      answer.providers?.map((provider: { client_id: string }) => provider.client_id) ?? null,
    );
  };
  const findProviders = async (body: unknown) =>
    prepared.findNames((await post('/network/find-providers', body)).body.client_ids);
  const searchPath = `/network/find-${options.profile === 'production' ? 'provider-' : ''}locations`;
  const findLocations = async (body: unknown) => (await ask(searchPath, body)).body;
  return {
    ...prepared,
    service,
    token,
    post,
    get,
    ask,
    findProviders2,
    findProviders,
    findLocations,
  };
}

/** A data directory with a small world in it, before a service has it. */
function prepareWorld() {
  const directory = makeDirectory();
  const world = createWorld();
  using database = openDatabase(directory);
  const networks = createNetworks(database, Date.now);
  const clients = createClients(database, createProxies(database), Date.now);
  const networkIds = {
    sandbox: networks.ensureFirst().networkId,
    theirs: networks.create('theirs').networkId,
  };
  const connect = database.prepare(
    'update client set is_online = 1, is_simulated = 1, quality = ?, bytes_per_second = 1000 where client_id = ?',
  );
  const ids = new Map<string, string>();
  for (const { name, network, mode, place, quality } of devices) {
    const { clientId } = clients.create({
      networkId: networkIds[network],
      description: name,
      deviceSpec: '',
      sourceClientId: undefined,
      provideMode: mode,
      proxy: undefined,
      place: findCity(world, place),
    });
    connect.run(quality, clientId);
    ids.set(clientId, name);
  }
  const idOf = (name: DeviceName) => [...ids].find(([, known]) => known === name)?.[0] ?? '';
  /** The names of clients by id; an id without a name is kept as the id. */
  const findNames = (clientIds: readonly string[] | null) =>
    clientIds?.map((id) => ids.get(id) ?? id) ?? null;
  return {
    directory,
    world,
    idOf,
    findNames,
    find: (type: Place['type'] | 'group', name: string) => findId(world, type, name),
  };
}

function findId(world: World, type: Place['type'] | 'group', name: string): string {
  const found = [...world.places, ...world.groups].find(
    (one) => one.type === type && one.name === name,
  );
  if (found === undefined) throw new Error(`no ${type} ${name}`);
  return found.type === 'group' ? found.groupId : found.locationId;
}
