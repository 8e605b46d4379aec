import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { ProvideMode } from '../service/profiles.ts';
import { inTransaction } from './database.ts';
import type { Proxies, ProxyWish } from './proxies.ts';
import type { ClientPlace } from './world.ts';

/** A registered device. Times are Unix milliseconds. */
export interface Client {
  readonly clientId: string;
  readonly networkId: string;
  readonly deviceId: string;
  readonly sourceClientId: string | null;
  readonly description: string;
  readonly deviceSpec: string;
  readonly createdMs: number;
  readonly authenticatedMs: number;
  readonly provideMode: ProvideMode;
}

/** What the caller says about a device at each authentication. */
interface DeviceText {
  readonly description: string;
  readonly deviceSpec: string;
}

interface NewClient extends DeviceText {
  readonly networkId: string;
  readonly sourceClientId: string | undefined;
  readonly provideMode: ProvideMode;
  /** undefined: no proxy. */
  readonly proxy: ProxyWish | undefined;
  /** Default: now; 0: never. */
  readonly authenticatedMs?: number | undefined;
  /** Default: the world's home. */
  readonly place?: ClientPlace | undefined;
}

/** The registered devices of all networks. */
export interface Clients {
  /** Registers a device with what it is issued, in one step. */
  create(client: NewClient): Client;
  /** undefined where this network has no such client. */
  find(networkId: string, clientId: string): Client | undefined;
  count(networkId: string): number;
  /** Overwrites what the caller says about the device, and notes the time. */
  reauthenticate(clientId: string, text: DeviceText): void;
  setProvideMode(clientId: string, mode: ProvideMode): void;
  /** Notes where the client is; false where there is no such client. */
  move(clientId: string, place: ClientPlace): boolean;
  /** Gives the client, with all that it has, to another network. */
  handOver(clientId: string, to: { readonly networkId: string; readonly description: string }): void;
}

const columns = `client_id as clientId, network_id as networkId, device_id as deviceId,
  source_client_id as sourceClientId, description, device_spec as deviceSpec, created_ms as createdMs,
  authenticated_ms as authenticatedMs, provide_mode as provideMode`;

/** The clients of this database; `now` is in Unix milliseconds. */
export function createClients(database: DatabaseSync, proxies: Proxies, now: () => number): Clients {
  const insert = database.prepare(
    `insert into client (client_id, network_id, device_id, source_client_id, description, device_spec, created_ms,
       authenticated_ms, provide_mode)
     values (:clientId, :networkId, :deviceId, :sourceClientId, :description, :deviceSpec, :createdMs,
       :authenticatedMs, :provideMode)`,
  );
  const byId = database.prepare(`select ${columns} from client where network_id = ? and client_id = ?`);
  const counted = database.prepare('select count(*) as clients from client where network_id = ?');
  const authenticate = database.prepare(
    'update client set description = ?, device_spec = ?, authenticated_ms = ? where client_id = ?',
  );
  const setMode = database.prepare('update client set provide_mode = ? where client_id = ?');
  const setPlace = database.prepare('update client set city_id = ?, region_id = ?, country_id = ? where client_id = ?');
  const setOwner = database.prepare('update client set network_id = ?, description = ? where client_id = ?');
  const move = (clientId: string, { cityId, regionId, countryId }: ClientPlace) =>
    setPlace.run(cityId, regionId, countryId, clientId).changes > 0;
  return {
    create({ proxy, sourceClientId, authenticatedMs, place, ...text }) {
      const client = {
        ...text,
        clientId: randomUUID(),
        deviceId: randomUUID(),
        sourceClientId: sourceClientId ?? null,
        createdMs: now(),
        authenticatedMs: authenticatedMs ?? now(),
      };
      inTransaction(database, () => {
        insert.run(client);
        if (place !== undefined) move(client.clientId, place);
        if (proxy !== undefined) proxies.issue(client.clientId, proxy);
      });
      return client;
    },
    find: (networkId, clientId) => byId.get(networkId, clientId) as Client | undefined,
    count: (networkId) => Number(counted.get(networkId)?.clients),
    reauthenticate(clientId, text) {
      authenticate.run(text.description, text.deviceSpec, now(), clientId);
    },
    setProvideMode(clientId, mode) {
      setMode.run(mode, clientId);
    },
    move,
    handOver(clientId, { networkId, description }) {
      setOwner.run(networkId, description, clientId);
    },
  };
}
