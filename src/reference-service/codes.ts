import { createHash, randomBytes, randomInt } from 'node:crypto';

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
export function hashSecretCode(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

/** A share or adopt code: 50 random bits that can be read aloud. */
export function createAssociationCode(): string {
  return pickCharacters(unmistakable, 10);
}

function pickCharacters(alphabet: string, count: number): string {
  return Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join('');
}
