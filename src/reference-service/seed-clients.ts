import type { DatabaseSync } from 'node:sqlite';
import { toQuality } from './client-quality.ts';
import { createKeyPairOf } from './key-pair.ts';
import type { Random } from './random.ts';
import type { SimulatedDevice } from './seed-device.ts';
import type { Life } from './seed-life.ts';
import { dayMs, sumUsage, toHourStart, type Usage } from './usage-unit.ts';
import type { ClientPlace } from './world.ts';

/** A simulated client as it is written. Times are Unix milliseconds. */
interface SimulatedClient {
  readonly networkId: string;
  /** Of another network's client that it stands for; undefined for a device of its own. */
  readonly sourceClientId: string | undefined;
  readonly device: SimulatedDevice;
  readonly place: ClientPlace;
  readonly life: Life;
  readonly createdMs: number;
  readonly nowMs: number;
}

/** Writes simulated clients, with all that is known of them. Callers make the transactions. */
export interface SeedClients {
  /** Its id and its number in the database; ids and keys are drawn from `random`. */
  insert(random: Random, client: SimulatedClient): { readonly clientId: string; readonly sequence: number };
  /** Adds to a network what its clients with these numbers, both included, have done. */
  addToNetwork(networkId: string, sequences: { readonly first: number; readonly last: number }): void;
}

/** The writer for this database. */
export function createSeedClients(database: DatabaseSync): SeedClients {
  const insertClient = database.prepare(
    `insert into client (client_id, network_id, device_id, source_client_id, description, device_spec, created_ms,
       authenticated_ms, provide_mode, city_id, region_id, country_id, is_online, is_simulated, bytes_per_second, quality)
     values (:clientId, :networkId, :deviceId, :sourceClientId, :description, :deviceSpec, :createdMs,
       :authenticatedMs, :provideMode, :cityId, :regionId, :countryId, :isOnline, 1, :bytesPerSecond, :quality)`,
  );
  const insertProxy = database.prepare('insert into proxy values (?, ?, null)');
  const insertTunnel = database.prepare('insert into tunnel (client_id, private_key, public_key) values (?, ?, ?)');
  const insertHour = database.prepare(
    `insert into usage_hour (client_id, hour_ms, rx_bytes, tx_bytes, online_ms, sessions, searches)
     values (?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertDay = database.prepare(
    `insert into usage_day (client, day, rx_bytes, tx_bytes, online_ms, sessions, searches)
     values (?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertVisit = database.prepare(
    'insert into consumer_day (client, day, consumer_id, bytes, sessions, last_ms) values (?, ?, ?, ?, ?, ?)',
  );
  const insertConnection = database.prepare('insert into connection values (?, ?, ?, ?)');
  const addHours = database.prepare(
    `insert into network_hour
       select network_id, hour_ms, count(*), sum(online_ms) from client join usage_hour using (client_id)
       where network_id = ? and sequence >= ? and sequence <= ? and online_ms > 0 group by hour_ms
     on conflict do update set online_clients = online_clients + excluded.online_clients,
       online_ms = online_ms + excluded.online_ms`,
  );
  const addBytes = database.prepare(
    `update network set provided_bytes = provided_bytes + coalesce((
       select sum(rx_bytes + tx_bytes) from client join usage_day on usage_day.client = client.sequence
       where client.network_id = network.network_id and sequence >= ? and sequence <= ?), 0)
     where network_id = ?`,
  );

  function insertLife(random: Random, { clientId, sequence }: Inserted, { life, nowMs }: SimulatedClient): void {
    for (const usage of life.hours) insertHour.run(clientId, usage.hourMs, ...toFigures(usage));
    for (const usage of life.days) insertDay.run(sequence, usage.day, ...toFigures(usage));
    for (const { day, consumerId, bytes, sessions, lastMs } of life.visits) {
      insertVisit.run(sequence, day, consumerId, bytes, sessions, lastMs);
    }
    for (const { startMs, endMs } of life.stretches) {
      if (endMs > nowMs - dayMs) insertConnection.run(random.uuid(), clientId, startMs, endMs === nowMs ? null : endMs);
    }
  }

  return {
    insert(random, client) {
      const { device, place, life, createdMs, nowMs } = client;
      const clientId = random.uuid();
      const isOnline = life.lastMs === nowMs;
      const { lastInsertRowid } = insertClient.run({
        clientId,
        networkId: client.networkId,
        deviceId: random.uuid(),
        sourceClientId: client.sourceClientId ?? null,
        description: device.description,
        deviceSpec: device.deviceSpec,
        createdMs,
        authenticatedMs: life.lastMs === undefined ? 0 : Math.max(createdMs, life.lastMs - (isOnline ? restMs : 0)),
        provideMode: device.provideMode,
        cityId: place.cityId,
        regionId: place.regionId,
        countryId: place.countryId,
        isOnline: isOnline ? 1 : 0,
        bytesPerSecond: device.habit.load === 0 ? 0 : device.habit.bytesPerSecond,
        quality: toSimulatedQuality(client),
      });
      const inserted = { clientId, sequence: Number(lastInsertRowid) };
      if (device.hasTunnel) {
        const { privateKey, publicKey } = createKeyPairOf(random.bytes(32));
        insertProxy.run(clientId, random.uuid());
        insertTunnel.run(clientId, privateKey.reveal(), publicKey);
      }
      insertLife(random, inserted, client);
      return inserted;
    },
    addToNetwork(networkId, { first, last }) {
      addHours.run(networkId, first, last);
      addBytes.run(first, last, networkId);
    },
  };
}

interface Inserted {
  readonly clientId: string;
  readonly sequence: number;
}

/** Nobody who is simulated has spoken just now. */
const restMs = 600_000;

function toFigures({ rxBytes, txBytes, onlineMs, sessions, searches }: Usage) {
  return [rxBytes, txBytes, onlineMs, sessions, searches] as const;
}

function toSimulatedQuality({ device, life, createdMs, nowMs }: SimulatedClient): number {
  const ofLastDay = life.hours.filter((usage) => usage.hourMs >= toHourStart(nowMs - dayMs));
  const { onlineMs } = sumUsage(ofLastDay);
  return toQuality({ bytesPerSecond: device.habit.bytesPerSecond, onlineMs, ageMs: nowMs - createdMs });
}
