import type { Id } from './id.ts';
import { flag, id, integer, type Message, maybe, optionalId } from './message.ts';

/** The sender's time, in ms of a clock of its own; a tag without one is 0. */
export interface Tag {
  readonly sentAt: number;
}

export const tag: Message<Tag> = { sentAt: [1, integer] };

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
  tag: [4, maybe(tag)],
  missingContractId: [5, optionalId],
  recoversContracts: [6, flag],
  laneVersion: [7, integer],
};
