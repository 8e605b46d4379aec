import type { DatabaseSync } from 'node:sqlite';
import { queryOn } from '../statements.ts';
import type { Blocks } from './blocks.ts';

/**
 * Who is listed, that is, found by consumers. A client with an open socket is judged by its blocks;
 * one that comes by a tunnel alone has none, and is listed while it is connected.
 */
export interface Market {
  /** A client opened a socket. */
  enter(clientId: string): void;
  /** Judges everybody again; call it once a block. */
  review(): void;
}

/**
 * How many of the last whole blocks have to be valid, by how far the network looks back. Shares of
 * 95 and 70 percent are seen on its own server, where eight valid hours were too few and an hour
 * with every 18th block void was enough. So a block that is not there counts as a void one. What
 * else the network looks at is not known well enough to be copied.
 */
export const lookbacks = {
  hour: { blocks: 60, wanted: 57 },
  halfDay: { blocks: 720, wanted: 504 },
} as const;

/** Valid blocks by how far is looked back. The present block is not over, and is left out. */
export type LookedBack = Readonly<Record<keyof typeof lookbacks, number>>;

export function lookBack(blocks: Pick<Blocks, 'countValid'>, clientId: string): LookedBack {
  return {
    hour: blocks.countValid(clientId, lookbacks.hour.blocks),
    halfDay: blocks.countValid(clientId, lookbacks.halfDay.blocks),
  };
}

export function isListed({ hour, halfDay }: LookedBack): boolean {
  return hour >= lookbacks.hour.wanted && halfDay >= lookbacks.halfDay.wanted;
}

export function createMarket(database: DatabaseSync, blocks: Blocks): Market {
  const { run, listRows } = queryOn(database);
  const judge = (clientId: string): 0 | 1 => (isListed(lookBack(blocks, clientId)) ? 1 : 0);
  const note = (clientId: string, listed: 0 | 1): void =>
    run`update client set is_listed = ${listed} where client_id = ${clientId} and is_listed <> ${listed}`;

  return {
    enter: (clientId) => note(clientId, judge(clientId)),
    review() {
      const rows = listRows<Reviewed>`select client_id as clientId,
          exists (select 1 from open_socket where open_socket.client_id = client.client_id) as isOpen
        from client where is_listed = 0 or client_id in (select client_id from open_socket)`;
      for (const { clientId, isOpen } of rows) note(clientId, isOpen === 0 ? 1 : judge(clientId));
    },
  };
}

interface Reviewed {
  readonly clientId: string;
  readonly isOpen: 0 | 1;
}
