import { randomInt } from 'node:crypto';

/** Capitals and digits that nobody takes for one another: no I, O, 0 and 1. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const codeLength = 10;

/** A share or adopt code: 50 random bits that can be read aloud. */
export function createAssociationCode(): string {
  return Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** A code as somebody typed it, as it was issued. */
export function normalizeAssociationCode(text: string): string {
  return text.trim().toUpperCase();
}
