import { chmodSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { rethrow } from '../lib/errors.ts';
import { firstVersion, migrations } from './schema.ts';

/** Opens or makes a directory's database, up to date. @throws already-running, state-unreadable, state-unwritable */
export function openDatabase(directory: string): DatabaseSync {
  const path = join(directory, 'reference-service.sqlite');
  createPrivateFile(path);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    // One process has it: the kernel's lock ends with the process. Locking comes before WAL: no shared memory.
    // Synchronous: what is written is on the disk before it is answered.
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full;');
    database.exec('pragma foreign_keys = on; pragma busy_timeout = 0; begin exclusive; commit;');
    migrate(database);
    return database;
  } catch (error) {
    database?.close();
    const isLocked = (error as { errcode?: unknown }).errcode === 5;
    if (isLocked) return rethrow('already-running', `opening ${path}`)(new Error('another service has it open'));
    return rethrow('state-unreadable', `opening ${path}`)(error);
  }
}

/** Runs the work in one transaction: all of it lasts, or none. Inside another one it is a part of that. */
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

/** A value that is made once and then kept for ever: a signing key, a port. */
export function keepSetting(database: DatabaseSync, name: string, create: () => string): string {
  const row = database.prepare('select value from setting where name = ?').get(name);
  if (row !== undefined) return String(row.value);
  const value = create();
  setSetting(database, name, value);
  return value;
}

export function setSetting(database: DatabaseSync, name: string, value: string): void {
  database.prepare('insert or replace into setting (name, value) values (?, ?)').run(name, value);
}

function migrate(database: DatabaseSync): void {
  const version = Number(database.prepare('pragma user_version').get()?.user_version ?? 0);
  const lastVersion = firstVersion + migrations.length - 1;
  if (version > lastVersion || (version > 0 && version < firstVersion)) {
    throw new Error(`it has schema ${version}, this program knows ${firstVersion} to ${lastVersion}`);
  }
  for (const [index, script] of migrations.entries()) {
    const next = firstVersion + index;
    if (next > version) inTransaction(database, () => database.exec(`${script}; pragma user_version = ${next}`));
  }
}

/** The database holds private keys: its file (and so the log beside it) is the owner's alone from its first byte. */
function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
  } catch (error) {
    rethrow('state-unwritable', `opening ${path}`)(error);
  }
}
