import type { Secret } from '../lib/secret.ts';

const readLimit = 4096;
const shownLimit = 200;

/**
 * One line of at most 200 characters, no control characters, `[secret]` for what is, or looks like,
 * a secret.
 */
export function scrub(text: string, secrets: readonly Secret[]): string {
  // Cut between words: a secret cut in two would no longer be known as one.
  const start = text.length <= readLimit ? text : text.slice(0, readLimit).replace(/\S*$/, '');
  const line = start.replace(/\s+/g, ' ').replace(/\p{C}/gu, '').trim();
  const hidden = secrets
    .map((secret) => secret.reveal())
    .filter((secret) => secret !== '')
    .reduce((result, secret) => result.replaceAll(secret, '[secret]'), line)
    .replace(/eyJ[\w-]{5,}(\.[\w-]*){0,2}/g, '[secret]')
    .replace(/[A-Za-z0-9+/]{43}=/g, '[secret]');
  return hidden.length <= shownLimit ? hidden : `${hidden.slice(0, shownLimit - 1)}…`;
}
