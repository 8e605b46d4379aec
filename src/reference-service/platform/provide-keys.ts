import type { DatabaseSync } from 'node:sqlite';
import type { ProvideKey } from '../../connect/wire/control-messages.ts';
import { provideModes } from '../../connect/wire/message-types.ts';
import type { ProvideMode } from '../../service/profiles.ts';
import { inTransaction } from '../database.ts';
import { queryOn } from '../statements.ts';

/** The secrets that clients published, by which contracts to them are signed. */
export interface ProvideKeys {
  /**
   * Replaces the client's whole set, and notes for whom it provides: the platform gives a provider
   * to its own network, or to everybody, and a client with neither key to nobody.
   */
  publish(clientId: string, keys: readonly ProvideKey[]): void;
  /** Undefined where the client does not publish this mode. */
  find(clientId: string, mode: number): Buffer | undefined;
}

export function createProvideKeys(database: DatabaseSync): ProvideKeys {
  const { run, findRow, insert } = queryOn(database);
  return {
    publish(clientId, keys) {
      inTransaction(database, () => {
        run`delete from provide_key where client_id = ${clientId}`;
        // Of two keys of one mode, the last one counts.
        const byMode = new Map(keys.map(({ mode, secret }) => [mode, secret.toString('base64')]));
        for (const [mode, secret] of byMode) insert('provide_key', { clientId, mode, secret });
        const provideMode = toProvideMode(keys.map(({ mode }) => mode));
        run`update client set provide_mode = ${provideMode}, has_published = 1 where client_id = ${clientId}`;
      });
    },
    find(clientId, mode) {
      const row = findRow<{ readonly secret: string }>`select secret from provide_key
        where client_id = ${clientId} and mode = ${mode}`;
      return row === undefined ? undefined : Buffer.from(row.secret, 'base64');
    },
  };
}

/** The widest offer in a set of published modes. Who publishes only Stream provides to nobody. */
function toProvideMode(modes: readonly number[]): ProvideMode {
  if (modes.includes(provideModes.public)) return 'public';
  if (modes.includes(provideModes.friendsAndFamily)) return 'friends';
  return modes.includes(provideModes.network) ? 'network' : 'none';
}
