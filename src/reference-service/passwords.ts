import { randomBytes, scrypt } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from './database.ts';
import { refuse } from './error-object.ts';
import { type CodeAlphabet, createSecretCode, hashSecretCode } from './secret-code.ts';

/** The codes that allow a new password. */
export interface Passwords {
  /** A new code, good once; only its hash is kept. */
  issueResetCode(networkId: string, durationMinutes: number): string;
  /**
   * Sets the password of the network that the code stands for. @throws usage-invalid: a password out of bounds, which
   * leaves the code as it is, or a code that is unknown, expired or used
   */
  reset(code: string, password: string): Promise<void>;
}

const shortest = 8;
const longest = 1000;
const saltBytes = 16;
const hashBytes = 32;

/** The reset codes of this database; `now` is in Unix milliseconds. */
export function createPasswords(database: DatabaseSync, alphabet: CodeAlphabet, now: () => number): Passwords {
  const insert = database.prepare('insert into reset_code values (?, ?, ?)');
  const forgetExpired = database.prepare('delete from reset_code where expires_ms <= ?');
  const spend = database.prepare('delete from reset_code where code_hash = ? and expires_ms > ? returning network_id');
  const setPassword = database.prepare('update network set password_hash = ? where network_id = ?');
  return {
    issueResetCode(networkId, durationMinutes) {
      const code = createSecretCode(alphabet);
      inTransaction(database, () => {
        forgetExpired.run(now());
        insert.run(hashSecretCode(code), networkId, Math.ceil(now() + durationMinutes * 60_000));
      });
      return code;
    },
    async reset(code, password) {
      // Hashed before the code is looked at: a bad code is answered no sooner than a good one.
      const passwordHash = await hashPassword(password);
      const isSet = inTransaction(database, () => {
        const row = spend.all(hashSecretCode(code), now())[0];
        if (row !== undefined) setPassword.run(passwordHash, String(row.network_id));
        return row !== undefined;
      });
      if (!isSet) throw refuse('Invalid, expired or used reset code.');
    },
  };
}

/** What is kept of a password: `scrypt:SALT:HASH`, both base64url. @throws usage-invalid where it is out of bounds */
export async function hashPassword(password: string): Promise<string> {
  const length = [...password].length;
  if (length < shortest || length > longest) {
    throw refuse(`A password has ${shortest} to ${longest} characters.`);
  }
  const salt = randomBytes(saltBytes);
  const hash = await derive(password, salt);
  return ['scrypt', salt.toString('base64url'), hash.toString('base64url')].join(':');
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashBytes, (error, hash) => (error === null ? resolve(hash) : reject(error)));
  });
}
