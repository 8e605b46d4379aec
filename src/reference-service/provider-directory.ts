import type { DatabaseSync } from 'node:sqlite';
import { queryOn, type Sql, selectFields, sql } from './statements.ts';
import type { Findable } from './world.ts';

const fields = 'clientId cityId description bytesPerSecond quality sequence';
/** A connected client that provides. */
export interface Provider {
  readonly clientId: string;
  readonly cityId: string;
  /** Its owner's name for it, for the owner only. */
  readonly description: string;
  /** Measured; 0 where nothing was yet. */
  readonly bytesPerSecond: number;
  /** 0 to 1, see `rateClient`. */
  readonly quality: number;
  /** Lower for the client that was registered earlier. */
  readonly sequence: number;
}

interface ProviderChoice {
  readonly cityIds?: ReadonlySet<string> | undefined;
  readonly clientId?: string | undefined;
}

export interface ProviderRequest {
  readonly count: number;
  /** A provider has to fit one of them; by default any provider fits. */
  readonly choices?: readonly ProviderChoice[];
  readonly excludedClientIds?: ReadonlySet<string>;
  /**
   * A network whose own devices, which provide to it alone, may be found besides the public ones;
   * and those that others share with it, while they provide to friends.
   */
  readonly networkId?: string;
}

const countFields = 'locationId providers';
interface PlaceCount {
  readonly locationId: string;
  readonly providers: number;
}

/** How many providers are in a place or group. */
export type CountOf = (found: Findable) => number;

/** How many answers with all places are kept; each takes about 100 KB. */
const mostKept = 50;

/** Who provides now, how well, and where. */
export interface ProviderDirectory {
  /** The best providers that fit, best first; of equals, the one that was registered earlier. */
  find(request: ProviderRequest): readonly Provider[];
  /**
   * The network's own providers, also those that provide to it alone or are not listed, in the same
   * order.
   */
  listOwn(networkId: string, count: number): readonly Provider[];
  /**
   * Keeps what `make` returned for this key, until something is written or too much else is kept.
   */
  keepUntilWritten<T extends object>(key: string, make: () => T): T;
  /**
   * Counts providers by place. Until something is written, the function of the last call is
   * returned.
   */
  countProviders(): CountOf;
}

export function createProviderDirectory(database: DatabaseSync): ProviderDirectory {
  const { listRows, readNumber, readRows } = queryOn(database);
  const read = (where: Sql) =>
    readRows<Provider>`select ${selectFields(fields)} from ${where} order by quality desc, sequence`;
  const ofNetwork = (networkId: string, offer: 'network' | 'public' | 'unlisted') =>
    read(sql`client where network_id = ${networkId} and offer = ${offer}`);

  // The cross join keeps the order: a network has few shares.
  const sharedWith = (networkId: string) =>
    read(sql`share cross join client using (client_id) where guest_network_id = ${networkId}
     and confirmed_ms is not null and provide_mode = 'friends' and offer = 'network'`);

  function readCounts(): CountOf {
    const rows = listRows<PlaceCount>`select ${selectFields(countFields)} from location_count`;
    const byPlace = new Map(rows.map(({ locationId, providers }) => [locationId, providers]));
    const count = (id: string) => byPlace.get(id) ?? 0;
    return (found) =>
      found.type === 'group'
        ? found.countryIds.reduce((sum, id) => sum + count(id), 0)
        : count(found.locationId);
  }
  const kept = new Map<string, object>();
  let keptVersion = '';
  function keepUntilWritten<T extends object>(key: string, make: () => T): T {
    // Counts what this connection wrote, and what others wrote.
    const version = `${readNumber`select total_changes()`} ${readNumber`pragma data_version`}`;
    if (version !== keptVersion || kept.size >= mostKept) kept.clear();
    keptVersion = version;
    const value = (kept.get(key) as T | undefined) ?? make();
    kept.set(key, value);
    return value;
  }

  return {
    find({ count, choices = [{}], excludedClientIds, networkId }) {
      const ranking = createRanking<Provider>(count);
      const add = (rows: Iterable<Provider>, fits = (_: Provider) => true) =>
        ranking.addBestFirst(rows, (row) => !excludedClientIds?.has(row.clientId) && fits(row));
      const byClient = Map.groupBy(choices, (choice) => choice.clientId);
      const area = joinAreas(byClient.get(undefined) ?? []);
      if (area === undefined) add(read(sql`client where offer = 'public'`));
      else
        for (const cityId of area)
          add(read(sql`client where city_id = ${cityId} and offer = 'public'`));
      if (networkId !== undefined) {
        add(ofNetwork(networkId, 'network'), (own) => isIn(area, own));
        add(sharedWith(networkId), (shared) => isIn(area, shared));
      }
      const ids = JSON.stringify([...byClient.keys()]);
      // The cross join keeps the order: it looks up each id, instead of comparing each client with
      // the ids.
      const named = sql`json_each(${ids}) cross join client on client_id = value where offer = 'public'`;
      add(read(named), (provider) =>
        isIn(joinAreas(byClient.get(provider.clientId) ?? []), provider),
      );
      return ranking.best;
    },
    listOwn(networkId, count) {
      const ranking = createRanking<Provider>(count);
      for (const offer of ['network', 'public', 'unlisted'] as const)
        ranking.addBestFirst(ofNetwork(networkId, offer));
      return ranking.best;
    },
    keepUntilWritten,
    countProviders: () => keepUntilWritten('counts', readCounts),
  };
}

/** City ids; undefined for everywhere. */
type Area = ReadonlySet<string> | undefined;

function joinAreas(choices: readonly ProviderChoice[]): Area {
  const areas = choices.map((choice) => choice.cityIds);
  return areas.includes(undefined)
    ? undefined
    : new Set(areas.flatMap((cityIds) => [...(cityIds ?? [])]));
}

function isIn(area: Area, provider: Provider): boolean {
  return area?.has(provider.cityId) ?? true;
}

/**
 * Keeps the `count` best of everything added, each once: by quality, and among equals by the
 * earlier registration.
 */
export function createRanking<T extends Pick<Provider, 'quality' | 'sequence'>>(count: number) {
  const best: T[] = [];
  return {
    best,
    /** Reads rows that come best first, and no further than a row can be among the best. */
    addBestFirst(rows: Iterable<T>, fits: (row: T) => boolean = () => true): void {
      for (const row of rows) {
        const isBefore = (other: T) =>
          (row.quality - other.quality || other.sequence - row.sequence) <= 0;
        const place = best.findLastIndex(isBefore) + 1;
        if (place >= count) break;
        if (best[place - 1]?.sequence === row.sequence || !fits(row)) continue;
        best.splice(place, 0, row);
        if (best.length > count) best.pop();
      }
    },
  };
}
