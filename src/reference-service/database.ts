import { chmodSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { acquireLock } from '../system/lock.ts';
import { rethrow } from './errors.ts';
import { schema, schemaVersion } from './schema.ts';

/** The setting in which the service notes where it listens, for programs beside it. */
export const baseUrlSetting = 'base-url';
/** In ms. An administrator's command may write beside the service, but only for moments. */
const patienceMs = 5000;

/**
 * Keeps other services, and seeding, out of a directory.
 * @throws already-running, state-unwritable
 */
export const lockDirectory = (directory: string) =>
  acquireLock(join(directory, 'service.lock'), 'service');

/**
 * Opens a directory's database, or makes it. Several processes may have it open.
 * @throws state-unreadable, state-unwritable
 */
export function openDatabase(directory: string): DatabaseSync {
  const path = join(directory, 'reference-service.sqlite');
  createPrivateFile(path);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: patienceMs });
    // `synchronous = full` puts everything on the disk before it is answered.
    database.exec(
      'pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;',
    );
    createSchema(database);
    return database;
  } catch (error) {
    database?.close();
    return rethrow('state-unreadable', `opening ${path}`)(error);
  }
}

/**
 * Runs the work in one transaction: all of it lasts, or nothing. Within another transaction it is a
 * part of that.
 */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  if (database.isTransaction) return work();
  database.exec('begin immediate');
  try {
    const result = work();
    database.exec('commit');
    return result;
  } catch (error) {
    database.exec('rollback');
    throw error;
  }
}

/** A value that is made once and kept for ever, such as a signing key or a port. */
export function keepSetting(database: DatabaseSync, name: string, create: () => string): string {
  // If two processes make the value, the first one's is used.
  if (readSetting(database, name) === undefined) {
    database
      .prepare('insert or ignore into setting (name, value) values (?, ?)')
      .run(name, create());
  }
  return String(readSetting(database, name));
}

/** Undefined for a value that was never set. */
export function readSetting(database: DatabaseSync, name: string): string | undefined {
  const value = database.prepare('select value from setting where name = ?').get(name)?.value;
  return value === undefined ? undefined : String(value);
}

export function setSetting(database: DatabaseSync, name: string, value: string): void {
  database.prepare('insert or replace into setting (name, value) values (?, ?)').run(name, value);
}

function createSchema(database: DatabaseSync): void {
  inTransaction(database, () => {
    const version = Number(database.prepare('pragma user_version').get()?.user_version);
    if (version === 0) database.exec(`${schema}; pragma user_version = ${schemaVersion}`);
    else if (version !== schemaVersion)
      throw new Error(`it has schema ${version}, this program ${schemaVersion}`);
  });
}

/**
 * The database holds private keys. So its file, and with it the log beside it, is private from its
 * first byte.
 */
function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
  } catch (error) {
    rethrow('state-unwritable', `opening ${path}`)(error);
  }
}
