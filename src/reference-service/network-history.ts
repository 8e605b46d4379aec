import type { DatabaseSync } from 'node:sqlite';
import { prepareList, selectFields } from './statements.ts';

/** A network that has provided something. */
interface Earner {
  readonly networkId: string;
  readonly networkName: string;
  /** 1 where the owner wants the name to be seen, else 0. */
  readonly isPublic: number;
  readonly providedBytes: number;
}

/** A network's clients in one hour; `hourMs` is its start in Unix milliseconds. */
export interface NetworkHour {
  readonly hourMs: number;
  /** How many were online in it, however short. */
  readonly onlineClients: number;
  /** Of all of them together. */
  readonly onlineMs: number;
}

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
  const listRegistrations = prepareList<Registrations, [{ networkId: string; sinceMs: number }]>(
    database,
    `select country_id as countryId, max(created_ms / 3600000 * 3600000, :sinceMs) as hourMs, count(*) as clients
     from client where network_id = :networkId group by 1, 2`,
  );
  return {
    /** Who has provided the most, the greatest first, without guests. */
    listEarners: prepareList<Earner, [limit: number]>(
      database,
      `select ${selectFields('networkId networkName isPublic providedBytes')} from network
       where kind = 'permanent' and provided_bytes > 0 order by provided_bytes desc, rowid limit ?`,
    ),
    /** The hours since `sinceMs`, oldest first; hours without anything are left out. */
    listHours: prepareList<NetworkHour, [networkId: string, sinceMs: number]>(
      database,
      `select ${selectFields('hourMs onlineClients onlineMs')} from network_hour
       where network_id = ? and hour_ms >= ? order by hour_ms`,
    ),
    /** Every client of the network, counted by country and by hour since `sinceMs`. */
    listRegistrations: (networkId: string, sinceMs: number) => listRegistrations({ networkId, sinceMs }),
  } as const;
}
