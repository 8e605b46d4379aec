import type { DatabaseSync } from 'node:sqlite';
import { type CodeAlphabet, createSecretCode, hashSecretCode } from './codes.ts';
import { inTransaction } from './database.ts';
import { prepareOn, type Row } from './statements.ts';

/** What a login code is good for (service-interface, "Limits"). */
export interface CodeTerms {
  readonly durationMinutes: number;
  readonly uses: number;
}

/** The login codes of this database; `now` is in Unix milliseconds. */
export function createAuthCodes(database: DatabaseSync, alphabet: CodeAlphabet, now: () => number) {
  const { insert, prepareFind, prepareNumber } = prepareOn(database);
  const forgetExpired = database.prepare('delete from auth_code where expires_ms <= ?');
  const forgetSpent = database.prepare('delete from auth_code where code_hash = ? and uses_left <= 0');
  const countPending = prepareNumber<[networkId: string, nowMs: number]>(
    'select count(*) from auth_code where network_id = ? and expires_ms > ? and uses_left > 0',
  );
  const spend = prepareFind<Row<'networkId'>, [codeHash: string, nowMs: number]>(
    `update auth_code set uses_left = uses_left - 1 where code_hash = ? and uses_left > 0 and expires_ms > ?
     returning network_id as networkId`,
  );
  return {
    /** A new code; only its hash is kept. */
    issue(networkId: string, { durationMinutes, uses }: CodeTerms): string {
      const code = createSecretCode(alphabet);
      const expiresMs = Math.ceil(now() + durationMinutes * 60_000);
      inTransaction(database, () => {
        forgetExpired.run(now());
        insert('auth_code', { codeHash: hashSecretCode(code), networkId, expiresMs, usesLeft: uses });
      });
      return code;
    },
    /** The network's codes that are still good for a login. */
    countPending: (networkId: string) => countPending(networkId, now()),
    /** Uses the code up by one: its network's id, or undefined where it is unknown, expired or used up. */
    redeem: (code: string): string | undefined =>
      inTransaction(database, () => {
        const codeHash = hashSecretCode(code);
        const spent = spend(codeHash, now());
        forgetSpent.run(codeHash);
        return spent?.networkId;
      }),
  } as const;
}
