import { createMemoryBudget } from '../../../src/connect/sequence/hold-back.ts';
import { createSender } from '../../../src/connect/sequence/sender.ts';
import type { Ack } from '../../../src/connect/wire/ack.ts';
import type { Frame } from '../../../src/connect/wire/frame.ts';
import type { Id } from '../../../src/connect/wire/id.ts';
import { messageTypes } from '../../../src/connect/wire/message-types.ts';
import type { Lane, Pack } from '../../../src/connect/wire/pack.ts';
import { createPurse, type PurseOptions } from './purse.ts';

/**
 * What an app sends by one lane. Its sequence is given up where a Pack is unacknowledged for half a
 * minute; whether that is an error depends on what was in it.
 */
export interface AppLane {
  offer(frame: Frame, now: number): boolean;
  take(ack: Ack, now: number): void;
  step(now: number): readonly Pack[];
  wakeAt(now: number): number;
  /** Sequences so far. */
  sequences(): number;
  pingsAcked(): number;
  end(now: number): void;
}

export interface AppLaneOptions extends PurseOptions {
  readonly lane: Lane;
  readonly newId: () => Id;
  /** Data was given up: the app drops the identity with all connections. */
  readonly onError: () => void;
}

const longestUnacked = 30_000;
const patienceOfPing = 30_000;

interface Pending {
  readonly number: number;
  readonly hasData: boolean;
  readonly hasPing: boolean;
  readonly sentAt: number;
  /** By which the sequence is given up; a selective ack starts it again. */
  since: number;
}

export function createAppLane(options: AppLaneOptions): AppLane {
  let sequences = 0;
  let pingsAcked = 0;
  let pending = new Map<Id, Pending>();
  let { sender, purse } = begin();

  function begin() {
    sequences++;
    pending = new Map();
    const made = createPurse(options);
    return {
      purse: made,
      sender: createSender({
        sequenceId: options.newId(),
        lane: options.lane,
        payment: made,
        newMessageId: options.newId,
        queueBytes: 16 * 1024 * 1024,
        budget: createMemoryBudget(32 * 1024 * 1024),
      }),
    };
  }
  const isError = ({ hasData, hasPing, sentAt }: Pending, now: number): boolean =>
    hasData || (hasPing && now - sentAt < patienceOfPing);
  const giveUp = (now: number): void => {
    const hasError = [...pending.values()].some((one) => isError(one, now));
    purse.end(now);
    sender.end();
    ({ sender, purse } = begin());
    if (hasError) options.onError();
  };
  const dropUpTo = (last: number): void => {
    for (const [id, { number, hasPing }] of pending) {
      if (number > last) break;
      if (hasPing) pingsAcked++;
      pending.delete(id);
    }
  };
  const note = (pack: Pack, now: number): void => {
    if (pending.has(pack.messageId)) return;
    const carries = (type: number) => pack.frames.some((frame) => frame.type === type);
    pending.set(pack.messageId, {
      number: pack.sequenceNumber,
      hasData: carries(messageTypes.ipPacketToProvider),
      hasPing: carries(messageTypes.ipPing),
      sentAt: now,
      since: now,
    });
  };

  return {
    offer: (frame, now) => sender.offer(frame, now),
    take(ack, now) {
      sender.take(ack, now);
      const of = ack.sequenceId === sender.sequenceId ? pending.get(ack.messageId) : undefined;
      if (of === undefined || ack.missingContractId !== undefined) return;
      if (ack.isSelective) of.since = now;
      else dropUpTo(of.number);
    },
    step(now) {
      const [oldest] = pending.values();
      const isSilent = oldest !== undefined && now - oldest.since >= longestUnacked;
      if (isSilent || sender.ended(now) !== undefined) giveUp(now);
      purse.step(now);
      const packs = sender.step(now, 1000);
      for (const pack of packs) note(pack, now);
      return packs;
    },
    wakeAt(now) {
      const [oldest] = pending.values();
      const givesUpAt = (oldest?.since ?? Number.POSITIVE_INFINITY) + longestUnacked;
      return Math.min(sender.wakeAt(now), givesUpAt);
    },
    sequences: () => sequences,
    pingsAcked: () => pingsAcked,
    end(now) {
      purse.end(now);
      sender.end();
    },
  };
}
