import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { Secret } from '../lib/secret.ts';

/** DER of an X25519 private key in PKCS #8, up to its 32 raw bytes (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b656e04220420', 'hex');

/**
 * True for the base64 text of exactly 32 bytes, not all of them zero: wg takes zeros as "no key".
 */
export function isWireGuardKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64');
  return (
    /^[A-Za-z0-9+/]{43}=$/.test(text) &&
    bytes.toString('base64') === text &&
    bytes.some((byte) => byte !== 0)
  );
}

/** The public key that belongs to a private one, base64. */
export function toPublicKey(privateKey: Secret): string {
  const der = Buffer.concat([pkcs8Prefix, Buffer.from(privateKey.reveal(), 'base64')]);
  const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  return key.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
}
