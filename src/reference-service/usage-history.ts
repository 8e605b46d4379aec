import type { DatabaseSync } from 'node:sqlite';
import { type ClientRange, inClientRange, prepareOn, type Row, selectFields } from './statements.ts';
import { type DayUsage, dayMs, type HourUsage, sumUsage, toDay, type Usage, usageFields } from './usage-unit.ts';

const connectionFields = 'client.clientId connectionId connectedMs disconnectedMs';
/** One stretch online. */
export type Connection = Row<typeof connectionFields>;

/** What a consumer had of the bytes that a client moved on one day, from 0 to 1. */
export type ConsumerDay = Row<'consumerId day'> & { readonly share: number };

const earnerFields = 'networkId networkName isPublic providedBytes';
const hourFields = 'hourMs onlineClients onlineMs';

/** The hour that starts then: how many of the clients were online in it, however short, and how long all together. */
export type NetworkHour = Row<typeof hourFields>;

/** Clients of a network that are in one country now and were registered in the hour, or before the window, that starts then. */
export type Registrations = Row<'countryId hourMs'> & { readonly clients: number };

/** What the usage book holds since `sinceMs`, the start of an hour in Unix milliseconds; of months it reads days, not hours. */
export function createUsageHistory(database: DatabaseSync) {
  const { prepareList } = prepareOn(database);
  const sums = `sum(rx_bytes) as rxBytes, sum(tx_bytes) as txBytes, sum(online_ms) as onlineMs,
    sum(sessions) as sessions, sum(searches) as searches`;
  const listHours = prepareList<HourUsage, [clientId: string, sinceMs: number, untilMs: number]>(
    `select ${selectFields(`hourMs ${usageFields}`)} from usage_hour
     where client_id = ? and hour_ms >= ? and hour_ms < ? order by hour_ms`,
  );
  const listDays = prepareList<DayUsage, [clientId: string, firstDay: number]>(
    `select ${selectFields(`day ${usageFields}`)} from client join usage_day on usage_day.client = client.sequence
     where client_id = ? and day >= ? order by day`,
  );
  const listConsumerDays = prepareList<ConsumerDay, [clientId: string, firstDay: number, sinceMs: number]>(
    `select consumer_id as consumerId, day, bytes * 1.0 / max(1, rx_bytes + tx_bytes) as share
     from client join consumer_day on consumer_day.client = client.sequence join usage_day using (client, day)
     where client_id = ? and day >= ? and last_ms >= ? order by day`,
  );
  const listPartsOfDay = prepareList<Usage & Row<'clientId'>, [ClientRange & { sinceMs: number; untilMs: number }]>(
    `select client.client_id as clientId, ${sums} from client join usage_hour using (client_id)
     where ${inClientRange} and hour_ms >= :sinceMs and hour_ms < :untilMs group by client.sequence`,
  );
  const listWholeDays = prepareList<Usage & Row<'clientId'>, [ClientRange & { firstDay: number }]>(
    `select client.client_id as clientId, ${sums} from client join usage_day on usage_day.client = client.sequence
     where ${inClientRange} and day >= :firstDay group by client.sequence`,
  );
  const countConsumers = prepareList<Row<'clientId consumers'>, [ClientRange & { firstDay: number; sinceMs: number }]>(
    `select client.client_id as clientId, count(distinct consumer_id) as consumers
     from client join consumer_day on consumer_day.client = client.sequence
     where ${inClientRange} and day >= :firstDay and last_ms >= :sinceMs group by client.sequence`,
  );
  const listConnections = prepareList<Connection, [ClientRange & { sinceMs: number }]>(
    `select ${selectFields(connectionFields)}
     from client join connection using (client_id)
     where ${inClientRange} and coalesce(disconnected_ms, ${Number.MAX_SAFE_INTEGER}) >= :sinceMs
     order by client.sequence, connected_ms, connection.rowid`,
  );
  const listRegistrations = prepareList<Registrations, [{ networkId: string; sinceMs: number }]>(
    `select country_id as countryId, max(created_ms / 3600000 * 3600000, :sinceMs) as hourMs, count(*) as clients
     from client where network_id = :networkId group by 1, 2`,
  );
  return {
    /** Oldest first; hours without anything are left out. */
    listHours: (clientId: string, sinceMs: number) => listHours(clientId, sinceMs, Number.MAX_SAFE_INTEGER),
    /** Oldest first, of the first day what lies within; days without anything are left out. */
    listDays(clientId: string, sinceMs: number): readonly DayUsage[] {
      const firstDay = Math.ceil(sinceMs / dayMs);
      const part = listHours(clientId, sinceMs, firstDay * dayMs);
      const first = part.length === 0 ? [] : [{ ...sumUsage(part), day: firstDay - 1 }];
      return [...first, ...listDays(clientId, firstDay)];
    },
    /** Every consumer that was there within, oldest first. */
    listConsumerDays: (clientId: string, sinceMs: number) => listConsumerDays(clientId, toDay(sinceMs), sinceMs),
    /** Each client's usage, by client id, in stretches to be added up. */
    usageIn(range: ClientRange, sinceMs: number): ReadonlyMap<string, readonly Usage[]> {
      const firstDay = Math.ceil(sinceMs / dayMs);
      const parts = listPartsOfDay({ ...range, sinceMs, untilMs: firstDay * dayMs });
      return Map.groupBy([...parts, ...listWholeDays({ ...range, firstDay })], ({ clientId }) => clientId);
    },
    consumersIn(range: ClientRange, sinceMs: number): ReadonlyMap<string, number> {
      const rows = countConsumers({ ...range, firstDay: toDay(sinceMs), sinceMs });
      return new Map(rows.map(({ clientId, consumers }) => [clientId, consumers]));
    },
    /** Each client's connections that lasted beyond `sinceMs`, by client id, oldest first. */
    connectionsIn: (range: ClientRange, sinceMs: number) =>
      Map.groupBy(listConnections({ ...range, sinceMs }), (connection) => connection.clientId),
    /** Who has provided the most, the greatest first, without guests. */
    listEarners: prepareList<Row<typeof earnerFields>, [limit: number]>(
      `select ${selectFields(earnerFields)} from network
       where kind = 'permanent' and provided_bytes > 0 order by provided_bytes desc, rowid limit ?`,
    ),
    /** The network's hours since `sinceMs`, oldest first; hours without anything are left out. */
    listNetworkHours: prepareList<NetworkHour, [networkId: string, sinceMs: number]>(
      `select ${selectFields(hourFields)} from network_hour
       where network_id = ? and hour_ms >= ? order by hour_ms`,
    ),
    /** Every client of the network, counted by country and by hour since `sinceMs`. */
    listRegistrations: (networkId: string, sinceMs: number) => listRegistrations({ networkId, sinceMs }),
  } as const;
}
