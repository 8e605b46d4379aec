import type { DatabaseSync } from 'node:sqlite';
import { dayMs, hourMs } from '../lib/units.ts';
import { type ClientRange, inClientRange, queryOn, selectFields, sql } from './statements.ts';
import {
  type DayUsage,
  type HourUsage,
  sumUsage,
  type Usage,
  usageFields,
  weighHour,
} from './usage.ts';
import { toDay, toHourStart } from './usage-hours.ts';

const connectionFields = 'client.clientId connectionId connectedMs disconnectedMs';
/** One connection of a client. Times are in ms since 1970. */
export interface Connection {
  readonly clientId: string;
  readonly connectionId: string;
  readonly connectedMs: number;
  /** null while the connection lasts. */
  readonly disconnectedMs: number | null;
}

/** What one consumer did with a client on one day. */
export interface ConsumerDay {
  readonly consumerId: string;
  /** Counted from 1970 (UTC). */
  readonly day: number;
  /** The consumer's part, 0 to 1, of the bytes that the client moved on that day. */
  readonly share: number;
}

const earnerFields = 'networkId networkName isPublic providedBytes';
/** A network that has provided something. */
interface Earner {
  readonly networkId: string;
  readonly networkName: string;
  /** 1 where everybody may see its name, else 0. */
  readonly isPublic: 0 | 1;
  /** In both directions, since the network was made. */
  readonly providedBytes: number;
}

const hourFields = 'hourMs onlineClients onlineMs';
/** An hour of a network. */
export interface NetworkHour {
  /** Its beginning, in ms since 1970. */
  readonly hourMs: number;
  /** How many clients were online in it, even if only shortly. */
  readonly onlineClients: number;
  /** For how long its clients were online, all together. */
  readonly onlineMs: number;
}

/** How many clients a network registered in an hour, by the country in which they are now. */
export interface Registrations {
  readonly countryId: string;
  /**
   * The beginning of the hour, in ms since 1970. The row of the window's beginning also counts
   * everything before it.
   */
  readonly hourMs: number;
  readonly clients: number;
  /** How much of that hour had passed when they were registered, in ms; a sum over all of them. */
  readonly missedMs: number;
}

interface OfClient {
  readonly clientId: string;
}

/**
 * The contents of the usage book since `sinceMs`, in ms since 1970; of the first hour only a share.
 * For months it reads days instead of hours. Lists have the oldest first.
 */
export interface UsageHistory {
  /** Hours before `untilMs`, which is never by default. Hours with nothing in them are left out. */
  listHours(clientId: string, sinceMs: number, untilMs?: number): readonly HourUsage[];
  /** Of the first day only what lies within. Days with nothing in them are left out. */
  listDays(clientId: string, sinceMs: number): readonly DayUsage[];
  /**
   * The consumers of these days. Of the first day those who were there in an hour that counts, who
   * share between them what the first day moved.
   */
  listConsumerDays(clientId: string, sinceMs: number): readonly ConsumerDay[];
  /** Each client's usage by client id, in parts that have to be added up. */
  usageIn(range: ClientRange, sinceMs: number): ReadonlyMap<string, readonly Usage[]>;
  /** How many consumers each client had in the hours that count, by client id. */
  consumersIn(range: ClientRange, sinceMs: number): ReadonlyMap<string, number>;
  /** Each client's connections that lasted beyond `sinceMs`, by client id. */
  connectionsIn(range: ClientRange, sinceMs: number): ReadonlyMap<string, readonly Connection[]>;
  /** The networks that have provided most, the highest first, without guests. */
  listEarners(limit: number): readonly Earner[];
  /** Hours with nothing in them are left out. */
  listNetworkHours(networkId: string, sinceMs: number): readonly NetworkHour[];
  listRegistrations(networkId: string, sinceMs: number): readonly Registrations[];
}

