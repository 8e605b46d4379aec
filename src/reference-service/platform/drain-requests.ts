import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { readSetting, setSetting } from '../database.ts';

/** An administrator's wish that the host drains. */
export interface DrainRequest {
  /** Another one for each wish. */
  readonly id: string;
  /** For so many seconds, upgrades are refused as by a host that drains. */
  readonly refuseSeconds: number;
}

/** Wishes of the administrator, who may be another process. */
export interface DrainRequests {
  add(request: Omit<DrainRequest, 'id'>): void;
  /** Undefined where there never was one. */
  last(): DrainRequest | undefined;
}

const setting = 'platform-drain';

export function createDrainRequests(database: DatabaseSync): DrainRequests {
  return {
    add: (request) =>
      setSetting(database, setting, JSON.stringify({ id: randomUUID(), ...request })),
    last() {
      const kept = readSetting(database, setting);
      return kept === undefined ? undefined : (JSON.parse(kept) as DrainRequest);
    },
  };
}
