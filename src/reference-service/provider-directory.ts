import type { DatabaseSync } from 'node:sqlite';
import type { Findable } from './place-search.ts';
import { createRanking } from './ranking.ts';
import { prepareOn, type Row, selectFields } from './statements.ts';

const fields = 'clientId cityId description bytesPerSecond quality sequence';
/** A connected client that provides. The description is its owner's name for it: for its owner only. */
export type Provider = Row<typeof fields>;

/** What a provider must be: all that is named here. */
interface ProviderChoice {
  readonly cityIds?: ReadonlySet<string> | undefined;
  readonly clientId?: string | undefined;
}

/** A question for providers. */
export interface ProviderRequest {
  readonly count: number;
  /** One that fits is enough; default: anywhere. */
  readonly choices?: readonly ProviderChoice[];
  readonly excludedClientIds?: ReadonlySet<string>;
  /** A network whose own devices, provided to it alone, can be given beside the public ones. */
  readonly networkId?: string;
}

/** Who provides in this database, and where. */
export function createProviderDirectory(database: DatabaseSync) {
  const prepare = (where: string) => {
    return database.prepare(`select ${selectFields(fields)} from ${where} order by quality desc, sequence`);
  };
  const everywhere = prepare("client where offer = 'public'");
  const inCity = prepare("client where city_id = ? and offer = 'public'");
  const ofNetwork = prepare('client where network_id = ? and offer = ?');
  // The cross join keeps the order: each id is looked up, instead of comparing each client with the ids.
  const named = prepare("json_each(?) cross join client on client_id = value where offer = 'public'");
  const listCounts = prepareOn(database).prepareList<Row<'locationId providers'>, []>(
    `select ${selectFields('locationId providers')} from location_count`,
  );

  return {
    /** The best ones that fit, best first; of equals the one that was registered earlier. */
    find({ count, choices = [{}], excludedClientIds, networkId }: ProviderRequest): readonly Provider[] {
      const ranking = createRanking<Provider>(count);
      const add = (rows: Iterable<unknown>, fits: (provider: Provider) => boolean = () => true) =>
        ranking.addBestFirst(castRows(rows), (row) => !excludedClientIds?.has(row.clientId) && fits(row));
      const byClient = Map.groupBy(choices, (choice) => choice.clientId);
      const area = joinAreas(byClient.get(undefined) ?? []);
      if (area === undefined) add(everywhere.iterate());
      else for (const cityId of area) add(inCity.iterate(cityId));
      if (networkId !== undefined) add(ofNetwork.iterate(networkId, 'network'), (own) => isIn(area, own));
      add(named.iterate(JSON.stringify([...byClient.keys()])), (provider) =>
        isIn(joinAreas(byClient.get(provider.clientId) ?? []), provider),
      );
      return ranking.best;
    },
    /** The network's own connected devices that provide to anybody, best first. */
    listOwn(networkId: string, count: number): readonly Provider[] {
      const ranking = createRanking<Provider>(count);
      for (const offer of ['network', 'public']) {
        ranking.addBestFirst(castRows(ofNetwork.iterate(networkId, offer)), () => true);
      }
      return ranking.best;
    },
    /** How many public providers there are now, by place or group. */
    countProviders(): (found: Findable) => number {
      // As many rows as there are places, however many clients.
      const byPlace = new Map(listCounts().map(({ locationId, providers }) => [locationId, providers]));
      const count = (id: string) => byPlace.get(id) ?? 0;
      return (found) =>
        found.type === 'group' ? found.countryIds.reduce((sum, id) => sum + count(id), 0) : count(found.locationId);
    },
  } as const;
}

/** The columns are the fields of a Provider. */
function castRows(rows: Iterable<unknown>): Iterable<Provider> {
  return rows as Iterable<Provider>;
}

/** Cities by id; undefined: everywhere. */
type Area = ReadonlySet<string> | undefined;

/** Where any of the choices can be met. */
function joinAreas(choices: readonly ProviderChoice[]): Area {
  const areas = choices.map((choice) => choice.cityIds);
  return areas.includes(undefined) ? undefined : new Set(areas.flatMap((cityIds) => [...(cityIds ?? [])]));
}

function isIn(area: Area, provider: Provider): boolean {
  return area?.has(provider.cityId) ?? true;
}
