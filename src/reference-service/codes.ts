import { hash, randomBytes, randomInt } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from './database.ts';
import { queryOn } from './statements.ts';

/** The characters of secret codes: letters and digits, or the alphabet of base64url. */
export type CodeAlphabet = 'alphanumeric' | 'base64url';

const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** Capitals and digits that are not mistaken for each other, so without I, O, 0 and 1. */
const unmistakable = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/**
 * A code that cannot be guessed. In base64url, one in four begins with `-`, as real ones may
 * (production-profile, "Tokens").
 */
export function createSecretCode(alphabet: CodeAlphabet): string {
  if (alphabet === 'alphanumeric') return pickCharacters(lettersAndDigits, 32);
  const code = randomBytes(32).toString('base64url');
  return randomInt(4) === 0 ? `-${code.slice(1)}` : code;
}

/** The hash that is kept of a secret code: enough to recognize it, not enough to use it. */
export const hashSecretCode = (code: string) => hash('sha256', code);

/** A share or adopt code: 50 random bits that can be read aloud. */
export function createAssociationCode(): string {
  return pickCharacters(unmistakable, 10);
}

function pickCharacters(alphabet: string, count: number): string {
  return Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** How long a code is valid, and how many times it may be used (service-interface, "Limits"). */
export type CodeTerms = Readonly<Record<'durationMinutes' | 'uses', number>>;

/** What a code may be used for: signing in, setting a new password, or verifying an address. */
type Purpose = 'login' | 'reset' | 'verify';

/** The codes of all networks. */
export interface Codes {
  /** Makes a code for this network. Only its hash is kept, until the code expires or is used up. */
  issue(purpose: Purpose, networkId: string, terms: CodeTerms): string;
  /** The codes to sign in with that are still valid. */
  countLoginCodes(networkId: string): number;
  /**
   * Uses the code once. Returns its network's id; undefined for a code that is unknown, expired,
   * used up or has another purpose.
   */
  redeem(purpose: Purpose, code: string): string | undefined;
}

/** The codes of this database; `now` is in ms since 1970. */
export function createCodes(
  database: DatabaseSync,
  alphabet: CodeAlphabet,
  now: () => number,
): Codes {
  const { insert, run, findRow, readNumber } = queryOn(database);
  return {
    issue(purpose, networkId, { durationMinutes, uses }) {
      const code = createSecretCode(alphabet);
      const expiresMs = Math.ceil(now() + durationMinutes * 60_000);
      inTransaction(database, () => {
        run`delete from code where expires_ms <= ${now()}`;
        insert('code', {
          codeHash: hashSecretCode(code),
          purpose,
          networkId,
          expiresMs,
          usesLeft: uses,
        });
      });
      return code;
    },
    countLoginCodes: (networkId) =>
      readNumber`select count(*) from code
        where network_id = ${networkId} and purpose = 'login' and expires_ms > ${now()}`,
    redeem: (purpose, code) =>
      inTransaction(database, () => {
        const codeHash = hashSecretCode(code);
        const spent = findRow<{
          readonly networkId: string;
        }>`update code set uses_left = uses_left - 1
          where code_hash = ${codeHash} and purpose = ${purpose} and expires_ms > ${now()} returning network_id as networkId`;
        run`delete from code where code_hash = ${codeHash} and uses_left = 0`;
        return spent?.networkId;
      }),
  };
}
