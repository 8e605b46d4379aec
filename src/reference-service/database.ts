import { chmodSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, TributaryError } from '../lib/errors.ts';

/**
 * Opens (or makes) the database of a data directory, brought up to date. What is written is on the disk before it is
 * answered; one process at a time has it. @throws already-running, state-unreadable, state-unwritable
 */
export function openDatabase(directory: string): DatabaseSync {
  const path = join(directory, 'reference-service.sqlite');
  createPrivateFile(path);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    // The lock is the kernel's, so it ends with the process however that ends. Locking comes before WAL: no shared memory.
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full;');
    database.exec('pragma foreign_keys = on; pragma busy_timeout = 0; begin exclusive; commit;');
    migrate(database);
    return database;
  } catch (error) {
    database?.close();
    throw toDatabaseError(path, error);
  }
}

/** Runs the work in one transaction: all of it lasts, or none. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
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
  database.prepare('insert into setting (name, value) values (?, ?)').run(name, value);
  return value;
}

/** Replaces what is kept under the name. */
export function setSetting(database: DatabaseSync, name: string, value: string): void {
  database.prepare('insert or replace into setting (name, value) values (?, ?)').run(name, value);
}

/** One entry a version: entry 0 leads to `user_version` 1. Entries are never changed, only added. */
const migrations: readonly string[] = [
  `create table setting (name text primary key, value text not null) strict;
   create table network (
     network_id text primary key, network_name text not null, user_id text not null, created_ms integer not null
   ) strict;
   create table auth_code (
     code_hash text primary key, network_id text not null references network,
     expires_ms integer not null, uses_left integer not null
   ) strict;
   create table client (
     sequence integer primary key autoincrement, client_id text not null unique,
     network_id text not null references network,
     device_id text not null, source_client_id text, description text not null, device_spec text not null,
     created_ms integer not null, authenticated_ms integer not null, provide_mode text not null
   ) strict;
   create index client_network on client (network_id, sequence);
   create table proxy (
     client_id text primary key references client (client_id), instance_id text not null, auth_token text
   ) strict;
   create table tunnel (
     number integer primary key autoincrement, client_id text not null unique references client (client_id),
     private_key text not null, public_key text not null unique
   ) strict;
   create table usage_hour (
     client_id text not null references client (client_id), hour_ms integer not null,
     rx_bytes integer not null, tx_bytes integer not null, online_ms integer not null, sessions integer not null,
     primary key (client_id, hour_ms)
   ) strict, without rowid;
   create table connection (
     connection_id text primary key, client_id text not null references client (client_id),
     connected_ms integer not null, disconnected_ms integer
   ) strict;
   create index connection_client on connection (client_id, connected_ms);`,
];

function migrate(database: DatabaseSync): void {
  const version = Number(database.prepare('pragma user_version').get()?.user_version ?? 0);
  if (version > migrations.length) {
    throw new Error(`it was written by a newer version (schema ${version}, this program knows ${migrations.length})`);
  }
  for (const [index, script] of migrations.entries()) {
    if (index >= version) inTransaction(database, () => database.exec(`${script}; pragma user_version = ${index + 1}`));
  }
}

/** The database holds private keys: its file (and so the log beside it) is the owner's alone from its first byte. */
function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
  } catch (error) {
    throw new TributaryError('state-unwritable', `opening ${path}: ${messageOf(error)}`, { cause: error });
  }
}

function toDatabaseError(path: string, error: unknown): TributaryError {
  const isLocked = (error as { errcode?: unknown }).errcode === 5;
  const what = isLocked ? 'another service has it open' : messageOf(error);
  return new TributaryError(isLocked ? 'already-running' : 'state-unreadable', `opening ${path}: ${what}`, {
    cause: error,
  });
}
