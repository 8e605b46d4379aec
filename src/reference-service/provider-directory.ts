import type { DatabaseSync } from 'node:sqlite';
import { TributaryError } from '../lib/errors.ts';
import type { Clients } from './clients.ts';
import { toCover } from './place-cover.ts';
import { type Findable, toCity } from './place-search.ts';
import { createRanking } from './ranking.ts';
import type { ClientPlace, World } from './world.ts';

/** A connected client that provides. */
export interface Provider {
  readonly clientId: string;
  readonly cityId: string;
  /** Its owner's name for it: for its owner only. */
  readonly description: string;
  /** Measured; 0 where nothing was yet. */
  readonly bytesPerSecond: number;
  /** 0 to 1. */
  readonly quality: number;
  /** Lower for the client that was registered earlier. */
  readonly sequence: number;
}

/** What a provider must be: all that is named here. */
interface ProviderChoice {
  /** undefined: anywhere. */
  readonly cityIds: ReadonlySet<string> | undefined;
  readonly clientId: string | undefined;
}

/** A question for providers. */
export interface ProviderWish {
  /** One that fits is enough. */
  readonly choices: readonly ProviderChoice[];
  readonly excludedClientIds: ReadonlySet<string>;
  readonly count: number;
  /** Whose own devices, provided to its own network, can be given beside the public ones; undefined: nobody's. */
  readonly networkId: string | undefined;
}

/** Who provides, and where. */
export interface ProviderDirectory {
  /** The best ones that fit, best first; of equals the one that was registered earlier. */
  find(wish: ProviderWish): readonly Provider[];
  /** The network's own connected devices that provide to anybody, best first. */
  listOwn(networkId: string, count: number): readonly Provider[];
  /** How many public providers there are now, by place or group. */
  countProviders(): (found: Findable) => number;
  /** Moves a client to where the text says. @throws usage-invalid: no such client, or no one place of that name */
  locate(clientId: string, placeText: string): ClientPlace;
}

const columns = `select client_id as clientId, city_id as cityId, description, bytes_per_second as bytesPerSecond,
  quality, sequence from`;
const bestFirst = 'order by quality desc, sequence';

/** The directory of this database's clients. */
export function createProviderDirectory(database: DatabaseSync, world: World, clients: Clients): ProviderDirectory {
  const everywhere = database.prepare(`${columns} client where offer = 'public' ${bestFirst}`);
  const inPlace = {
    city: database.prepare(`${columns} client where city_id = ? and offer = 'public' ${bestFirst}`),
    region: database.prepare(`${columns} client where region_id = ? and offer = 'public' ${bestFirst}`),
    country: database.prepare(`${columns} client where country_id = ? and offer = 'public' ${bestFirst}`),
  };
  const ofNetwork = database.prepare(`${columns} client where network_id = ? and offer = ? ${bestFirst}`);
  // The cross join keeps the order: each id is looked up, never each client held against the ids.
  const named = database.prepare(
    `${columns} json_each(?) cross join client on client_id = value where offer = 'public' ${bestFirst}`,
  );
  const counts = database.prepare('select location_id, providers from location_count');

  return {
    find({ choices, excludedClientIds, count, networkId }) {
      const ranking = createRanking<Provider>(count);
      const add = (rows: Iterable<unknown>, isWanted: (provider: Provider) => boolean = () => true) =>
        ranking.addBestFirst(toProviders(rows), (row) => !excludedClientIds.has(row.clientId) && isWanted(row));
      const byClient = Map.groupBy(choices, (choice) => choice.clientId);
      const area = toArea(byClient.get(undefined) ?? []);
      if (area === undefined) add(everywhere.iterate());
      else for (const { type, locationId } of toCover(world, area)) add(inPlace[type].iterate(locationId));
      if (networkId !== undefined) add(ofNetwork.iterate(networkId, 'network'), (own) => isIn(area, own));
      add(named.iterate(JSON.stringify([...byClient.keys()])), (provider) =>
        isIn(toArea(byClient.get(provider.clientId) ?? []), provider),
      );
      return ranking.best;
    },
    listOwn(networkId, count) {
      const ranking = createRanking<Provider>(count);
      for (const offer of ['network', 'public']) {
        ranking.addBestFirst(toProviders(ofNetwork.iterate(networkId, offer)), () => true);
      }
      return ranking.best;
    },
    countProviders() {
      // As many rows as there are places, however many clients.
      const byPlace = new Map(counts.all().map((row) => [String(row.location_id), Number(row.providers)]));
      return (found) => toPlaceIds(found).reduce((sum, id) => sum + (byPlace.get(id) ?? 0), 0);
    },
    locate(clientId, placeText) {
      const city = toCity(world, placeText);
      if (clients.move(clientId, city)) return city;
      throw new TributaryError('usage-invalid', `there is no client ${clientId}`);
    },
  };
}

/** Cities by id; undefined: everywhere. */
type Area = ReadonlySet<string> | undefined;

/** Where any of the choices can be met. */
function toArea(choices: readonly ProviderChoice[]): Area {
  const areas = choices.map((choice) => choice.cityIds);
  return areas.includes(undefined) ? undefined : new Set(areas.flatMap((cityIds) => [...(cityIds ?? [])]));
}

function isIn(area: Area, provider: Provider): boolean {
  return area?.has(provider.cityId) ?? true;
}

/** The columns are those of a Provider, by name. */
function toProviders(rows: Iterable<unknown>): Iterable<Provider> {
  return rows as Iterable<Provider>;
}

function toPlaceIds(found: Findable): readonly string[] {
  return found.type === 'group' ? found.countryIds : [found.locationId];
}
