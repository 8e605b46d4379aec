import { randomBytes, scrypt } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { type CodeAlphabet, createSecretCode, hashSecretCode } from './codes.ts';
import { inTransaction } from './database.ts';
import { refuse } from './refusal.ts';
import { prepareOn, type Row } from './statements.ts';

const shortest = 8;
const longest = 1000;
const saltBytes = 16;
const hashBytes = 32;

/** The codes of this database that allow a new password; `now` is in Unix milliseconds. */
export function createPasswords(database: DatabaseSync, alphabet: CodeAlphabet, now: () => number) {
  const { insert, prepareFind } = prepareOn(database);
  const forgetExpired = database.prepare('delete from reset_code where expires_ms <= ?');
  const spend = prepareFind<Row<'networkId'>, [codeHash: string, nowMs: number]>(
    'delete from reset_code where code_hash = ? and expires_ms > ? returning network_id as networkId',
  );
  const setPassword = database.prepare('update network set password_hash = ? where network_id = ?');
  return {
    /** A new code, good once; only its hash is kept. */
    issueResetCode(networkId: string, durationMinutes: number): string {
      const code = createSecretCode(alphabet);
      inTransaction(database, () => {
        forgetExpired.run(now());
        const expiresMs = Math.ceil(now() + durationMinutes * 60_000);
        insert('reset_code', { codeHash: hashSecretCode(code), networkId, expiresMs });
      });
      return code;
    },
    /**
     * Sets the password of the network that the code was issued for. @throws usage-invalid: a password out of bounds, which
     * leaves the code as it is, or a code that is unknown, expired or used
     */
    async reset(code: string, password: string): Promise<void> {
      // Hashed before the code is looked at: a bad code is answered no sooner than a good one.
      const passwordHash = await hashPassword(password);
      inTransaction(database, () => {
        const spent = spend(hashSecretCode(code), now());
        if (spent === undefined) throw refuse('Invalid, expired or used reset code.');
        setPassword.run(passwordHash, spent.networkId);
      });
    },
  } as const;
}

/** What is kept of a password: `scrypt:SALT:HASH`, both base64url. @throws usage-invalid where it is out of bounds */
export async function hashPassword(password: string): Promise<string> {
  const length = [...password].length;
  if (length < shortest || length > longest) throw refuse(`A password has ${shortest} to ${longest} characters.`);
  const salt = randomBytes(saltBytes);
  const hash = await promisify<string, Buffer, number, Buffer>(scrypt)(password, salt, hashBytes);
  return ['scrypt', salt.toString('base64url'), hash.toString('base64url')].join(':');
}
