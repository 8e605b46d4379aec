import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../lib/errors.ts';
import { acquireLock } from '../system/lock.ts';
import { rethrow, SandboxError } from './errors.ts';
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
 * Opens a directory's database, or makes it. Several processes may have it open. `warn` hears of a
 * database that is there and holds nothing: a power cut may have left it so.
 * @throws state-unreadable, state-unwritable, usage-invalid for data of another version
 */
export function openDatabase(
  directory: string,
  warn: (message: string) => void = () => undefined,
): DatabaseSync {
  const path = join(directory, 'reference-service.sqlite');
  const wasThere = existsSync(path);
  createPrivateFile(path);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: patienceMs });
    // `synchronous = full` puts everything on the disk before it is answered.
    database.exec(
      'pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;',
    );
    const isNew = createSchema(database, path);
    if (isNew && wasThere)
      warn(
        `${path} holds nothing: a new service begins; what an earlier one may have kept is lost`,
      );
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof SandboxError) throw error;
    return rethrow(
      isOfWriting(error) ? 'state-unwritable' : 'state-unreadable',
      `opening ${path}`,
    )(error);
  }
}

/** SQLite's words for a disk that takes nothing. */
const isOfWriting = (error: unknown) =>
  /disk is full|disk I\/O error|readonly database/.test(messageOf(error));

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
    // Where the disk is full, SQLite has rolled back already.
    if (database.isTransaction) database.exec('rollback');
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

/**
 * Makes the tables of a database that has none; true where it did.
 * @throws usage-invalid for the tables of another version
 */
function createSchema(database: DatabaseSync, path: string): boolean {
  return inTransaction(database, () => {
    const version = Number(database.prepare('pragma user_version').get()?.user_version);
    if (version !== 0 && version !== schemaVersion) throw createVersionError(version, path);
    if (version === 0) database.exec(`${schema}; pragma user_version = ${schemaVersion}`);
    return version === 0;
  });
}

function createVersionError(version: number, path: string): SandboxError {
  const isNewer = version > schemaVersion;
  return new SandboxError(
    'usage-invalid',
    `opening ${path}: ${isNewer ? 'a newer' : 'an older'} version of this program made it (schema ${version}, this program has ${schemaVersion})`,
    {
      action: isNewer
        ? 'Install the newer version again, or give another directory with --data.'
        : 'Run it with the older version, or move it away to begin a new service.',
    },
  );
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
