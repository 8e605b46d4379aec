import type { DatabaseSync } from 'node:sqlite';
import type { ClientRange } from './client.ts';
import { prepareList, selectFields } from './statements.ts';
import { type DayUsage, dayMs, type HourUsage, sumUsage, toDay, type Usage, usageFields } from './usage-unit.ts';

/** One stretch online, in Unix milliseconds; `disconnectedMs` is null while it lasts. */
export interface Connection {
  readonly clientId: string;
  readonly connectionId: string;
  readonly connectedMs: number;
  readonly disconnectedMs: number | null;
}

/** What a consumer had of a client on one day, which counts from 1970 (UTC). */
export interface ConsumerDay {
  readonly consumerId: string;
  readonly day: number;
  /** Of the bytes that the client moved on that day, from 0 to 1. */
  readonly share: number;
}

interface OfClient {
  readonly clientId: string;
}

/**
 * What the usage book holds since `sinceMs`, the start of an hour in Unix milliseconds. Whole days are read as days: a
 * question about months reads no hours.
 */
export function createUsageHistory(database: DatabaseSync) {
  const sums = `sum(rx_bytes) as rxBytes, sum(tx_bytes) as txBytes, sum(online_ms) as onlineMs,
    sum(sessions) as sessions, sum(searches) as searches`;
  const inRange =
    'client.network_id = :networkId and client.sequence > :afterSequence and client.sequence <= :lastSequence';
  const listHours = prepareList<HourUsage, [clientId: string, sinceMs: number, untilMs: number]>(
    database,
    `select ${selectFields(`hourMs ${usageFields}`)} from usage_hour
     where client_id = ? and hour_ms >= ? and hour_ms < ? order by hour_ms`,
  );
  const listDays = prepareList<DayUsage, [clientId: string, firstDay: number]>(
    database,
    `select ${selectFields(`day ${usageFields}`)} from client join usage_day on usage_day.client = client.sequence
     where client_id = ? and day >= ? order by day`,
  );
  const listConsumerDays = prepareList<ConsumerDay, [clientId: string, firstDay: number, sinceMs: number]>(
    database,
    `select consumer_id as consumerId, day, bytes * 1.0 / max(1, rx_bytes + tx_bytes) as share
     from client join consumer_day on consumer_day.client = client.sequence join usage_day using (client, day)
     where client_id = ? and day >= ? and last_ms >= ? order by day`,
  );
  const listPartsOfDay = prepareList<Usage & OfClient, [ClientRange & { sinceMs: number; untilMs: number }]>(
    database,
    `select client.client_id as clientId, ${sums} from client join usage_hour using (client_id)
     where ${inRange} and hour_ms >= :sinceMs and hour_ms < :untilMs group by client.sequence`,
  );
  const listWholeDays = prepareList<Usage & OfClient, [ClientRange & { firstDay: number }]>(
    database,
    `select client.client_id as clientId, ${sums} from client join usage_day on usage_day.client = client.sequence
     where ${inRange} and day >= :firstDay group by client.sequence`,
  );
  const countConsumers = prepareList<
    OfClient & { readonly consumers: number },
    [ClientRange & { firstDay: number; sinceMs: number }]
  >(
    database,
    `select client.client_id as clientId, count(distinct consumer_id) as consumers
     from client join consumer_day on consumer_day.client = client.sequence
     where ${inRange} and day >= :firstDay and last_ms >= :sinceMs group by client.sequence`,
  );
  const listConnections = prepareList<Connection, [ClientRange & { sinceMs: number }]>(
    database,
    `select ${selectFields('client.clientId connectionId connectedMs disconnectedMs')}
     from client join connection using (client_id)
     where ${inRange} and coalesce(disconnected_ms, ${Number.MAX_SAFE_INTEGER}) >= :sinceMs
     order by client.sequence, connected_ms, connection.rowid`,
  );
  return {
    /** Oldest first; hours without anything are left out. */
    /** Oldest first; hours without anything are left out. */
    listHours: (clientId: string, sinceMs: number) => listHours(clientId, sinceMs, Number.MAX_SAFE_INTEGER),
    /** Oldest first, of the first day what lies within; days without anything are left out. */
    listDays(clientId: string, sinceMs: number): readonly DayUsage[] {
      const firstDay = findFirstWholeDay(sinceMs);
      const part = listHours(clientId, sinceMs, firstDay * dayMs);
      const first = part.length === 0 ? [] : [{ ...sumUsage(part), day: firstDay - 1 }];
      return [...first, ...listDays(clientId, firstDay)];
    },
    /** Every consumer that was there within, oldest first. */
    listConsumerDays: (clientId: string, sinceMs: number) => listConsumerDays(clientId, toDay(sinceMs), sinceMs),
    /** Each client's usage, by client id, in stretches to be added up. */
    usageIn(range: ClientRange, sinceMs: number): ReadonlyMap<string, readonly Usage[]> {
      const firstDay = findFirstWholeDay(sinceMs);
      const parts = listPartsOfDay({ ...range, sinceMs, untilMs: firstDay * dayMs });
      return Map.groupBy([...parts, ...listWholeDays({ ...range, firstDay })], ({ clientId }) => clientId);
    },
    /** How many consumers each client had, by client id. */
    consumersIn(range: ClientRange, sinceMs: number): ReadonlyMap<string, number> {
      const rows = countConsumers({ ...range, firstDay: toDay(sinceMs), sinceMs });
      return new Map(rows.map(({ clientId, consumers }) => [clientId, consumers]));
    },
    /** Each client's connections that lasted beyond `sinceMs`, by client id, oldest first. */
    connectionsIn: (range: ClientRange, sinceMs: number) =>
      Map.groupBy(listConnections({ ...range, sinceMs }), (connection) => connection.clientId),
  } as const;
}

function findFirstWholeDay(sinceMs: number): number {
  return Math.ceil(sinceMs / dayMs);
}
