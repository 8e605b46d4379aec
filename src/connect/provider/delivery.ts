import type { Frame } from '../wire/frame.ts';
import { readIpPacket } from '../wire/ip-frames.ts';
import { largestPacket, messageTypes } from '../wire/message-types.ts';
import type { Consumer } from './consumer-contract.ts';
import type { Carried, Drops } from './counters.ts';
import type { Translation } from './translation.ts';

/** What consumers send, on its way to the device. */
interface Delivery {
  deliver(consumer: Pick<Consumer, 'id' | 'answer'>, frame: Frame, now: number): void;
  /** What came since the last call. */
  takePackets(): readonly Buffer[];
}

export function createDelivery(options: {
  readonly translation: Pick<Translation, 'outward'>;
  readonly drops: Pick<Drops, 'unsound' | 'noAddress'>;
  readonly carried: Pick<Carried, 'upBytes'>;
}): Delivery {
  const { drops, carried } = options;
  let packets: Buffer[] = [];
  /** A longer one would not fit into a message beside every contract that pays for it. */
  const answerPing = (consumer: Pick<Consumer, 'answer'>, ping: Frame, now: number): void => {
    if (ping.bytes.length > largestPacket) drops.unsound++;
    // A view of the message would not outlive it.
    else consumer.answer({ ...ping, bytes: Buffer.from(ping.bytes) }, now);
  };
  return {
    deliver(consumer, frame, now) {
      if (frame.type === messageTypes.ipPing) answerPing(consumer, frame, now);
      if (frame.type !== messageTypes.ipPacketToProvider) return;
      const packet = options.translation.outward(consumer.id, readIpPacket(frame));
      if (packet === 'unsound') drops.unsound++;
      else if (packet === 'no-address') drops.noAddress++;
      else {
        carried.upBytes += packet.length;
        packets.push(packet);
      }
    },
    takePackets() {
      const taken = packets;
      packets = [];
      return taken;
    },
  };
}
