import type { DatabaseSync } from 'node:sqlite';
import type { Client } from './clients.ts';

/** Clients of one network that follow one another, by their numbers in the database. */
export interface ClientRange {
  readonly networkId: string;
  readonly afterSequence: number;
  readonly lastSequence: number;
}

/** A client as a list of them shows it. */
export interface ListedClient extends Client {
  readonly isOnline: boolean;
}

/** Some clients at a time, so that a list of thousands is never held at once. */
interface ClientPage {
  readonly range: ClientRange;
  /** Never empty, oldest first. */
  readonly clients: readonly ListedClient[];
}

/** A network's clients by the page; each page is read when it is asked for. */
export type ClientPages = (networkId: string) => Iterable<ClientPage>;

const clientsPerPage = 200;

/** The pages of this database. */
export function createClientPages(database: DatabaseSync): ClientPages {
  const next = database.prepare(
    `select sequence, client_id as clientId, network_id as networkId, device_id as deviceId,
       source_client_id as sourceClientId, description, device_spec as deviceSpec, created_ms as createdMs,
       authenticated_ms as authenticatedMs, provide_mode as provideMode, is_online as isOnline
     from client where network_id = ? and sequence > ? order by sequence limit ${clientsPerPage}`,
  );
  return function* listPages(networkId) {
    let afterSequence = 0;
    for (;;) {
      const rows = next.all(networkId, afterSequence);
      const lastSequence = Number(rows.at(-1)?.sequence);
      if (rows.length === 0) return;
      const clients = rows.map((row) => ({ ...row, isOnline: row.isOnline === 1 }) as unknown as ListedClient);
      yield { range: { networkId, afterSequence, lastSequence }, clients };
      if (rows.length < clientsPerPage) return;
      afterSequence = lastSequence;
    }
  };
}
