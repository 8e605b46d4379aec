import { createPrivateKey, randomBytes } from 'node:crypto';
import { Secret } from '../lib/secret.ts';

/** A WireGuard key pair: X25519, each key base64 of its 32 bytes. */
export type KeyPair = ReturnType<typeof createKeyPair>;

/** What precedes the bytes of an X25519 key in PKCS #8. */
const x25519Header = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** The pair of which these 32 bytes are the private key; a new one by default. */
export function createKeyPair(privateBytes: Buffer = randomBytes(32)) {
  const key = createPrivateKey({ key: Buffer.concat([x25519Header, privateBytes]), format: 'der', type: 'pkcs8' });
  const { x = '' } = key.export({ format: 'jwk' });
  const publicKey = Buffer.from(x, 'base64url').toString('base64');
  return { privateKey: new Secret(privateBytes.toString('base64')), publicKey };
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