export function createUsageHistory(database: DatabaseSync): UsageHistory {
  const { listRows } = queryOn(database);
  const sums = sql`client.client_id as clientId, sum(rx_bytes) as rxBytes, sum(tx_bytes) as txBytes,
    sum(online_ms) as onlineMs, sum(sessions) as sessions, sum(searches) as searches`;
  const inDays = sql`client join usage_day on usage_day.client = client.sequence`;
  const inConsumerDays = sql`client join consumer_day on consumer_day.client = client.sequence`;
  const listHours = (clientId: string, sinceMs: number, untilMs = Number.MAX_SAFE_INTEGER) =>
    listRows<HourUsage>`select ${selectFields(`hourMs ${usageFields}`)} from usage_hour
      where client_id = ${clientId} and hour_ms > ${sinceMs - hourMs} and hour_ms < ${untilMs}
      order by hour_ms`.map((hour) => weighHour(hour, sinceMs));
  return {
    listHours,
    listDays(clientId, sinceMs) {
      const firstDay = Math.ceil(sinceMs / dayMs);
      const part = listHours(clientId, sinceMs, firstDay * dayMs);
      const first = part.length === 0 ? [] : [{ ...sumUsage(part), day: firstDay - 1 }];
      const others = listRows<DayUsage>`select ${selectFields(`day ${usageFields}`)} from ${inDays}
        where client_id = ${clientId} and day >= ${firstDay} order by day`;
      return [...first, ...others];
    },
    listConsumerDays(clientId, sinceMs) {
      const rows = listRows<
        ConsumerDay & { readonly lastMs: number }
      >`select consumer_id as consumerId, day, last_ms as lastMs,
          bytes * 1.0 / max(1, rx_bytes + tx_bytes) as share
        from ${inConsumerDays} join usage_day using (client, day)
        where client_id = ${clientId} and day >= ${toDay(sinceMs)}
        order by day`;
      // The book knows a consumer's bytes by the day alone, and when it was there last.
      const there = rows.filter(({ lastMs }) => lastMs >= toHourStart(sinceMs));
      const sumFirst = (all: readonly ConsumerDay[]) =>
        all.reduce((sum, { day, share }) => sum + (day === toDay(sinceMs) ? share : 0), 0);
      const factor = sumFirst(rows) / (sumFirst(there) || 1);
      return there.map(({ consumerId, day, share }) => ({
        consumerId,
        day,
        share: day === toDay(sinceMs) ? share * factor : share,
      }));
    },
    usageIn(range, sinceMs) {
      const firstDay = Math.ceil(sinceMs / dayMs);
      // The oldest hour is read apart from the others, because only a share of it counts.
      const parts = listRows<HourUsage & OfClient>`select ${sums}, min(hour_ms) as hourMs
        from client join usage_hour using (client_id)
        where ${inClientRange(range)} and hour_ms > ${sinceMs - hourMs} and hour_ms < ${firstDay * dayMs}
        group by client.sequence, hour_ms >= ${sinceMs}`.map((hours) => weighHour(hours, sinceMs));
      const days = listRows<Usage & OfClient>`select ${sums} from ${inDays}
        where ${inClientRange(range)} and day >= ${firstDay} group by client.sequence`;
      return Map.groupBy([...parts, ...days], ({ clientId }) => clientId);
    },
    consumersIn(range, sinceMs) {
      const rows = listRows<
        OfClient & { readonly consumers: number }
      >`select client.client_id as clientId,
          count(distinct consumer_id) as consumers from ${inConsumerDays}
        where ${inClientRange(range)} and day >= ${toDay(sinceMs)} and last_ms >= ${toHourStart(sinceMs)} group by client.sequence`;
      return new Map(rows.map(({ clientId, consumers }) => [clientId, consumers]));
    },
    connectionsIn(range, sinceMs) {
      // The index contains the largest integer for connections that last, and only this expression
      // uses it.
      const rows = listRows<Connection>`select ${selectFields(connectionFields)}
        from client join connection using (client_id)
        where ${inClientRange(range)} and coalesce(disconnected_ms, 9007199254740991) >= ${sinceMs}
        order by client.sequence, connected_ms, connection.rowid`;
      return Map.groupBy(rows, (connection) => connection.clientId);
    },
    listEarners: (limit) =>
      listRows<Earner>`select ${selectFields(earnerFields)} from network
        where kind = 'permanent' and provided_bytes > 0 order by provided_bytes desc, rowid limit ${limit}`,
    listNetworkHours: (networkId, sinceMs) =>
      listRows<NetworkHour>`select ${selectFields(hourFields)} from network_hour
        where network_id = ${networkId} and hour_ms >= ${sinceMs} order by hour_ms`,
    listRegistrations: (networkId, sinceMs) =>
      listRows<Registrations>`select country_id as countryId, count(*) as clients,
          max(created_ms / 3600000 * 3600000, ${sinceMs}) as hourMs,
          sum(max(created_ms, ${sinceMs}) - max(created_ms / 3600000 * 3600000, ${sinceMs})) as missedMs
        from client where network_id = ${networkId} group by countryId, hourMs`,
  };
}
