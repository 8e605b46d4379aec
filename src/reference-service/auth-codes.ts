import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from './database.ts';
import { type CodeAlphabet, createSecretCode, hashSecretCode } from './secret-code.ts';

/** What a login code is good for (service-interface, "Limits"). */
export interface CodeTerms {
  readonly durationMinutes: number;
  readonly uses: number;
}

/** The login codes. */
export interface AuthCodes {
  /** A new code; only its hash is kept. */
  issue(networkId: string, terms: CodeTerms): string;
  /** The network's codes that are still good for a login. */
  countPending(networkId: string): number;
  /** Uses the code up by one: its network's id, or undefined where it is unknown, expired or used up. */
  redeem(code: string): string | undefined;
}

/** The login codes of this database; `now` is in Unix milliseconds. */
export function createAuthCodes(database: DatabaseSync, alphabet: CodeAlphabet, now: () => number): AuthCodes {
  const insert = database.prepare('insert into auth_code values (?, ?, ?, ?)');
  const forgetExpired = database.prepare('delete from auth_code where expires_ms <= ?');
  const forgetSpent = database.prepare('delete from auth_code where code_hash = ? and uses_left <= 0');
  const pending = database.prepare(
    'select count(*) as codes from auth_code where network_id = ? and expires_ms > ? and uses_left > 0',
  );
  const spend = database.prepare(
    `update auth_code set uses_left = uses_left - 1 where code_hash = ? and uses_left > 0 and expires_ms > ?
     returning network_id`,
  );
  return {
    issue(networkId, { durationMinutes, uses }) {
      const code = createSecretCode(alphabet);
      inTransaction(database, () => {
        forgetExpired.run(now());
        insert.run(hashSecretCode(code), networkId, Math.ceil(now() + durationMinutes * 60_000), uses);
      });
      return code;
    },
    countPending: (networkId) => Number(pending.get(networkId, now())?.codes),
    redeem: (code) =>
      inTransaction(database, () => {
        const codeHash = hashSecretCode(code);
        // `all` runs the statement to its end; `get` would stop at the returned row.
        const row = spend.all(codeHash, now())[0];
        forgetSpent.run(codeHash);
        return row === undefined ? undefined : String(row.network_id);
      }),
  };
}
