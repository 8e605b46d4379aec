import type { Id } from '../wire/id.ts';
import { largestMessage } from '../wire/message-types.ts';
import type { Pack } from '../wire/pack.ts';
import { encodeAckFrame, type TransferPath } from '../wire/transfer-frame.ts';
import type { Consumer } from './consumer-contract.ts';
import type { PlatformPeer } from './platform-peer.ts';
import type { Sealing } from './sealing.ts';

/** Bytes of one turn of one consumer, so that many at once share the line evenly. */
const turnBytes = 2 * largestMessage;

/** Whose turn it is to send. */
export interface Turns {
  /**
   * Turns of Packs until nobody has any, or `most` are given: nobody waits for another's burst. Who
   * had a whole turn, used up or not, goes to the end of the set: the next call begins with the
   * others. A turn that the line cut short goes on in the next call, so that a line which takes
   * less than a turn at a time is shared as well. A Pack that is larger than what was left of a
   * turn is taken off the next one, for as long as there is more to send: turns are shares of
   * bytes, whatever a Pack holds.
   */
  send(
    consumers: Set<Consumer>,
    of: { readonly now: number; readonly most: number },
  ): readonly Buffer[];
}

export function createTurns(ownId: Id): Turns {
  let cut: { readonly consumer: Consumer; readonly left: number } | undefined;
  /** What the last turn took too much; consumers that are gone take it with them. */
  const debts = new WeakMap<Consumer, number>();
  const findAllowed = (consumer: Consumer): number =>
    cut?.consumer === consumer ? cut.left : turnBytes - (debts.get(consumer) ?? 0);
  /** Notes a turn that the line cut short; any other is over. */
  const note = (consumer: Consumer, left: number): void => {
    if (left > 0) cut = { consumer, left };
    else if (cut?.consumer === consumer) cut = undefined;
    if (left < 0) debts.set(consumer, -left);
    else debts.delete(consumer);
  };

  return {
    send(consumers, { now, most }) {
      const frames: Buffer[] = [];
      /** What is left of its turn, and whether it has more to send. */
      const take = (consumer: Consumer): { readonly left: number; readonly hasMore: boolean } => {
        let left = findAllowed(consumer);
        while (left > 0 && frames.length < most) {
          const share = Math.min(Math.ceil(left / largestMessage), most - frames.length);
          const packs = consumer.packs(now, share);
          left -= encodePacks(ownId, { consumer, packs }, frames);
          if (packs.length < share) return { left: 0, hasMore: false };
        }
        return { left, hasMore: true };
      };
      const serve = (consumer: Consumer): boolean => {
        const served = frames.length;
        if (served === most) return false;
        const { left, hasMore } = take(consumer);
        note(consumer, left);
        if (frames.length > served && left <= 0) {
          consumers.delete(consumer);
          consumers.add(consumer);
        }
        return hasMore && left <= 0;
      };
      let waiting = [...consumers];
      while (waiting.length > 0 && frames.length < most) waiting = waiting.filter(serve);
      return frames;
    },
  };
}

/**
 * Adds messages and gives their bytes. What has to be sealed, and cannot be now, is sent again as
 * what was lost is.
 */
function encodePacks(
  ownId: Id,
  of: { readonly consumer: Consumer; readonly packs: readonly Pack[] },
  messages: Buffer[],
): number {
  const { id, sealing } = of.consumer;
  const path = toPath(ownId, id);
  let bytes = 0;
  for (const pack of of.packs) {
    const message = sealing.encodePack(path, pack);
    if (message === undefined) continue;
    messages.push(message);
    bytes += message.length;
  }
  return bytes;
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
