import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { Secret } from '../lib/secret.ts';

/** A WireGuard key pair: X25519, each key base64 of its 32 bytes. */
export interface KeyPair {
  readonly privateKey: Secret;
  readonly publicKey: string;
}

/** What stands before the bytes of an X25519 key in PKCS #8. */
const x25519Header = '302e020100300506032b656e04220420';

/** A new pair. */
export function createKeyPair(): KeyPair {
  return toKeyPair(generateKeyPairSync('x25519').privateKey);
}

/** The pair that these 32 bytes are the private key of. */
export function createKeyPairOf(privateBytes: Buffer): KeyPair {
  const key = Buffer.concat([Buffer.from(x25519Header, 'hex'), privateBytes]);
  return toKeyPair(createPrivateKey({ key, format: 'der', type: 'pkcs8' }));
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

function toKeyPair(privateKey: KeyObject): KeyPair {
  const jwk = privateKey.export({ format: 'jwk' });
  return { privateKey: new Secret(toBase64(jwk.d)), publicKey: toBase64(jwk.x) };
}

function toBase64(base64url: string | undefined): string {
  return Buffer.from(base64url ?? '', 'base64url').toString('base64');
}
