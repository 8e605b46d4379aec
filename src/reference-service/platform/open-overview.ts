import { ensureOwnDirectory } from '../../system/files.ts';
import { openDatabase } from '../database.ts';
import { createOverview, type Overview } from './overview.ts';

/** The overview of a directory's database, until it is closed. */
export interface OpenOverview {
  readonly overview: Overview;
  close(): void;
}

/** @throws state-unreadable, state-unwritable */
export async function openOverview(directory: string): Promise<OpenOverview> {
  await ensureOwnDirectory(directory);
  const database = openDatabase(directory);
  return { overview: createOverview(database), close: () => database.close() };
}
