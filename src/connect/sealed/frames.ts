import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import type { RandomBytes } from '../wire/id.ts';

/** Seals and opens whole frames by the key of one handshake. */
export interface FrameCipher {
  /**
   * Each call gives other bytes: the key must not see one nonce twice.
   * @param into where they are written to, `sealedExtra` longer than the frame; by default bytes of
   * their own
   */
  seal(frame: Buffer, into?: Buffer): Buffer;
  /** The frame, in bytes of its own; undefined where it was sealed by another key, or changed. */
  open(sealed: Buffer): Buffer | undefined;
}

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;
/** So much longer is a frame once it is sealed. */
export const sealedExtra = nonceLength + tagLength;
/** One object for all frames: it says nothing of any of them. */
const withTag = { authTagLength: tagLength };
/** A draw of random bytes takes longer than to seal; one is enough for so many frames. */
const noncesAtOnce = 512;

/** The wire's form: 12 random bytes, what was sealed, and a tag of 16. Nothing else is bound. */
export function createFrameCipher(keyBytes: Buffer, randomBytes: RandomBytes): FrameCipher {
  // Made once: as bytes it would be set up again for each frame.
  const key: KeyObject = createSecretKey(keyBytes);
  const nextNonce = createNonces(randomBytes);
  return {
    seal(frame, into = Buffer.allocUnsafe(frame.length + sealedExtra)) {
      const nonce = nextNonce();
      const cipher = createCipheriv(algorithm, key, nonce, withTag);
      into.set(nonce);
      into.set(cipher.update(frame), nonceLength);
      cipher.final();
      into.set(cipher.getAuthTag(), nonceLength + frame.length);
      return into;
    },
    open(sealed) {
      const end = sealed.length - tagLength;
      if (end < nonceLength) return undefined;
      const nonce = sealed.subarray(0, nonceLength);
      const decipher = createDecipheriv(algorithm, key, nonce, withTag);
      decipher.setAuthTag(sealed.subarray(end));
      const frame = decipher.update(sealed.subarray(nonceLength, end));
      try {
        decipher.final();
        return frame;
      } catch {
        return undefined;
      }
    },
  };
}

function createNonces(randomBytes: RandomBytes): () => Buffer {
  let pool: Buffer = Buffer.alloc(0);
  let used = 0;
  return () => {
    if (used === pool.length) {
      pool = randomBytes(noncesAtOnce * nonceLength);
      used = 0;
    }
    used += nonceLength;
    return pool.subarray(used - nonceLength, used);
  };
}
