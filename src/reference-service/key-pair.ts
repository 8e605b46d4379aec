import { generateKeyPairSync } from 'node:crypto';
import { Secret } from '../lib/secret.ts';

/** A WireGuard key pair: X25519, each key base64 of its 32 bytes. */
export interface KeyPair {
  readonly privateKey: Secret;
  readonly publicKey: string;
}

/** A new pair. */
export function createKeyPair(): KeyPair {
  const jwk = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  return { privateKey: new Secret(toBase64(jwk.d)), publicKey: toBase64(jwk.x) };
}

/** The pair as one line of text, for the database. */
export function renderKeyPair(pair: KeyPair): string {
  return `${pair.privateKey.reveal()} ${pair.publicKey}`;
}

/** The pair of a line that `renderKeyPair` wrote. */
export function parseKeyPair(text: string): KeyPair {
  const [privateKey = '', publicKey = ''] = text.split(' ');
  return { privateKey: new Secret(privateKey), publicKey };
}

function toBase64(base64url: string | undefined): string {
  return Buffer.from(base64url ?? '', 'base64url').toString('base64');
}
