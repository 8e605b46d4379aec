import { hash, randomBytes, randomInt, scrypt } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { inTransaction } from './database.ts';
import { refuse } from './refusal.ts';
import { queryOn, type Row, raw } from './statements.ts';

/** The characters of secret codes: letters and digits, or those of base64url. */
export type CodeAlphabet = 'alphanumeric' | 'base64url';

const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** Capitals and digits that are not mistaken for one another: no I, O, 0 and 1. */
const unmistakable = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** A code that cannot be guessed. In base64url one in four begins with `-`, as real ones may (production-profile, "Tokens"). */
export function createSecretCode(alphabet: CodeAlphabet): string {
  if (alphabet === 'alphanumeric') return pickCharacters(lettersAndDigits, 32);
  const code = randomBytes(32).toString('base64url');
  return randomInt(4) === 0 ? `-${code.slice(1)}` : code;
}

/** What is kept of a secret code: enough to know it again, not enough to use it. */
const hashSecretCode = (code: string) => hash('sha256', code);

/** A share or adopt code: 50 random bits that can be read aloud. */
export function createAssociationCode(): string {
  return pickCharacters(unmistakable, 10);
}

function pickCharacters(alphabet: string, count: number): string {
  return Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** What a login code is good for (service-interface, "Limits"). */
export type CodeTerms = Readonly<Record<'durationMinutes' | 'uses', number>>;

/** The login codes of this database, and those that allow a new password; `now` is in Unix milliseconds. */
export function createCodes(database: DatabaseSync, alphabet: CodeAlphabet, now: () => number) {
  const { insert, run, findRow, readNumber } = queryOn(database);

  /** Makes a code that is kept in this table until it expires: only its hash is. */
  function issue(table: 'auth_code' | 'reset_code', durationMinutes: number, row: Record<string, string | number>) {
    const code = createSecretCode(alphabet);
    const expiresMs = Math.ceil(now() + durationMinutes * 60_000);
    return inTransaction(database, () => {
      run`delete from ${raw(table)} where expires_ms <= ${now()}`;
      insert(table, { codeHash: hashSecretCode(code), expiresMs, ...row });
      return code;
    });
  }

  return {
    issueLoginCode: (networkId: string, { durationMinutes, uses }: CodeTerms): string =>
      issue('auth_code', durationMinutes, { networkId, usesLeft: uses }),
    /** Good once. */
    issueResetCode: (networkId: string, durationMinutes: number) => issue('reset_code', durationMinutes, { networkId }),
    countPending: (networkId: string) =>
      readNumber`select count(*) from auth_code
        where network_id = ${networkId} and expires_ms > ${now()} and uses_left > 0`,
    /** Uses the login code up by one: its network's id, or undefined where it is unknown, expired or used up. */
    redeem: (code: string): string | undefined =>
      inTransaction(database, () => {
        const codeHash = hashSecretCode(code);
        const spent = findRow<Row<'networkId'>>`update auth_code set uses_left = uses_left - 1
          where code_hash = ${codeHash} and uses_left > 0 and expires_ms > ${now()} returning network_id as networkId`;
        run`delete from auth_code where code_hash = ${codeHash} and uses_left <= 0`;
        return spent?.networkId;
      }),
    /** @throws usage-invalid: a password out of bounds, which leaves the code as it is, or an unknown, expired or used code */
    async resetPassword(code: string, password: string): Promise<void> {
      // Hashed before the code is looked at: a bad code is answered no sooner than a good one.
      const passwordHash = await hashPassword(password);
      inTransaction(database, () => {
        const spent = findRow<Row<'networkId'>>`delete from reset_code
          where code_hash = ${hashSecretCode(code)} and expires_ms > ${now()} returning network_id as networkId`;
        if (spent === undefined) throw refuse('Invalid, expired or used reset code.');
        run`update network set password_hash = ${passwordHash} where network_id = ${spent.networkId}`;
      });
    },
  } as const;
}

const [shortest, longest] = [8, 1000];

/** What is kept of a password: `scrypt:SALT:HASH`, both base64url. @throws usage-invalid where it is out of bounds */
export async function hashPassword(password: string): Promise<string> {
  const length = [...password].length;
  if (length < shortest || length > longest) throw refuse(`A password has ${shortest} to ${longest} characters.`);
  const salt = randomBytes(16);
  const derived = await promisify<string, Buffer, number, Buffer>(scrypt)(password, salt, 32);
  return ['scrypt', salt.toString('base64url'), derived.toString('base64url')].join(':');
}
