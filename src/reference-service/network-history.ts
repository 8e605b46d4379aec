import type { DatabaseSync } from 'node:sqlite';
import { prepareOn, type Row, selectFields } from './statements.ts';

const earnerFields = 'networkId networkName isPublic providedBytes';
const hourFields = 'hourMs onlineClients onlineMs';

/** The hour that starts then: how many of the clients were online in it, however short, and how long all together. */
export type NetworkHour = Row<typeof hourFields>;

/** Clients of a network that are in one country now and were registered in one hour. */
export interface Registrations {
  /** Empty where it was never noted. */
  readonly countryId: string;
  /** The start of the hour, or of the window where they were registered before it, in Unix milliseconds. */
  readonly hourMs: number;
  readonly clients: number;
}

/** What this database knows of whole networks. */
export function createNetworkHistory(database: DatabaseSync) {
  const { prepareList } = prepareOn(database);
  const listRegistrations = prepareList<Registrations, [{ networkId: string; sinceMs: number }]>(
    `select country_id as countryId, max(created_ms / 3600000 * 3600000, :sinceMs) as hourMs, count(*) as clients
     from client where network_id = :networkId group by 1, 2`,
  );
  return {
    /** Who has provided the most, the greatest first, without guests. */
    listEarners: prepareList<Row<typeof earnerFields>, [limit: number]>(
      `select ${selectFields(earnerFields)} from network
       where kind = 'permanent' and provided_bytes > 0 order by provided_bytes desc, rowid limit ?`,
    ),
    /** The hours since `sinceMs`, oldest first; hours without anything are left out. */
    listHours: prepareList<NetworkHour, [networkId: string, sinceMs: number]>(
      `select ${selectFields(hourFields)} from network_hour
       where network_id = ? and hour_ms >= ? order by hour_ms`,
    ),
    /** Every client of the network, counted by country and by hour since `sinceMs`. */
    listRegistrations: (networkId: string, sinceMs: number) => listRegistrations({ networkId, sinceMs }),
  } as const;
}
