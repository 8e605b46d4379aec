import type { DatabaseSync } from 'node:sqlite';
import { queryOn } from '../statements.ts';
import type { LineResult } from './line-test.ts';

/** The open sockets in the database, for programs beside the service. */
export interface OpenSockets {
  /** Its number. `openedMs` is by the platform's clock. */
  add(clientId: string, openedMs: number): number;
  note(number: number, measured: LineResult): void;
  remove(number: number): void;
}

/** No socket is open when the service starts: one that was killed could not note that. */
export function createOpenSockets(database: DatabaseSync): OpenSockets {
  const { run, insert } = queryOn(database);
  run`delete from open_socket`;
  return {
    add: (clientId, openedMs) => insert('open_socket', { clientId, openedMs }),
    note: (number, { latencyMs, bytesPerSecond }) =>
      run`update open_socket set latency_ms = ${latencyMs ?? null}, bytes_per_second = ${bytesPerSecond ?? null}
        where number = ${number}`,
    remove: (number) => run`delete from open_socket where number = ${number}`,
  };
}
