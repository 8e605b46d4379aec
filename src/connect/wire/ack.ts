import type { Encoder } from './encoder.ts';
import type { Id } from './id.ts';
import { flag, id, integer, type Kind, type Message, optionalId } from './message.ts';
import type { Scanner } from './scanner.ts';

/** The sender's time, in ms of a clock of its own; a tag without one is 0. */
export interface Tag {
  readonly sentAt: number;
}

/** By hand, as Packs are: it comes with each packet. */
export function scanTag(scanner: Scanner): Tag {
  let sentAt = 0;
  while (scanner.next()) if (scanner.field === 1) sentAt = scanner.integer();
  return { sentAt };
}

export function writeTag(encoder: Encoder, field: number, tag: Tag): void {
  const end = encoder.mark();
  encoder.integer(1, tag.sentAt);
  encoder.wrap(field, end);
}

const tagOrNone: Kind<Tag | undefined> = {
  absent: undefined,
  read: (scanner) => scanTag(scanner.inner()),
  write(encoder, field, value) {
    if (value !== undefined) writeTag(encoder, field, value);
  },
};

/** What a receiver says of a sequence. */
export interface Ack {
  /** The highest Pack that was delivered, and all before it; or one Pack that waits (selective). */
  readonly messageId: Id;
  readonly sequenceId: Id;
  readonly isSelective: boolean;
  /** The Pack's tag; absent where the Pack had been delivered before. */
  readonly tag: Tag | undefined;
  /** "Send this Pack again with its whole contract": then it acknowledges nothing. */
  readonly missingContractId: Id | undefined;
  readonly recoversContracts: boolean;
  /** 1 where lanes above 0 are understood. */
  readonly laneVersion: number;
}

export const ack: Message<Ack> = {
  messageId: [1, id],
  sequenceId: [2, id],
  isSelective: [3, flag],
  tag: [4, tagOrNone],
  missingContractId: [5, optionalId],
  recoversContracts: [6, flag],
  laneVersion: [7, integer],
};
