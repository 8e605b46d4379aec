import { createHmac, timingSafeEqual } from 'node:crypto';
import { contract, storedContract } from '../wire/contract-messages.ts';
import type { Id } from '../wire/id.ts';
import { decode } from '../wire/message.ts';
import type { ProvideMode } from '../wire/message-types.ts';
import { WireError } from '../wire/wire-error.ts';
import type { RefusedContract } from './refused-contract.ts';
import { type ProvideWish, publishedModes, type Secrets } from './secrets.ts';

/** A consumer's contract that may be used, or why it may not. */
export type Verification =
  | {
      readonly kind: 'verified';
      readonly contractId: Id;
      readonly byteCount: number;
      readonly mode: ProvideMode;
    }
  | { readonly kind: 'refused'; readonly reason: RefusedContract };

export interface VerifyOptions {
  readonly ownId: Id;
  readonly secrets: Secrets;
  readonly wish: ProvideWish;
}

/** The service grants at most 256 MiB; nine lanes may each have been given as much. */
const largestContract = 9 * 256 * 1024 * 1024;
const hmacLength = 32;

/**
 * Checks an encoded Contract from this source: that the platform signed it with a secret of ours,
 * for a mode that is published, from that source to us. It is the only thing that says who a
 * consumer is.
 */
export function verifyContract(
  bytes: Buffer,
  sourceId: Id,
  { ownId, secrets, wish }: VerifyOptions,
): Verification {
  try {
    const given = decode(contract, bytes);
    const mode = publishedModes[wish].find((one) => one === given.mode);
    const secret = mode === undefined ? undefined : secrets.get(mode);
    if (mode === undefined || secret === undefined) return refuse('mode-not-published');
    // An older form of the signature is longer. It does not bind the contract's bytes: anyone who
    // saw one can write any other.
    if (given.hmac.length > hmacLength) return refuse('old-form');
    if (!isSignedBy(secret, given)) return refuse('bad-signature');
    const stored = decode(storedContract, given.storedBytes);
    if (stored.sourceId !== sourceId) return refuse('foreign-source');
    if (stored.destinationId !== ownId) return refuse('foreign-destination');
    if (stored.transferByteCount > largestContract) return refuse('oversized');
    const { contractId, transferByteCount } = stored;
    return { kind: 'verified', contractId, byteCount: transferByteCount, mode };
  } catch (error) {
    if (error instanceof WireError) return refuse('unreadable');
    throw error;
  }
}

/** The standard form, as the platform signs it. */
export function signContract(secret: Buffer, storedBytes: Buffer): Buffer {
  return createHmac('sha256', secret).update(storedBytes).digest();
}

function isSignedBy(
  secret: Buffer,
  { storedBytes, hmac }: { readonly storedBytes: Buffer; readonly hmac: Buffer },
): boolean {
  return hmac.length === hmacLength && timingSafeEqual(hmac, signContract(secret, storedBytes));
}

function refuse(reason: RefusedContract): Verification {
  return { kind: 'refused', reason };
}
