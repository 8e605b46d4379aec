import type { MemoryBudget } from '../sequence/hold-back.ts';
import { createReceiver, type Receiver } from '../sequence/receiver.ts';
import type { Ack } from '../wire/ack.ts';
import { residentMigrate } from '../wire/control-messages.ts';
import type { Frame } from '../wire/frame.ts';
import type { Id } from '../wire/id.ts';
import { decode } from '../wire/message.ts';
import { messageTypes } from '../wire/message-types.ts';
import type { TransferFrame } from '../wire/transfer-frame.ts';
import { WireError } from '../wire/wire-error.ts';

/**
 * What the platform itself sends us. It is free of charge, and acknowledged whatever it says: it is
 * sent again up to nine times else. Only a request to move to another host is acted on.
 */
export interface PlatformPeer {
  /** The platform has no id. */
  readonly id: undefined;
  take(body: TransferFrame['body'], now: number): void;
  acks(now: number): readonly Ack[];
  wakeAt(): number;
  /** The time of a move that was asked for since the last call, in Unix ms of the platform. */
  takeMove(): number | undefined;
}

/** The platform begins a sequence for each of its parts that talks to us. */
const mostSequences = 64;

export function createPlatformPeer(budget: MemoryBudget): PlatformPeer {
  const receivers = new Map<Id, Receiver>();
  let moveAt: number | undefined;

  const deliver = (frame: Frame): void => {
    if (frame.type !== messageTypes.residentMigrate) return;
    try {
      moveAt = decode(residentMigrate, frame.bytes).migrateAt;
    } catch (error) {
      // It is acknowledged all the same: sent again, it would say no more.
      if (!(error instanceof WireError)) throw error;
    }
  };
  const open = (sequenceId: Id): Receiver => {
    const [oldest] = receivers.keys();
    if (receivers.size >= mostSequences && oldest !== undefined) {
      receivers.get(oldest)?.end();
      receivers.delete(oldest);
    }
    const receiver = createReceiver({
      sequenceId,
      budget,
      knowsContract: () => true,
      deliver(pack) {
        for (const frame of pack.frames) deliver(frame);
        return true;
      },
    });
    receivers.set(sequenceId, receiver);
    return receiver;
  };

  return {
    id: undefined,
    take(body, now) {
      if (body.kind !== 'pack') return;
      const { sequenceId } = body.pack;
      (receivers.get(sequenceId) ?? open(sequenceId)).take(body.pack, now);
    },
    acks: (now) => [...receivers.values()].flatMap((receiver) => receiver.acks(now)),
    wakeAt() {
      let soonest = Number.POSITIVE_INFINITY;
      for (const receiver of receivers.values()) soonest = Math.min(soonest, receiver.wakeAt());
      return soonest;
    },
    takeMove() {
      const taken = moveAt;
      moveAt = undefined;
      return taken;
    },
  };
}
