import type { DatabaseSync } from 'node:sqlite';
import { GIB } from '../../lib/units.ts';
import { queryOn } from '../statements.ts';

/** What networks may still use of others' providers, in bytes. */
export interface Money {
  balance(networkId: string): number;
  setBalance(networkId: string, bytes: number): void;
  /** Takes what was used. */
  spend(networkId: string, bytes: number): void;
}

/** What each network has at first: more than a sandbox uses. */
const firstBalance = 10_240 * GIB;

export function createMoney(database: DatabaseSync): Money {
  const { run, findRow, insert } = queryOn(database);
  const balance = (networkId: string): number =>
    findRow<{
      readonly bytes: number;
    }>`select bytes from transfer_balance where network_id = ${networkId}`?.bytes ?? firstBalance;
  const setBalance = (networkId: string, bytes: number): void => {
    run`delete from transfer_balance where network_id = ${networkId}`;
    insert('transfer_balance', { networkId, bytes });
  };
  return {
    balance,
    setBalance,
    spend: (networkId, bytes) => setBalance(networkId, Math.max(0, balance(networkId) - bytes)),
  };
}
