import { createHash, randomBytes, randomInt } from 'node:crypto';

/** The characters of codes: letters and digits, or those of base64url. */
export type CodeAlphabet = 'alphanumeric' | 'base64url';

const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A code that nobody guesses. In base64url one in four begins with `-`, as real ones may (production-profile, "Tokens"). */
export function createSecretCode(alphabet: CodeAlphabet): string {
  if (alphabet === 'alphanumeric') {
    return Array.from({ length: 32 }, () => lettersAndDigits[randomInt(lettersAndDigits.length)]).join('');
  }
  const code = randomBytes(32).toString('base64url');
  return randomInt(4) === 0 ? `-${code.slice(1)}` : code;
}

/** What is kept of a code: enough to know it again, not enough to use it. */
export function hashSecretCode(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
