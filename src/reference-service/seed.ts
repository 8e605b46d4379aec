import type { DatabaseSync } from 'node:sqlite';
import { ensureOwnDirectory } from '../system/files.ts';
import { inTransaction, openDatabase } from './database.ts';
import { createPopulation, type PopulationOptions } from './seed-population.ts';
import { sumOnConflict } from './statements.ts';

/** A world to be made up. */
export interface SeedOptions extends PopulationOptions {
  /** Of the database, which is made where it is not there. */
  readonly directory: string;
  /** Told now and then how many clients there are so far. */
  readonly onProgress: (clients: number) => void;
}

/** Enough to be fast, and little to be lost where the seeding is interrupted. */
const clientsPerTransaction = 1000;
const clientsPerReport = 50;

/**
 * Adds simulated clients, with their networks and their past, to what is there; a service that is started on it leaves
 * them as they are. @throws already-running, state-unreadable, state-unwritable
 */
export async function seedWorld(options: SeedOptions): Promise<void> {
  const { clients, onProgress } = options;
  await ensureOwnDirectory(options.directory);
  using database = openDatabase(options.directory);
  const addClient = createPopulation(database, options);
  const addTotals = prepareTotals(database);
  for (let from = 0; from < clients; from += clientsPerTransaction) {
    const count = Math.min(clientsPerTransaction, clients - from);
    inTransaction(database, () => {
      const added = Array.from({ length: count }, (_, index) => {
        if (index % clientsPerReport === 0) onProgress(from + index);
        return addClient(from + index);
      });
      addTotals({ first: Math.min(...added), last: Math.max(...added) });
    });
  }
  onProgress(clients);
}

/** Adds to the networks what their clients with these numbers, both included, have done. */
function prepareTotals(database: DatabaseSync) {
  const addHours = database.prepare(
    `insert into network_hour
       select network_id, hour_ms, count(*), sum(online_ms) from client join usage_hour using (client_id)
       where sequence between :first and :last and online_ms > 0 group by network_id, hour_ms
     ${sumOnConflict('onlineClients onlineMs')}`,
  );
  const addBytes = database.prepare(
    `update network set provided_bytes = provided_bytes + bytes from (
       select network_id as provider, sum(rx_bytes + tx_bytes) as bytes
       from client join usage_day on usage_day.client = client.sequence
       where sequence between :first and :last group by network_id)
     where network_id = provider`,
  );
  return (sequences: { readonly first: number; readonly last: number }): void => {
    addHours.run(sequences);
    addBytes.run(sequences);
  };
}
