import { type Frame, toFrame } from '../../connect/wire/frame.ts';
import type { Id } from '../../connect/wire/id.ts';
import { encode } from '../../connect/wire/message.ts';
import { messageTypes } from '../../connect/wire/message-types.ts';
import { type StreamOpen, streamOpen, streamReset } from '../../connect/wire/stream-messages.ts';
import type { IdPair } from './forwards.ts';

/**
 * Who is asked to try to reach whom without the platform. A contract that is asked for with
 * `force_stream` begins a stream from its source to its destination, and both are told of it.
 * Nobody answers what consumers' programs try then, so all traffic goes by the platform all the
 * same.
 */
export interface Streams {
  /** Begins a stream where the two have none. */
  begin(pair: IdPair): void;
  /** What a new resident of the client is told first, in this order: the streams that it has. */
  reset(clientId: Id): readonly Frame[];
  /** Ends those whose clients have no open contract any more. */
  sweep(): void;
}

export interface StreamsOptions {
  readonly newId: () => Id;
  /** Tells a client something, if it is connected. */
  readonly tell: (clientId: Id, frame: Frame) => void;
  /** Whether the two have an open contract, either way. */
  readonly hasOpen: (pair: IdPair) => boolean;
}

/** More are told one by one: a message has 4,096 bytes, of which each stream takes 38. */
const mostInReset = 96;

interface Stream extends IdPair {
  readonly streamId: Id;
}

export function createStreams({ newId, tell, hasOpen }: StreamsOptions): Streams {
  const streams = new Map<string, Stream>();

  const tellBoth = (stream: Stream, type: number): void => {
    for (const clientId of [stream.sourceId, stream.destinationId]) {
      const end = toEnd(stream, clientId);
      if (end !== undefined) tell(clientId, toFrame(type, encode(streamOpen, end)));
    }
  };

  return {
    begin(pair) {
      const key = `${pair.sourceId}${pair.destinationId}`;
      if (streams.has(key)) return;
      const stream = { ...pair, streamId: newId() };
      streams.set(key, stream);
      tellBoth(stream, messageTypes.streamOpen);
    },
    reset(clientId) {
      const own = [...streams.values()].flatMap((stream) => toEnd(stream, clientId) ?? []);
      const reset = encode(streamReset, { streams: own.slice(0, mostInReset) });
      return [toFrame(messageTypes.streamReset, reset), ...own.slice(mostInReset).map(toOpen)];
    },
    sweep() {
      for (const [key, stream] of streams) {
        if (hasOpen(stream)) continue;
        streams.delete(key);
        tellBoth(stream, messageTypes.streamClose);
      }
    },
  };
}

const toOpen = (end: StreamOpen): Frame =>
  toFrame(messageTypes.streamOpen, encode(streamOpen, end));

/** A stream as one of its clients is told of it: by the other one. */
function toEnd(
  { sourceId, destinationId, streamId }: Stream,
  clientId: Id,
): StreamOpen | undefined {
  if (clientId === sourceId) return { destinationId, sourceId: undefined, streamId };
  if (clientId === destinationId) return { destinationId: undefined, sourceId, streamId };
  return undefined;
}
