import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from '../../../src/reference-service/database.ts';
import type { ReferenceService } from '../../../src/reference-service/server.ts';
import {
  createUsageRepository,
  noUsage,
  type Usage,
} from '../../../src/reference-service/usage.ts';
import { start } from '../reference-caller.ts';

/** A service that is to be stopped for a moment. */
interface Stoppable {
  readonly service: ReferenceService;
  readonly dataDirectory: string;
  readonly clock: { readonly nowMs: number };
}

/**
 * Changes the database as nothing but the service itself can: stops it, and starts it again at the
 * same address.
 */
export async function whileStopped(
  { service, dataDirectory, clock }: Stoppable,
  change: (database: DatabaseSync) => void,
): Promise<ReferenceService> {
  const { profile, baseUrl } = service;
  await service.close();
  const database = openDatabase(dataDirectory);
  try {
    change(database);
  } finally {
    database.close();
  }
  const listen = { address: '127.0.0.1', port: Number(new URL(baseUrl).port) };
  return start({ directory: dataDirectory, profile, listen, now: () => clock.nowMs });
}

/** Adds to a client's usage, at the hour of `atMs`; who is connected stays as it is. */
export function addUsage(
  database: DatabaseSync,
  usage: Partial<Usage> & { readonly clientId: string; readonly atMs: number },
): void {
  const stretch = {
    ...noUsage,
    ...usage,
    isConnected: false,
    consumerBytes: 0,
    bytesPerSecond: undefined,
  };
  createUsageRepository(database).add([stretch]);
}
