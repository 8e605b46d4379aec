import type { Id } from '../wire/id.ts';
import { encodeAckFrame, encodePackFrame, type TransferPath } from '../wire/transfer-frame.ts';
import type { Consumer } from './consumer.ts';
import type { PlatformPeer } from './platform-peer.ts';

/** One turn of Packs for one consumer, so that many at once share the line evenly. */
const turn = 8;

/**
 * Turns of Packs until nobody has any, or `most` are given: nobody waits for another's burst. Who
 * had a whole turn, used up or not, goes to the end of the set: the next call begins with the
 * others.
 */
export function sendInTurn(
  ownId: Id,
  consumers: Set<Consumer>,
  { now, most }: { readonly now: number; readonly most: number },
): readonly Buffer[] {
  const frames: Buffer[] = [];
  const serve = (consumer: Consumer): boolean => {
    const share = Math.min(turn, most - frames.length);
    if (share === 0) return false;
    const packs = consumer.packs(now, share);
    for (const pack of packs) frames.push(encodePackFrame(toPath(ownId, consumer.id), pack));
    if (share === turn && packs.length > 0) {
      consumers.delete(consumer);
      consumers.add(consumer);
    }
    return packs.length === turn;
  };
  let waiting = [...consumers];
  while (waiting.length > 0 && frames.length < most) waiting = waiting.filter(serve);
  return frames;
}

export function sendAcks(
  ownId: Id,
  peers: readonly Pick<Consumer | PlatformPeer, 'id' | 'acks'>[],
  now: number,
): readonly Buffer[] {
  return peers.flatMap((peer) =>
    peer.acks(now).map((ack) => encodeAckFrame(toPath(ownId, peer.id), ack)),
  );
}

/** A frame without a destination is for the platform itself. */
function toPath(sourceId: Id, destinationId: Id | undefined): TransferPath {
  return { sourceId, destinationId, streamId: undefined };
}
