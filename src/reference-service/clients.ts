import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { ProvideMode } from '../service/profiles.ts';
import type { Client, ClientRange } from './client.ts';
import { inTransaction } from './database.ts';
import type { Proxies, ProxyRequest } from './proxies.ts';
import { refuse } from './refusal.ts';
import { insertInto, prepareFind, prepareList, prepareNumber, selectFields } from './statements.ts';
import type { ClientPlace } from './world.ts';

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
  readonly proxy: ProxyRequest | undefined;
  /** Default: now; 0: never. */
  readonly authenticatedMs?: number | undefined;
  /** Default: the world's home. */
  readonly place?: ClientPlace | undefined;
}

/** A client as a list of them shows it. */
export interface ListedClient extends Client {
  /** 1 while it is connected, else 0. */
  readonly isOnline: 0 | 1;
}

/** Some clients at a time, so that a list of thousands is never held at once. */
interface ClientPage {
  readonly range: ClientRange;
  /** Never empty, oldest first. */
  readonly clients: readonly ListedClient[];
}

/** The registered devices of all networks. */
export interface Clients {
  /** Registers a device with what it is issued, in one step. */
  create(client: NewClient): Client;
  /** undefined where this network has no such client. */
  find(networkId: string, clientId: string): Client | undefined;
  /** @throws usage-invalid where this network has no such client */
  get(networkId: string, clientId: string): Client;
  count(networkId: string): number;
  /** The network's clients by the page; each page is read when it is asked for. */
  listPages(networkId: string): Iterable<ClientPage>;
  /** Overwrites what the caller says about the device, and notes the time. */
  reauthenticate(clientId: string, text: DeviceText): void;
  setProvideMode(clientId: string, mode: ProvideMode): void;
  /** Notes where the client is; false where there is no such client. */
  move(clientId: string, place: ClientPlace): boolean;
  /** Gives the client, with all that it has, to another network. */
  handOver(clientId: string, to: { readonly networkId: string; readonly description: string }): void;
}

const clientsPerPage = 200;
const fields =
  'clientId networkId deviceId sourceClientId description deviceSpec createdMs authenticatedMs provideMode';

/** The clients of this database; `now` is in Unix milliseconds. */
export function createClients(database: DatabaseSync, proxies: Proxies, now: () => number): Clients {
  const insert = database.prepare(insertInto('client', fields));
  const find = prepareFind<Client>(
    database,
    `select ${selectFields(fields)} from client where network_id = ? and client_id = ?`,
  );
  const count = prepareNumber(database, 'select count(*) from client where network_id = ?');
  const listNext = prepareList<ListedClient & { readonly sequence: number }>(
    database,
    `select ${selectFields(`sequence isOnline ${fields}`)} from client
     where network_id = ? and sequence > ? order by sequence limit ${clientsPerPage}`,
  );
  const authenticate = database.prepare(
    'update client set description = ?, device_spec = ?, authenticated_ms = ? where client_id = ?',
  );
  const setMode = database.prepare('update client set provide_mode = ? where client_id = ?');
  const setPlace = database.prepare('update client set city_id = ?, region_id = ?, country_id = ? where client_id = ?');
  const setOwner = database.prepare('update client set network_id = ?, description = ? where client_id = ?');
  const move = (clientId: string, { cityId, regionId, countryId }: ClientPlace) =>
    setPlace.run(cityId, regionId, countryId, clientId).changes > 0;
  return {
    create({ proxy, sourceClientId = null, authenticatedMs = now(), place, ...said }) {
      const ids = { clientId: randomUUID(), deviceId: randomUUID() };
      const client = { ...said, ...ids, sourceClientId, createdMs: now(), authenticatedMs };
      inTransaction(database, () => {
        insert.run(client);
        if (place !== undefined) move(client.clientId, place);
        if (proxy !== undefined) proxies.issue(client.clientId, proxy);
      });
      return client;
    },
    find,
    get(networkId, clientId) {
      const client = find(networkId, clientId);
      if (client === undefined) throw refuse('Client does not exist.');
      return client;
    },
    count,
    *listPages(networkId) {
      for (let afterSequence = 0, isLast = false; !isLast; ) {
        const clients = listNext(networkId, afterSequence);
        const lastSequence = clients.at(-1)?.sequence;
        if (lastSequence === undefined) return;
        yield { range: { networkId, afterSequence, lastSequence }, clients };
        afterSequence = lastSequence;
        isLast = clients.length < clientsPerPage;
      }
    },
    reauthenticate(clientId, { description, deviceSpec }) {
      authenticate.run(description, deviceSpec, now(), clientId);
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
