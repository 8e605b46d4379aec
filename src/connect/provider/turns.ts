import type { Id } from '../wire/id.ts';
import { encodeAckFrame, encodePackFrame, type TransferPath } from '../wire/transfer-frame.ts';
import type { Consumer } from './consumer-contract.ts';
import type { PlatformPeer } from './platform-peer.ts';

/** One turn of Packs for one consumer, so that many at once share the line evenly. */
const turn = 8;

/** Whose turn it is to send. */
export interface Turns {
  /**
   * Turns of Packs until nobody has any, or `most` are given: nobody waits for another's burst. Who
   * had a whole turn, used up or not, goes to the end of the set: the next call begins with the
   * others. A turn that the line cut short goes on in the next call, so that a line which takes
   * less than a turn at a time is shared as well.
   */
  send(
    consumers: Set<Consumer>,
    of: { readonly now: number; readonly most: number },
  ): readonly Buffer[];
}

export function createTurns(ownId: Id): Turns {
  let cut: { readonly consumer: Consumer; readonly left: number } | undefined;
  const findAllowed = (consumer: Consumer): number =>
    cut?.consumer === consumer ? cut.left : turn;
  /** Notes a turn that the line cut short; any other is over. */
  const isOver = (consumer: Consumer, left: number): boolean => {
    if (left > 0) cut = { consumer, left };
    else if (cut?.consumer === consumer) cut = undefined;
    return left === 0;
  };

  return {
    send(consumers, { now, most }) {
      const frames: Buffer[] = [];
      const serve = (consumer: Consumer): boolean => {
        const allowed = findAllowed(consumer);
        const share = Math.min(allowed, most - frames.length);
        if (share === 0) return false;
        const packs = consumer.packs(now, share);
        for (const pack of packs) frames.push(encodePackFrame(toPath(ownId, consumer.id), pack));
        const left = packs.length === share ? allowed - share : 0;
        if (isOver(consumer, left) && packs.length > 0) {
          consumers.delete(consumer);
          consumers.add(consumer);
        }
        return packs.length === allowed;
      };
      let waiting = [...consumers];
      while (waiting.length > 0 && frames.length < most) waiting = waiting.filter(serve);
      return frames;
    },
  };
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
