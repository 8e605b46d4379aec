import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { toQuality, toThroughput } from './client-quality.ts';
import { keepSetting } from './database.ts';
import { type ClientUsage, dayMs, hourMs, isNothing, noUsage, toDay, toHourStart, type Usage } from './usage-unit.ts';

/** A client as far as counting needs it. */
interface CountedClient {
  readonly clientId: string;
  /** Its number in the database. */
  readonly sequence: number;
  readonly networkId: string;
  readonly isOnline: boolean;
  readonly bytesPerSecond: number;
  readonly quality: number;
  readonly createdMs: number;
}

/** The tallies of the database, each kept where questions about it are answered from. Callers make the transactions. */
export interface UsageCounters {
  /** undefined where there is no such client. */
  find(clientId: string): CountedClient | undefined;
  /** Adds to the client's hour and day, and its network's, in which the stretch ended; time online where it was spent. */
  add(client: CountedClient, usage: Usage, atMs: number): void;
  /** Adds what consumers had of it. */
  addConsumer(client: CountedClient, usage: ClientUsage): void;
  /** Notes anew how fast and how good the client is. */
  rate(client: CountedClient, usage: ClientUsage): void;
}

const sums = `rx_bytes = rx_bytes + excluded.rx_bytes, tx_bytes = tx_bytes + excluded.tx_bytes,
  online_ms = online_ms + excluded.online_ms, sessions = sessions + excluded.sessions,
  searches = searches + excluded.searches`;
const usageColumns = 'rx_bytes, tx_bytes, online_ms, sessions, searches';

/** The tallies of this database. */
export function createUsageCounters(database: DatabaseSync): UsageCounters {
  const byId = database.prepare(
    `select client_id as clientId, sequence, network_id as networkId, is_online as isOnline,
       bytes_per_second as bytesPerSecond, quality, created_ms as createdMs from client where client_id = ?`,
  );
  const intoHour = database.prepare(
    `insert into usage_hour (client_id, hour_ms, ${usageColumns}) values (?, ?, ?, ?, ?, ?, ?)
     on conflict do update set ${sums} returning online_ms as onlineMs`,
  );
  const intoDay = database.prepare(
    `insert into usage_day (client, day, ${usageColumns}) values (?, ?, ?, ?, ?, ?, ?) on conflict do update set ${sums}`,
  );
  const intoNetworkHour = database.prepare(
    `insert into network_hour (network_id, hour_ms, online_clients, online_ms) values (?, ?, ?, ?)
     on conflict do update set online_clients = online_clients + excluded.online_clients,
       online_ms = online_ms + excluded.online_ms`,
  );
  const intoProvided = database.prepare('update network set provided_bytes = provided_bytes + ? where network_id = ?');
  const intoConsumerDay = database.prepare(
    `insert into consumer_day (client, day, consumer_id, bytes, sessions, last_ms) values (?, ?, ?, ?, ?, ?)
     on conflict do update set bytes = bytes + excluded.bytes, sessions = sessions + excluded.sessions,
       last_ms = max(last_ms, excluded.last_ms)`,
  );
  const onlineSince = database.prepare(
    'select coalesce(sum(online_ms), 0) as onlineMs from usage_hour where client_id = ? and hour_ms >= ?',
  );
  const setRate = database.prepare('update client set bytes_per_second = ?, quality = ? where client_id = ?');
  // Who stands behind the interface that consumers' traffic comes from is not asked: it counts as one.
  const consumerId = keepSetting(database, 'consumer-id', randomUUID);

  function addHour(client: CountedClient, usage: Usage, { startMs, endMs }: { startMs: number; endMs: number }): void {
    const earlierMs = Math.max(0, usage.onlineMs - (endMs - startMs));
    if (earlierMs > 0) {
      addHour(client, { ...noUsage, onlineMs: earlierMs }, { startMs: startMs - hourMs, endMs: startMs });
    }
    const onlineMs = usage.onlineMs - earlierMs;
    if (isNothing({ ...usage, onlineMs })) return;
    const figures = [usage.rxBytes, usage.txBytes, onlineMs, usage.sessions, usage.searches];
    // `all` runs the statement to its end; `get` would stop at the returned row.
    const [hour] = intoHour.all(client.clientId, startMs, ...figures);
    intoDay.run(client.sequence, toDay(startMs), ...figures);
    const isFirst = Number(hour?.onlineMs) === onlineMs;
    if (onlineMs > 0) intoNetworkHour.run(client.networkId, startMs, isFirst ? 1 : 0, onlineMs);
    const bytes = usage.rxBytes + usage.txBytes;
    if (bytes > 0) intoProvided.run(bytes, client.networkId);
  }

  return {
    find(clientId) {
      const row = byId.get(clientId);
      return row === undefined ? undefined : ({ ...row, isOnline: row.isOnline === 1 } as CountedClient);
    },
    add(client, usage, atMs) {
      addHour(client, usage, { startMs: toHourStart(atMs), endMs: atMs });
    },
    addConsumer({ sequence }, { consumerBytes, sessions, atMs }) {
      if (consumerBytes + sessions === 0) return;
      intoConsumerDay.run(sequence, toDay(atMs), consumerId, consumerBytes, sessions, atMs);
    },
    rate(client, { bytesPerSecond: measured, atMs }) {
      const known = client.bytesPerSecond;
      const bytesPerSecond = measured === undefined ? known : toThroughput(known, measured);
      const onlineMs = Number(onlineSince.get(client.clientId, toHourStart(atMs - dayMs))?.onlineMs);
      const quality = toQuality({ bytesPerSecond, onlineMs, ageMs: atMs - client.createdMs });
      // Several indexes are rewritten with it.
      if (bytesPerSecond === known && quality === client.quality) return;
      setRate.run(bytesPerSecond, quality, client.clientId);
    },
  };
}
