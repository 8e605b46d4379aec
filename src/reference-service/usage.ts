import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { dayMs, hourMs } from '../lib/units.ts';
import { blendSpeed, rateClient } from './client-quality.ts';
import { inTransaction, keepSetting } from './database.ts';
import { queryOn, selectFields, sql, sumOnConflict } from './statements.ts';
import { toDay, toHourStart } from './usage-hours.ts';

export const usageFields = 'rxBytes txBytes onlineMs sessions searches';

/** What a client did in a stretch of time, by its peer's counters. */
export interface Usage {
  /** What the service received through the tunnel: the provider's answers to consumers. */
  readonly rxBytes: number;
  readonly txBytes: number;
  readonly onlineMs: number;
  /** Stretches in which consumers' traffic was given to it and moved. */
  readonly sessions: number;
  /** Searches that found it. */
  readonly searches: number;
}

export interface HourUsage extends Usage {
  /** The beginning of the hour, in ms since 1970. */
  readonly hourMs: number;
}

export interface DayUsage extends Usage {
  /** Counted from 1970 (UTC). */
  readonly day: number;
}

/** One client's part of a sample. */
export interface ClientUsage extends Usage {
  readonly clientId: string;
  readonly isConnected: boolean;
  /** The end of the stretch, in ms since 1970. */
  readonly atMs: number;
  /** The part of the bytes that belongs to a consumer's session. */
  readonly consumerBytes: number;
  /** Who the consumer was; undefined for the consumers' interface, which counts as one. */
  readonly consumerId?: string;
  /** How fast it served; undefined where the stretch does not tell. */
  readonly bytesPerSecond: number | undefined;
}

export const noUsage: Usage = { rxBytes: 0, txBytes: 0, onlineMs: 0, sessions: 0, searches: 0 };
const names = Object.keys(noUsage) as (keyof Usage)[];
/** The usage of a client that was given no consumers' traffic, as far as is known. */
export const noTraffic = { ...noUsage, consumerBytes: 0, bytesPerSecond: undefined };

export function sumUsage(stretches: readonly Usage[]): Usage {
  const sum = { ...noUsage };
  for (const stretch of stretches) {
    for (const name of names) sum[name] += stretch[name];
  }
  return sum;
}

/**
 * Splits a stretch that ends at `atMs` by hours: the time online counts where it was spent,
 * everything else where the stretch ended.
 */
function splitUsage(usage: Usage, atMs: number): readonly HourUsage[] {
  const startMs = toHourStart(atMs);
  const earlierMs = Math.max(0, usage.onlineMs - (atMs - startMs));
  const last = { ...sumUsage([usage]), hourMs: startMs, onlineMs: usage.onlineMs - earlierMs };
  const earlier = Array.from({ length: Math.ceil(earlierMs / hourMs) }, (_, index) => {
    const onlineMs = Math.min(hourMs, earlierMs - index * hourMs);
    return { ...noUsage, hourMs: startMs - (index + 1) * hourMs, onlineMs };
  });
  return [...earlier, last].filter((part) => !isNothing(part));
}

function isNothing(usage: Usage): boolean {
  return names.every((name) => usage[name] === 0);
}

/** The part of an hour after `sinceMs`: the oldest hour of a window counts in proportion. */
export function weighHour<Hour extends HourUsage>(hour: Hour, sinceMs: number): Hour {
  const share = Math.min(1, (hour.hourMs + hourMs - sinceMs) / hourMs);
  return {
    ...hour,
    ...Object.fromEntries(names.map((name) => [name, Math.round(hour[name] * share)])),
  };
}

const countedFields = 'clientId sequence networkId isOnline bytesPerSecond quality createdMs';
interface CountedClient {
  readonly clientId: string;
  /** Lower for the client that was registered earlier. */
  readonly sequence: number;
  readonly networkId: string;
  readonly isOnline: 0 | 1;
  /** Measured; 0 where nothing was yet. */
  readonly bytesPerSecond: number;
  /** 0 to 1, see `rateClient`. */
  readonly quality: number;
  /** In ms since 1970. */
  readonly createdMs: number;
}

/** The usage book, to write in: who was there, what was moved, and who was found. */
export interface UsageBook {
  /**
   * Adds what was measured of each client, and notes who connected and disconnected: all of it, or
   * nothing.
   */
  add(sample: readonly ClientUsage[]): void;
  /**
   * Notes that a search at `atMs` found these clients, real or simulated. It is written by the next
   * `keepSearches`.
   */
  noteSearches(clientIds: readonly string[], atMs: number): void;
  /** Writes the noted searches all at once. */
  keepSearches(): void;
  /** Ends every connection at this moment, except those that are simulated. */
  disconnectAll(atMs: number): void;
}

