import type { Id } from './id.ts';
import { id, listOf, type Message, optionalId } from './message.ts';

/**
 * The platform says that a stream leads to a peer, or from one: the two may try to reach each other
 * without it. At a stream's end it says the stream's id.
 */
export interface StreamOpen {
  readonly destinationId: Id | undefined;
  readonly sourceId: Id | undefined;
  readonly streamId: Id;
}

export const streamOpen: Message<StreamOpen> = {
  destinationId: [1, optionalId],
  sourceId: [2, optionalId],
  streamId: [3, id],
};

/** All streams that there are: others are over. */
interface StreamReset {
  readonly streams: readonly StreamOpen[];
}

export const streamReset: Message<StreamReset> = { streams: [1, listOf(streamOpen)] };
