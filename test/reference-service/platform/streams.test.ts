import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Frame } from '../../../src/connect/wire/frame.ts';
import { createIdSource, type Id } from '../../../src/connect/wire/id.ts';
import { decode } from '../../../src/connect/wire/message.ts';
import { messageTypes } from '../../../src/connect/wire/message-types.ts';
import { streamOpen, streamReset } from '../../../src/connect/wire/stream-messages.ts';
import { createStreams } from '../../../src/reference-service/platform/streams.ts';

const ids = createIdSource({ randomBytes });
const newId = (): Id => ids.next(Date.now());
const noFrame: Frame = { type: -1, bytes: Buffer.alloc(0), isRaw: false };

/** Streams between two clients, with all that was told. */
function openStreams() {
  const [sourceId, destinationId] = [newId(), newId()];
  const told: { readonly to: string; readonly frame: Frame }[] = [];
  let isOpen = true;
  const streams = createStreams({
    newId,
    tell: (clientId, frame) =>
      void told.push({ to: clientId === sourceId ? 'source' : 'destination', frame }),
    hasOpen: () => isOpen,
  });
  return {
    ...{ streams, sourceId, destinationId, pair: { sourceId, destinationId } },
    closeContracts() {
      isOpen = false;
    },
    takeTold: () =>
      told.splice(0).map(({ to, frame }) => ({
        ...{ to, type: frame.type },
        ...decode(streamOpen, frame.bytes),
      })),
  };
}

test('both ends of a new stream are told of it, each of the other, and once', () => {
  const { streams, pair, sourceId, destinationId, takeTold } = openStreams();
  streams.begin(pair);
  streams.begin(pair);
  const [toSource, toDestination, ...others] = takeTold();
  const type = messageTypes.streamOpen;
  expect(toSource).toMatchObject({ to: 'source', type, destinationId, sourceId: undefined });
  expect(toDestination).toMatchObject({
    ...{ to: 'destination', type, sourceId, destinationId: undefined },
    streamId: toSource?.streamId,
  });
  expect(others).toEqual([]);
});

test('a new resident is told the streams that it has, and no others', () => {
  const { streams, pair, sourceId, destinationId } = openStreams();
  const listed = (clientId: Id) => {
    const [{ type, bytes } = noFrame, ...others] = streams.reset(clientId);
    expect({ type, others }).toEqual({ type: messageTypes.streamReset, others: [] });
    return decode(streamReset, bytes).streams;
  };
  expect(listed(sourceId)).toEqual([]);
  streams.begin(pair);
  expect(listed(sourceId)).toMatchObject([{ destinationId, sourceId: undefined }]);
  expect(listed(destinationId)).toMatchObject([{ destinationId: undefined, sourceId }]);
  expect(listed(newId())).toEqual([]);
});

test('more streams than a message has room for are told one by one after the reset', () => {
  const { streams, sourceId } = openStreams();
  const destinations = Array.from({ length: 110 }, newId);
  for (const destinationId of destinations) streams.begin({ sourceId, destinationId });
  const [reset = noFrame, ...others] = streams.reset(sourceId);
  const { type } = reset;
  expect({ type, others: new Set(others.map((frame) => frame.type)) }).toEqual({
    type: messageTypes.streamReset,
    others: new Set([messageTypes.streamOpen]),
  });
  // A Pack's message has 4,096 bytes, with its envelope.
  expect(reset.bytes.length).toBeLessThan(3800);
  const told = [
    ...decode(streamReset, reset.bytes).streams,
    ...others.map(({ bytes }) => decode(streamOpen, bytes)),
  ];
  expect(told.map((stream) => stream.destinationId)).toEqual(destinations);
});

test('a stream ends with the last contract of its clients, and another may begin', () => {
  const { streams, pair, closeContracts, takeTold } = openStreams();
  streams.begin(pair);
  const [opened] = takeTold();
  streams.sweep();
  expect(takeTold()).toEqual([]);
  closeContracts();
  streams.sweep();
  const closed = { type: messageTypes.streamClose, streamId: opened?.streamId };
  expect(takeTold()).toMatchObject([
    { to: 'source', ...closed },
    { to: 'destination', ...closed },
  ]);
  streams.begin(pair);
  const [next] = takeTold();
  expect(next?.streamId).not.toBe(opened?.streamId);
});
