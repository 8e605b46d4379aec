import type { Id } from '../wire/id.ts';
import type { Pack } from '../wire/pack.ts';
import { encodeAckFrame, type TransferPath } from '../wire/transfer-frame.ts';
import type { Consumer } from './consumer-contract.ts';
import type { PlatformPeer } from './platform-peer.ts';
import type { Sealing } from './sealing.ts';

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
        frames.push(...encodePacks(ownId, consumer, packs));
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

/** What has to be sealed, and cannot be now, is sent again as what was lost is. */
function encodePacks(
  ownId: Id,
  { id, sealing }: Pick<Consumer, 'id' | 'sealing'>,
  packs: readonly Pack[],
): readonly Buffer[] {
  const path = toPath(ownId, id);
  return packs.flatMap((pack) => sealing.encodePack(path, pack) ?? []);
}

export function sendAcks(ownId: Id, peers: readonly Answering[], now: number): readonly Buffer[] {
  return peers.flatMap(({ id, acks, sealing }) => {
    const path = toPath(ownId, id);
    return acks(now).map((ack) => sealing?.encodeAck(path, ack) ?? encodeAckFrame(path, ack));
  });
}

interface Answering extends Pick<Consumer | PlatformPeer, 'id' | 'acks'> {
  /** Of consumers. */
  readonly sealing?: Sealing;
}

/** A frame without a destination is for the platform itself. */
function toPath(sourceId: Id, destinationId: Id | undefined): TransferPath {
  return { sourceId, destinationId, streamId: undefined };
}
