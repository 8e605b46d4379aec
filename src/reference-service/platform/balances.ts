import type { DatabaseSync } from 'node:sqlite';
import { GIB } from '../../lib/units.ts';
import { queryOn } from '../statements.ts';

/** What networks may still use of others' providers, in bytes. */
export interface Balances {
  read(networkId: string): number;
  set(networkId: string, bytes: number): void;
  /** Takes what was used. */
  spend(networkId: string, bytes: number): void;
}

/** What each network has at first: more than a sandbox uses. */
const firstBalance = 10_240 * GIB;

export function createBalances(database: DatabaseSync): Balances {
  const { run, findRow, insert } = queryOn(database);
  const read = (networkId: string): number =>
    findRow<{
      readonly bytes: number;
    }>`select bytes from transfer_balance where network_id = ${networkId}`?.bytes ?? firstBalance;
  const set = (networkId: string, bytes: number): void => {
    run`delete from transfer_balance where network_id = ${networkId}`;
    insert('transfer_balance', { networkId, bytes });
  };
  return {
    read,
    set,
    spend: (networkId, bytes) => set(networkId, Math.max(0, read(networkId) - bytes)),
  };
}
