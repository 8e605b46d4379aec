import { contract, contractKeys, storedContract } from '../wire/contract-messages.ts';
import type { Id } from '../wire/id.ts';
import { decode } from '../wire/message.ts';
import { largestPacket } from '../wire/message-types.ts';
import { findFrameRoom, frameHead } from '../wire/transfer-frame.ts';
import { WireError } from '../wire/wire-error.ts';

/**
 * A contract that the service granted us. It is signed for the consumer, so all that can be looked
 * at here is whom it is for; undefined where that is not the two of us, or where it is unreadable.
 * One that is too long to go along with a packet is of no use: it has the certificates that the
 * consumer has published, as long as they are.
 */
export function readGranted(
  bytes: Buffer,
  of: { readonly ownId: Id; readonly peerId: Id },
): { readonly contractId: Id; readonly byteCount: number } | undefined {
  if (findFrameRoom(bytes.length) < frameHead + largestPacket) return undefined;
  try {
    const stored = decode(storedContract, decode(contract, bytes).storedBytes);
    const isOurs = stored.sourceId === of.ownId && stored.destinationId === of.peerId;
    if (!isOurs) return undefined;
    return { contractId: stored.contractId, byteCount: stored.transferByteCount };
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

/**
 * The consumer's public key as the service knew it when it made this contract; undefined where it
 * had none, too.
 */
export function readPeerKey(
  bytes: Buffer,
): { readonly contractId: Id; readonly publicKey: Buffer } | undefined {
  try {
    const { contractId } = decode(storedContract, decode(contract, bytes).storedBytes);
    const { destinationKey } = decode(contractKeys, bytes);
    if (destinationKey === undefined) return undefined;
    return { contractId, publicKey: Buffer.from(destinationKey) };
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}
