import type { DatabaseSync } from 'node:sqlite';
import { ensureDirectory } from '../system/files.ts';
import { inTransaction, openDatabase } from './database.ts';
import { createSeedClients } from './seed-clients.ts';
import { createPopulation, type PopulationOptions } from './seed-population.ts';

/** A world to be made up. */
export interface SeedOptions extends PopulationOptions {
  /** Of the database, which is made where it is not there. */
  readonly directory: string;
  /** Told now and then how many clients there are so far. */
  readonly onProgress: (clients: number) => void;
}

/** Enough to be fast, and little to be lost where somebody interrupts it. */
const clientsPerTransaction = 1000;
const clientsPerReport = 50;

/**
 * Adds simulated clients, with their networks and their past, to what is there; a service that is started on it leaves
 * them as they are. @throws already-running, state-unreadable, state-unwritable
 */
export async function seedWorld(options: SeedOptions): Promise<void> {
  await ensureDirectory(options.directory);
  const database = openDatabase(options.directory);
  try {
    seed(database, options);
  } finally {
    database.close();
  }
}

function seed(database: DatabaseSync, options: SeedOptions): void {
  const { clients, onProgress } = options;
  const addClient = createPopulation(database, options);
  const { addToNetwork } = createSeedClients(database);
  for (let from = 0; from < clients; from += clientsPerTransaction) {
    inTransaction(database, () => {
      const count = Math.min(clientsPerTransaction, clients - from);
      const added = Array.from({ length: count }, (_, index) => {
        if (index % clientsPerReport === 0) onProgress(from + index);
        return addClient(from + index);
      });
      for (const [networkId, ofNetwork] of Map.groupBy(added, (client) => client.networkId)) {
        const sequences = ofNetwork.map((client) => client.sequence);
        addToNetwork(networkId, { first: Math.min(...sequences), last: Math.max(...sequences) });
      }
    });
  }
  onProgress(clients);
}
