import type { Secret } from '../lib/secret.ts';

const readLimit = 4096;
const shownLimit = 200;

/**
 * Text cut to one line of at most 200 characters, without control characters, and with `[secret]`
 * for what is a secret or looks like one.
 */
export function scrub(text: string, secrets: readonly Secret[]): string {
  // The cut is made between words, because half a secret would not be recognized.
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