export function createUsageRepository(database: DatabaseSync): UsageBook {
  const { insert, run, findRow, readNumber } = queryOn(database);
  // Everything that comes from the consumers' interface counts as one consumer.
  const consumerId = keepSetting(database, 'consumer-id', randomUUID);
  const findClient = (clientId: string) =>
    findRow<CountedClient>`select ${selectFields(countedFields)} from client where client_id = ${clientId}`;

  function noteConnection({ clientId, isConnected, atMs }: ClientUsage): void {
    run`update client set is_online = ${Number(isConnected)} where client_id = ${clientId}`;
    if (isConnected)
      insert('connection', { connectionId: randomUUID(), clientId, connectedMs: atMs });
    else {
      run`update connection indexed by connection_open set disconnected_ms = ${atMs}
        where client_id = ${clientId} and disconnected_ms is null`;
    }
  }

  function addUsage(
    { clientId, sequence: client, networkId }: CountedClient,
    usage: Usage,
    atMs: number,
  ): void {
    for (const { hourMs, ...counted } of splitUsage(usage, atMs)) {
      const { onlineMs } = counted;
      const wasOnline = findRow`select 1 from usage_hour
        where client_id = ${clientId} and hour_ms = ${hourMs} and online_ms > 0`;
      const network = {
        networkId,
        hourMs,
        onlineClients: wasOnline === undefined ? 1 : 0,
        onlineMs,
      };
      insert('usage_hour', { clientId, hourMs, ...counted }, sumOnConflict(usageFields));
      insert('usage_day', { client, day: toDay(hourMs), ...counted }, sumOnConflict(usageFields));
      if (onlineMs > 0) insert('network_hour', network, sumOnConflict('onlineClients onlineMs'));
    }
    const bytes = usage.rxBytes + usage.txBytes;
    if (bytes > 0)
      run`update network set provided_bytes = provided_bytes + ${bytes} where network_id = ${networkId}`;
  }

  function addConsumer(
    client: number,
    { consumerBytes: bytes, sessions, atMs: lastMs, ...named }: ClientUsage,
  ): void {
    if (bytes + sessions === 0) return;
    const sums = sql`${sumOnConflict('bytes sessions')}, last_ms = max(last_ms, excluded.last_ms)`;
    insert(
      'consumer_day',
      {
        client,
        day: toDay(lastMs),
        consumerId: named.consumerId ?? consumerId,
        bytes,
        sessions,
        lastMs,
      },
      sums,
    );
  }

  function rate(client: CountedClient, { bytesPerSecond: measured, atMs }: ClientUsage): void {
    const { clientId, bytesPerSecond: known } = client;
    const bytesPerSecond = measured === undefined ? known : blendSpeed(known, measured);
    const onlineMs = readNumber`select coalesce(sum(online_ms), 0) from usage_hour
      where client_id = ${clientId} and hour_ms >= ${toHourStart(atMs - dayMs)}`;
    const quality = rateClient({ bytesPerSecond, onlineMs, ageMs: atMs - client.createdMs });
    // Writing it would rewrite several indexes, so it is only done for a change.
    if (bytesPerSecond === known && quality === client.quality) return;
    run`update client set bytes_per_second = ${bytesPerSecond}, quality = ${quality} where client_id = ${clientId}`;
  }

  /**
   * Searches for each client in the hour that begins at `searchedMs`, which are not written yet.
   */
  const searches = new Map<string, number>();
  let searchedMs = 0;

  function keepSearches(): void {
    if (searches.size === 0) return;
    const found = sql`from json_each(${JSON.stringify(Object.fromEntries(searches))}) cross join client on client_id = key
      where true ${sumOnConflict('searches')}`;
    inTransaction(database, () => {
      run`insert into usage_hour select client_id, ${searchedMs}, 0, 0, 0, 0, value ${found}`;
      run`insert into usage_day select sequence, ${toDay(searchedMs)}, 0, 0, 0, 0, value ${found}`;
    });
    searches.clear();
  }

  return {
    add(sample) {
      const due = sample.flatMap((usage) => {
        const client = findClient(usage.clientId);
        if (client === undefined) return [];
        const hasChanged = (client.isOnline === 1) !== usage.isConnected;
        const says = hasChanged || usage.bytesPerSecond !== undefined || !isNothing(usage);
        return says ? [{ client, usage, hasChanged }] : [];
      });
      // Even an empty transaction would wait for the disk.
      if (due.length === 0) return;
      inTransaction(database, () => {
        for (const { client, usage, hasChanged } of due) {
          if (hasChanged) noteConnection(usage);
          addUsage(client, usage, usage.atMs);
          addConsumer(client.sequence, usage);
          // A client that stays online is written once a minute; its stretches follow one another.
          const [fromMinute, toMinute] = [usage.atMs - usage.onlineMs, usage.atMs].map((ms) =>
            Math.floor(ms / 60_000),
          );
          if (usage.bytesPerSecond !== undefined || fromMinute !== toMinute) rate(client, usage);
        }
      });
    },
    noteSearches(clientIds, atMs) {
      if (toHourStart(atMs) !== searchedMs) keepSearches();
      searchedMs = toHourStart(atMs);
      for (const clientId of clientIds) searches.set(clientId, (searches.get(clientId) ?? 0) + 1);
    },
    keepSearches,
    disconnectAll(atMs) {
      inTransaction(database, () => {
        run`update connection set disconnected_ms = ${atMs} where disconnected_ms is null
          and not exists (select 1 from client where client.client_id = connection.client_id and is_simulated = 1)`;
        run`update client set is_online = 0 where is_online = 1 and is_simulated = 0`;
      });
    },
  };
}
