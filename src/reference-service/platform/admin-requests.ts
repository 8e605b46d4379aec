import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { readSetting, setSetting } from '../database.ts';

/** Wishes of one kind of the administrator, who may be another process. */
export interface AdminRequests<Of> {
  add(request: Of): void;
  /** The last one, with another id for each; undefined where there never was one. */
  last(): (Of & { readonly id: string }) | undefined;
}

/** That the host drains. */
export interface DrainRequest {
  /** For so many seconds, upgrades are refused as by a host that drains. */
  readonly refuseSeconds: number;
}

/** That the platform's clock goes so many times as fast from now on. */
export interface HastenRequest {
  readonly rate: number;
}

export function createDrainRequests(database: DatabaseSync): AdminRequests<DrainRequest> {
  return createRequests(database, 'platform-drain');
}

export function createHastenRequests(database: DatabaseSync): AdminRequests<HastenRequest> {
  return createRequests(database, 'platform-hasten');
}

function createRequests<Of extends object>(
  database: DatabaseSync,
  setting: string,
): AdminRequests<Of> {
  return {
    add: (request) =>
      setSetting(database, setting, JSON.stringify({ id: randomUUID(), ...request })),
    last() {
      const kept = readSetting(database, setting);
      // It was written above, by this program.
      return kept === undefined ? undefined : (JSON.parse(kept) as Of & { readonly id: string });
    },
  };
}
