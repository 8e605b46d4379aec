import { createHash, randomBytes, randomInt, scrypt } from 'node:crypto';
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
function hashSecretCode(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

/** A share or adopt code: 50 random bits that can be read aloud. */
export function createAssociationCode(): string {
  return pickCharacters(unmistakable, 10);
}

function pickCharacters(alphabet: string, count: number): string {
  return Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** What a login code is good for (service-interface, "Limits"). */
export interface CodeTerms {
  readonly durationMinutes: number;
  readonly uses: number;
}

/** The login codes of this database; `now` is in Unix milliseconds. */
export function createAuthCodes(database: DatabaseSync, alphabet: CodeAlphabet, now: () => number) {
  const { run, findRow, readNumber } = queryOn(database);
  const keep = createKeeper(database, 'auth_code', now);
  return {
    /** A new code; only its hash is kept. */
    issue: (networkId: string, { durationMinutes, uses }: CodeTerms): string =>
      keep(createSecretCode(alphabet), durationMinutes, { networkId, usesLeft: uses }),
    /** The network's codes that are still good for a login. */
    countPending: (networkId: string) =>
      readNumber`select count(*) from auth_code
        where network_id = ${networkId} and expires_ms > ${now()} and uses_left > 0`,
    /** Uses the code up by one: its network's id, or undefined where it is unknown, expired or used up. */
    redeem: (code: string): string | undefined =>
      inTransaction(database, () => {
        const codeHash = hashSecretCode(code);
        const spent = findRow<Row<'networkId'>>`update auth_code set uses_left = uses_left - 1
          where code_hash = ${codeHash} and uses_left > 0 and expires_ms > ${now()} returning network_id as networkId`;
        run`delete from auth_code where code_hash = ${codeHash} and uses_left <= 0`;
        return spent?.networkId;
      }),
  } as const;
}

/** Keeps secret codes in this table, each until it expires, and of each its hash alone; gives the code back. */
function createKeeper(database: DatabaseSync, table: 'auth_code' | 'reset_code', now: () => number) {
  const { insert, run } = queryOn(database);
  return (code: string, durationMinutes: number, row: { readonly networkId: string; readonly usesLeft?: number }) =>
    inTransaction(database, () => {
      run`delete from ${raw(table)} where expires_ms <= ${now()}`;
      insert(table, { codeHash: hashSecretCode(code), expiresMs: Math.ceil(now() + durationMinutes * 60_000), ...row });
      return code;
    });
}

const [shortest, longest] = [8, 1000];

/** The codes of this database that allow a new password; `now` is in Unix milliseconds. */
export function createPasswords(database: DatabaseSync, alphabet: CodeAlphabet, now: () => number) {
  const { run, findRow } = queryOn(database);
  const keep = createKeeper(database, 'reset_code', now);
  return {
    /** A new code, good once; only its hash is kept. */
    issueResetCode: (networkId: string, durationMinutes: number): string =>
      keep(createSecretCode(alphabet), durationMinutes, { networkId }),
    /** @throws usage-invalid: a password out of bounds, which leaves the code as it is, or an unknown, expired or used code */
    async reset(code: string, password: string): Promise<void> {
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

/** What is kept of a password: `scrypt:SALT:HASH`, both base64url. @throws usage-invalid where it is out of bounds */
export async function hashPassword(password: string): Promise<string> {
  const length = [...password].length;
  if (length < shortest || length > longest) throw refuse(`A password has ${shortest} to ${longest} characters.`);
  const salt = randomBytes(16);
  const hash = await promisify<string, Buffer, number, Buffer>(scrypt)(password, salt, 32);
  return ['scrypt', salt.toString('base64url'), hash.toString('base64url')].join(':');
}
