import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import type { ClientKey, EncryptedKey } from '../wire/encrypted-control.ts';
import type { RandomBytes } from '../wire/id.ts';
import { makeCertificate } from './certificate.ts';

/**
 * Who a client is to its peers: by its seed it proves that it is the end of a handshake, and the
 * certificate is what it shows there.
 */
export interface Identity {
  /** Of the seed; 32 bytes. */
  readonly publicKey: Buffer;
  /** Both in PEM form. */
  readonly certificate: string;
  readonly certificateKey: string;
  sign(bytes: Buffer): Buffer;
}

/**
 * An identity as data to keep: the seed in hex, the rest in PEM form. It has to be kept from other
 * users, and as long as the client is: peers that know the certificate refuse another one.
 */
export interface IdentityData {
  readonly seed: string;
  readonly certificate: string;
  readonly certificateKey: string;
}

/** The name in every certificate of the network, which a peer asks for in its handshake. */
export const certificateName = 'urnetwork-sequence';

const seedLength = 32;
const serialLength = 8;
/** What Ed25519 keys of 32 bytes are preceded by in their standard forms (RFC 8410). */
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

export function makeIdentity(randomBytes: RandomBytes): IdentityData {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const serial = randomBytes(serialLength);
  // It has to be above 0, and without zeroes in front.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 1;
  return {
    seed: randomBytes(seedLength).toString('hex'),
    certificate: makeCertificate(certificateName, { privateKey, publicKey, serial }),
    certificateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** @throws Error where the seed is no seed */
export function loadIdentity({ seed, certificate, certificateKey }: IdentityData): Identity {
  const der = Buffer.concat([privatePrefix, Buffer.from(seed, 'hex')]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicDer = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return {
    publicKey: publicDer.subarray(publicPrefix.length),
    certificate,
    certificateKey,
    sign: (bytes) => sign(null, bytes, key),
  };
}

/** Whether the owner of this public key has signed these bytes. */
export function hasSigned(
  publicKey: Buffer,
  of: { readonly bytes: Buffer; readonly signature: Buffer },
): boolean {
  try {
    const der = Buffer.concat([publicPrefix, publicKey]);
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return verify(null, of.bytes, key, of.signature);
  } catch {
    // It is no key at all.
    return false;
  }
}

/** What is told to the platform, which hands it to all that ask for this client. */
export function toPublication(identity: Identity): {
  readonly clientKey: ClientKey;
  readonly encryptedKey: EncryptedKey;
} {
  const certificate = Buffer.from(identity.certificate);
  return {
    clientKey: { publicKey: identity.publicKey },
    encryptedKey: { certificates: [certificate], signature: identity.sign(certificate) },
  };
}
