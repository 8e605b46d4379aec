import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from './database.ts';
import { createUsageCounters } from './usage-counters.ts';
import { type ClientUsage, isNothing, noUsage } from './usage-unit.ts';

/** What every client did, and who is connected. */
export interface UsageBook {
  /** Adds what was seen of each client, and notes who came and went: all of it, or nothing. */
  add(sample: readonly ClientUsage[]): void;
  /** Notes that a search at `atMs` named these clients, real or simulated. */
  noteSearches(clientIds: readonly string[], atMs: number): void;
  /** Ends every connection but those of simulated clients. */
  disconnectAll(atMs: number): void;
}

/** The usage book of this database. */
export function createUsageBook(database: DatabaseSync): UsageBook {
  const counters = createUsageCounters(database);
  const setOnline = database.prepare('update client set is_online = ? where client_id = ?');
  const connect = database.prepare('insert into connection values (?, ?, ?, null)');
  const disconnect = database.prepare(
    `update connection indexed by connection_open set disconnected_ms = ?
     where client_id = ? and disconnected_ms is null`,
  );
  const disconnectReal = database.prepare(
    `update connection set disconnected_ms = ? where disconnected_ms is null
       and not exists (select 1 from client where client.client_id = connection.client_id and is_simulated = 1)`,
  );
  const setAllOffline = database.prepare('update client set is_online = 0 where is_online = 1 and is_simulated = 0');

  function note({ clientId, isConnected, atMs }: ClientUsage): void {
    setOnline.run(isConnected ? 1 : 0, clientId);
    if (isConnected) connect.run(randomUUID(), clientId, atMs);
    else disconnect.run(atMs, clientId);
  }

  return {
    add(sample) {
      const due = sample.flatMap((usage) => {
        const client = counters.find(usage.clientId);
        if (client === undefined) return [];
        const hasChanged = client.isOnline !== usage.isConnected;
        return hasChanged || !isNothing(usage) ? [{ client, usage, hasChanged }] : [];
      });
      // An empty transaction would still wait for the disk.
      if (due.length === 0) return;
      inTransaction(database, () => {
        for (const { client, usage, hasChanged } of due) {
          if (hasChanged) note(usage);
          counters.add(client, usage, usage.atMs);
          counters.addConsumer(client, usage);
          if (usage.bytesPerSecond !== undefined || isMinuteOver(usage)) counters.rate(client, usage);
        }
      });
    },
    noteSearches(clientIds, atMs) {
      const found = clientIds.flatMap((clientId) => counters.find(clientId) ?? []);
      if (found.length === 0) return;
      inTransaction(database, () => {
        for (const client of found) counters.add(client, { ...noUsage, searches: 1 }, atMs);
      });
    },
    disconnectAll(atMs) {
      inTransaction(database, () => {
        disconnectReal.run(atMs);
        setAllOffline.run();
      });
    },
  };
}

/** True once a minute for a client that stays online: its stretches follow one another. */
function isMinuteOver({ atMs, onlineMs }: ClientUsage): boolean {
  return Math.floor(atMs / 60_000) !== Math.floor((atMs - onlineMs) / 60_000);
}
