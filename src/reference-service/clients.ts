import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { ProvideMode } from '../service/profiles.ts';
import { inTransaction } from './database.ts';
import type { Proxies, ProxyRequest } from './proxies.ts';
import { refuse } from './refusal.ts';
import { type ClientRange, queryOn, raw, selectFields, sql } from './statements.ts';
import type { ClientPlace } from './world.ts';

const fields =
  'clientId networkId deviceId sourceClientId description deviceSpec createdMs authenticatedMs provideMode';
const listedFields = `sequence isOnline deviceName hasPublished ${fields}`;

/** A device, or what represents another network's device. Times are in ms since 1970. */
export interface Client {
  readonly clientId: string;
  readonly networkId: string;
  readonly deviceId: string;
  /** The client of another network that it represents; null for a device of this network. */
  readonly sourceClientId: string | null;
  readonly description: string;
  readonly deviceSpec: string;
  readonly createdMs: number;
  /** 0 for a client that never authenticated. */
  readonly authenticatedMs: number;
  readonly provideMode: ProvideMode;
}

export interface ListedClient extends Client {
  /** Lower for the client that was registered earlier. */
  readonly sequence: number;
  readonly isOnline: 0 | 1;
  /** What it was called by set-name; null to call it by its description. */
  readonly deviceName: string | null;
  /** 1 once its mode was set, or published by the client itself. */
  readonly hasPublished: 0 | 1;
}

interface NewClient
  extends Pick<Client, 'networkId' | 'description' | 'deviceSpec' | 'provideMode'> {
  readonly sourceClientId?: string | undefined;
  readonly proxy?: ProxyRequest | undefined;
  /** The present by default; 0 for a client that never authenticated. */
  readonly authenticatedMs?: number | undefined;
  /** The world's home by default. */
  readonly place?: ClientPlace | undefined;
}

/** undefined for what the request does not mention. */
type Said = Readonly<Record<'description' | 'deviceSpec', string | undefined>>;

const clientsPerPage = 200;
/** The id of the network of removed clients, and what is listed where none is named. */
export const nobodys = '00000000-0000-0000-0000-000000000000';

/** Some clients of a network, oldest first, and where they are in the database. */
interface ClientPage {
  readonly range: ClientRange;
  readonly clients: readonly ListedClient[];
}

/** The clients of all networks; what is changed is in the database when the call returns. */
export interface Clients {
  create(client: NewClient): Client;
  /** undefined for a client that this network does not have. */
  find(networkId: string, clientId: string): Client | undefined;
  /**
   * The client of this network with this id.
   * @throws usage-invalid if it has no such client
   */
  get(networkId: string, clientId: string): Client;
  /** The network of any client; undefined for an unknown one. */
  networkOf(clientId: string): string | undefined;
  count(networkId: string): number;
  /**
   * The network's clients, or only this one, in pages, oldest first. A page is read when it is
   * asked for, and no page is empty.
   */
  listPages(networkId: string, clientId?: string): IteratorObject<ClientPage>;
  /** Notes that the client authenticates now. Fields that are undefined keep their values. */
  reauthenticate(clientId: string, said: Said): void;
  setProvideMode(clientId: string, mode: ProvideMode): void;
  move(clientId: string, place: ClientPlace): void;
  /** Makes it a client of this network, by this name. */
  handOver(clientId: string, to: Pick<Client, 'networkId' | 'description'>): void;
  /** Gives the network's clients on this hardware a name. False where it has none there. */
  rename(networkId: string, deviceId: string, deviceName: string): boolean;
  /** Takes it out of its network, for good. What it provided stays counted. */
  remove(clientId: string): void;
}

/** The clients of this database; `now` is in ms since 1970. */
export function createClients(
  database: DatabaseSync,
  proxies: Proxies,
  now: () => number,
): Clients {
  const { insert, run, findRow, listRows, readNumber } = queryOn(database);
  const find = (networkId: string, clientId: string) =>
    findRow<Client>`select ${selectFields(fields)} from client
      where network_id = ${networkId} and client_id = ${clientId}`;
  const move = (clientId: string, { cityId, regionId, countryId }: ClientPlace) =>
    run`update client set city_id = ${cityId}, region_id = ${regionId}, country_id = ${countryId}
      where client_id = ${clientId}`;

  return {
    create({ proxy, authenticatedMs = now(), place, ...said }) {
      const ids = { clientId: randomUUID(), deviceId: randomUUID() };
      const sourceClientId = said.sourceClientId ?? null;
      const client = { ...said, ...ids, sourceClientId, createdMs: now(), authenticatedMs };
      inTransaction(database, () => {
        insert('client', client);
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
    networkOf: (clientId) =>
      findRow<Pick<Client, 'networkId'>>`select network_id as networkId from client
        where client_id = ${clientId}`?.networkId,
    count: (networkId) => readNumber`select count(*) from client where network_id = ${networkId}`,
    *listPages(networkId, clientId) {
      const which = clientId === undefined ? raw('true') : sql`client_id = ${clientId}`;
      for (let afterSequence = 0, isLast = false; !isLast; ) {
        const clients = listRows<ListedClient>`select ${selectFields(listedFields)} from client
          where network_id = ${networkId} and ${which} and sequence > ${afterSequence}
          order by sequence limit ${clientsPerPage}`;
        const [first, last] = [clients[0]?.sequence, clients.at(-1)?.sequence];
        if (first === undefined || last === undefined) return;
        yield { range: { networkId, afterSequence: first - 1, lastSequence: last }, clients };
        afterSequence = last;
        isLast = clients.length < clientsPerPage;
      }
    },
    reauthenticate: (clientId, said) =>
      run`update client set authenticated_ms = ${now()}, description = coalesce(${said.description ?? null}, description),
        device_spec = coalesce(${said.deviceSpec ?? null}, device_spec) where client_id = ${clientId}`,
    setProvideMode: (clientId, mode) =>
      run`update client set provide_mode = ${mode}, has_published = 1 where client_id = ${clientId}`,
    move,
    handOver: (clientId, { networkId, description }) =>
      run`update client set network_id = ${networkId}, description = ${description}, device_name = null where client_id = ${clientId}`,
    rename: (networkId, deviceId, deviceName) =>
      findRow`update client set device_name = ${deviceName}
        where network_id = ${networkId} and device_id = ${deviceId} returning client_id` !==
      undefined,
    // Statistics refer to clients, so a removed one is kept, in a network that nobody owns.
    remove: (clientId) =>
      inTransaction(database, () => {
        run`insert into network (network_id, network_name, user_id, created_ms, kind)
          values (${nobodys}, '', ${nobodys}, ${now()}, 'removed') on conflict do nothing`;
        run`delete from tunnel where client_id = ${clientId}`;
        run`delete from proxy where client_id = ${clientId}`;
        run`update client set network_id = ${nobodys}, provide_mode = 'none', is_online = 0, is_simulated = 0
          where client_id = ${clientId}`;
      }),
  };
}
