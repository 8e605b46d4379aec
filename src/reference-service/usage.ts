import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from './database.ts';

/** Milliseconds of an hour. */
export const hourMs = 3_600_000;

/** What a client did in some stretch of time, as counted on its peer. */
export interface Usage {
  readonly rxBytes: number;
  readonly txBytes: number;
  readonly onlineMs: number;
  /** Stretches in which consumers' traffic was given to it and moved. */
  readonly sessions: number;
}

/** One client's part of a sample. */
export interface ClientUsage extends Usage {
  readonly clientId: string;
  readonly isConnected: boolean;
}

/** The usage of one hour; `hourMs` is its start in Unix milliseconds. */
export interface HourUsage extends Usage {
  readonly hourMs: number;
}

/** One stretch online, in Unix milliseconds; `disconnectedMs` is undefined while it lasts. */
export interface Connection {
  readonly connectionId: string;
  readonly connectedMs: number;
  readonly disconnectedMs: number | undefined;
}

/** What every client did, by the hour. */
export interface UsageBook {
  /** Adds a sample to the hour of `atMs`, and notes who came and went. */
  add(sample: readonly ClientUsage[], atMs: number): void;
  /** The client's hours that begin at `sinceMs` or later, oldest first; hours without anything are left out. */
  listHours(clientId: string, sinceMs: number): readonly HourUsage[];
  /** The client's connections that lasted beyond `sinceMs`, oldest first. */
  listConnections(clientId: string, sinceMs: number): readonly Connection[];
  /** Ends every connection. */
  disconnectAll(atMs: number): void;
}

/** The usage book of this database. */
export function createUsageBook(database: DatabaseSync): UsageBook {
  const addHour = database.prepare(
    `insert into usage_hour values (?, ?, ?, ?, ?, ?) on conflict do update set
       rx_bytes = rx_bytes + excluded.rx_bytes, tx_bytes = tx_bytes + excluded.tx_bytes,
       online_ms = online_ms + excluded.online_ms, sessions = sessions + excluded.sessions`,
  );
  const hours = database.prepare(
    `select hour_ms as hourMs, rx_bytes as rxBytes, tx_bytes as txBytes, online_ms as onlineMs, sessions
     from usage_hour where client_id = ? and hour_ms >= ? order by hour_ms`,
  );
  const open = database.prepare('select client_id from connection where disconnected_ms is null');
  const connect = database.prepare('insert into connection values (?, ?, ?, null)');
  const disconnect = database.prepare(
    'update connection set disconnected_ms = ? where client_id = ? and disconnected_ms is null',
  );
  const disconnectAll = database.prepare('update connection set disconnected_ms = ? where disconnected_ms is null');
  const connections = database.prepare(
    `select connection_id, connected_ms, disconnected_ms from connection
     where client_id = ? and (disconnected_ms is null or disconnected_ms >= ?) order by connected_ms, rowid`,
  );
  return {
    add(sample, atMs) {
      const connected = new Set(open.all().map((row) => String(row.client_id)));
      const changed = sample.filter((client) => connected.has(client.clientId) !== client.isConnected);
      const busy = sample.filter(isBusy);
      // An empty transaction would still wait for the disk.
      if (changed.length + busy.length === 0) return;
      inTransaction(database, () => {
        for (const { clientId, isConnected } of changed) {
          if (isConnected) connect.run(randomUUID(), clientId, atMs);
          else disconnect.run(atMs, clientId);
        }
        for (const { clientId, rxBytes, txBytes, onlineMs, sessions } of busy) {
          addHour.run(clientId, toHourStart(atMs), rxBytes, txBytes, Math.round(onlineMs), sessions);
        }
      });
    },
    listHours: (clientId, sinceMs) => hours.all(clientId, sinceMs) as unknown as readonly HourUsage[],
    listConnections: (clientId, sinceMs) =>
      connections.all(clientId, sinceMs).map((row) => ({
        connectionId: String(row.connection_id),
        connectedMs: Number(row.connected_ms),
        disconnectedMs: row.disconnected_ms === null ? undefined : Number(row.disconnected_ms),
      })),
    disconnectAll(atMs) {
      disconnectAll.run(atMs);
    },
  };
}

/** The start of the hour that a moment lies in, both in Unix milliseconds (UTC). */
export function toHourStart(atMs: number): number {
  return Math.floor(atMs / hourMs) * hourMs;
}

function isBusy(usage: Usage): boolean {
  return usage.rxBytes + usage.txBytes + usage.onlineMs + usage.sessions > 0;
}
