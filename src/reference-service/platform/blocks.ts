import type { DatabaseSync } from 'node:sqlite';
import { provideModes } from '../../connect/wire/message-types.ts';
import { inTransaction } from '../database.ts';
import { queryOn, sql } from '../statements.ts';

/**
 * The blocks of a minute by which a provider is judged: one counts where the provider was
 * connected, did not come back more than once, published for whom it provides and did not change
 * it, and said something.
 */
export interface Blocks {
  /** What sockets did since the last time, each noted in the block of its time. */
  sync(of: readonly SocketSync[]): void;
  /** A connected client published its secrets, also if they are the same as before. */
  noteChange(clientId: string): void;
  /** How the client did since that time, by the platform's clock. */
  judge(clientId: string, sinceMs: number): Judgement;
  /** How many of so many blocks before the present one were valid. */
  countValid(clientId: string, blocks: number): number;
}

export interface SocketSync {
  readonly clientId: string;
  /** It is the socket's first sync. */
  readonly isNew: boolean;
  /** Messages that it received since the last one. */
  readonly messages: number;
  /** When it is noted, by the platform's clock. */
  readonly atMs: number;
}

interface Judgement {
  readonly blocks: number;
  readonly valid: number;
}

const blockMs = 60_000;
const keptMs = 24 * 60 * 60_000;

/** A socket is noted first when it is so old, in ms of the platform's clock, and then at times. */
export const firstSyncAfter = 35_000;
export const syncEvery = 30_000;

/** `now` is the platform's clock. */
export function createBlocks(database: DatabaseSync, now: () => number): Blocks {
  const { run, findRow, readNumber } = queryOn(database);
  const valid = sql`connections <= 1 and established >= 1 and published >= 1 and changes = 0 and messages >= 1`;
  const toBlock = (atMs: number): number => Math.floor(atMs / blockMs) * blockMs;

  const isPublished = (clientId: string): number =>
    readNumber`select exists (select 1 from provide_key
      where client_id = ${clientId} and mode in (${provideModes.network}, ${provideModes.public}))`;

  const add = (of: {
    readonly clientId: string;
    readonly connections: number;
    readonly established: number;
    readonly changes: number;
    readonly messages: number;
    readonly atMs: number;
  }): void => {
    const { clientId, connections, established, changes, messages, atMs } = of;
    run`insert into reliability_block
      values (${clientId}, ${toBlock(atMs)}, ${connections}, ${established}, ${isPublished(clientId)}, ${changes}, ${messages})
      on conflict do update set connections = connections + excluded.connections,
        established = established + excluded.established, published = max(published, excluded.published),
        changes = changes + excluded.changes, messages = messages + excluded.messages`;
  };

  return {
    sync(of) {
      if (of.length === 0) return;
      inTransaction(database, () => {
        for (const { isNew, ...sync } of of)
          add({ ...sync, connections: Number(isNew), established: 1, changes: 0 });
        run`delete from reliability_block where block_ms < ${now() - keptMs}`;
      });
    },
    noteChange: (clientId) =>
      add({ clientId, connections: 0, established: 0, changes: 1, messages: 0, atMs: now() }),
    judge: (clientId, sinceMs) =>
      findRow<Judgement>`select count(*) as blocks, coalesce(sum(${valid}), 0) as valid
        from reliability_block where client_id = ${clientId} and block_ms >= ${sinceMs}` ?? {
        blocks: 0,
        valid: 0,
      },
    countValid(clientId, blocks) {
      const presentMs = toBlock(now());
      return readNumber`select count(*) from reliability_block where client_id = ${clientId} and ${valid}
        and block_ms >= ${presentMs - blocks * blockMs} and block_ms < ${presentMs}`;
    },
  };
}
