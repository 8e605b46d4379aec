import type { DatabaseSync } from 'node:sqlite';
import type { ClientRange } from './client-pages.ts';
import { type DayUsage, dayMs, type HourUsage, toDay, type Usage } from './usage-unit.ts';

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

/**
 * What the usage book holds since `sinceMs`, the start of an hour in Unix milliseconds. Whole days are read as days: a
 * question about months reads no hours.
 */
export interface UsageHistory {
  /** Oldest first; hours without anything are left out. */
  listHours(clientId: string, sinceMs: number): readonly HourUsage[];
  /** Oldest first, of the first day what lies within; days without anything are left out. */
  listDays(clientId: string, sinceMs: number): readonly DayUsage[];
  /** Whoever was there within, oldest first. */
  listConsumerDays(clientId: string, sinceMs: number): readonly ConsumerDay[];
  /** Each client's usage, by client id, in stretches to be added up. */
  usageIn(range: ClientRange, sinceMs: number): ReadonlyMap<string, readonly Usage[]>;
  /** How many consumers each client had, by client id. */
  consumersIn(range: ClientRange, sinceMs: number): ReadonlyMap<string, number>;
  /** Each client's connections that lasted beyond `sinceMs`, by client id, oldest first. */
  connectionsIn(range: ClientRange, sinceMs: number): ReadonlyMap<string, readonly Connection[]>;
}

const figures = 'rx_bytes as rxBytes, tx_bytes as txBytes, online_ms as onlineMs, sessions, searches';
const sums = `sum(rx_bytes) as rxBytes, sum(tx_bytes) as txBytes, sum(online_ms) as onlineMs, sum(sessions) as sessions,
  sum(searches) as searches`;
const inRange = 'client.network_id = ? and client.sequence > ? and client.sequence <= ?';

/** The history that this database holds. */
export function createUsageHistory(database: DatabaseSync): UsageHistory {
  const hours = database.prepare(
    `select hour_ms as hourMs, ${figures} from usage_hour where client_id = ? and hour_ms >= ? order by hour_ms`,
  );
  const partOfDay = database.prepare(
    `select ${sums} from usage_hour where client_id = ? and hour_ms >= ? and hour_ms < ? group by client_id`,
  );
  const days = database.prepare(
    `select day, ${figures} from client join usage_day on usage_day.client = client.sequence
     where client_id = ? and day >= ? order by day`,
  );
  const consumerDays = database.prepare(
    `select consumer_id as consumerId, day, bytes * 1.0 / max(1, rx_bytes + tx_bytes) as share
     from client join consumer_day on consumer_day.client = client.sequence join usage_day using (client, day)
     where client_id = ? and day >= ? and last_ms >= ? order by day`,
  );
  const partsOfDay = database.prepare(
    `select client.client_id as clientId, ${sums} from client join usage_hour using (client_id)
     where ${inRange} and hour_ms >= ? and hour_ms < ? group by client.sequence`,
  );
  const wholeDays = database.prepare(
    `select client.client_id as clientId, ${sums} from client join usage_day on usage_day.client = client.sequence
     where ${inRange} and day >= ? group by client.sequence`,
  );
  const consumers = database.prepare(
    `select client.client_id as clientId, count(distinct consumer_id) as consumers
     from client join consumer_day on consumer_day.client = client.sequence
     where ${inRange} and day >= ? and last_ms >= ? group by client.sequence`,
  );
  const connections = database.prepare(
    `select client.client_id as clientId, connection_id as connectionId, connected_ms as connectedMs,
       disconnected_ms as disconnectedMs from client join connection using (client_id)
     where ${inRange} and coalesce(disconnected_ms, ${Number.MAX_SAFE_INTEGER}) >= ?
     order by client.sequence, connected_ms, connection.rowid`,
  );
  return {
    listHours: (clientId, sinceMs) => hours.all(clientId, sinceMs) as unknown as readonly HourUsage[],
    listDays(clientId, sinceMs) {
      const firstDay = toFirstWholeDay(sinceMs);
      const part = partOfDay.all(clientId, sinceMs, firstDay * dayMs).map((row) => ({ ...row, day: firstDay - 1 }));
      return [...part, ...days.all(clientId, firstDay)] as unknown as readonly DayUsage[];
    },
    listConsumerDays: (clientId, sinceMs) =>
      consumerDays.all(clientId, toDay(sinceMs), sinceMs) as unknown as readonly ConsumerDay[],
    usageIn({ networkId, afterSequence, lastSequence }, sinceMs) {
      const firstDay = toFirstWholeDay(sinceMs);
      const rows = [
        ...partsOfDay.all(networkId, afterSequence, lastSequence, sinceMs, firstDay * dayMs),
        ...wholeDays.all(networkId, afterSequence, lastSequence, firstDay),
      ] as unknown as readonly (Usage & { readonly clientId: string })[];
      return Map.groupBy(rows, (row) => row.clientId);
    },
    consumersIn({ networkId, afterSequence, lastSequence }, sinceMs) {
      const rows = consumers.all(networkId, afterSequence, lastSequence, toDay(sinceMs), sinceMs);
      return new Map(rows.map((row) => [String(row.clientId), Number(row.consumers)]));
    },
    connectionsIn({ networkId, afterSequence, lastSequence }, sinceMs) {
      const rows = connections.all(networkId, afterSequence, lastSequence, sinceMs);
      return Map.groupBy(rows as unknown as readonly Connection[], (row) => row.clientId);
    },
  };
}

function toFirstWholeDay(sinceMs: number): number {
  return Math.ceil(sinceMs / dayMs);
}
