import { expect, test } from 'vitest';
import { toFrame } from '../../../src/connect/wire/frame.ts';
import { messageTypes } from '../../../src/connect/wire/message-types.ts';
import { createControlPeer } from '../../../src/reference-service/platform/control-peer.ts';
import { testIds } from '../../connect/support/contracts.ts';

const second = 1000;

function open() {
  const ids = testIds();
  const peer = createControlPeer({ newId: () => ids.next(1), onFrame: () => undefined });
  for (const type of [messageTypes.streamReset, messageTypes.networkPeersReset])
    peer.tell(toFrame(type, Buffer.alloc(0)), 0);
  return { peer };
}

test('what is not acknowledged is sent ten times, a second apart, and then given up', () => {
  const { peer } = open();
  const sent = Array.from({ length: 20 }, (_, index) => peer.step(index * second).packs);
  expect(sent.map(({ length }) => length)).toEqual([...Array(10).fill(2), ...Array(10).fill(0)]);
  expect(new Set(sent.flat().map(({ messageId }) => messageId)).size).toBe(2);
  expect(peer.step(20 * second - 1).packs).toEqual([]);
});

test('an ack covers what came before it, and a selective one nothing', () => {
  const { peer } = open();
  const [first, last] = peer.step(0).packs;
  const ack = {
    sequenceId: last?.sequenceId ?? testIds().next(1),
    tag: undefined,
    missingContractId: undefined,
    recoversContracts: true,
    laneVersion: 1,
  };
  const messageId = last?.messageId ?? ack.sequenceId;
  peer.take({ kind: 'ack', ack: { ...ack, messageId, isSelective: true } }, 0);
  expect(peer.step(second).packs.map((pack) => pack.messageId)).toEqual([
    first?.messageId,
    messageId,
  ]);
  peer.take({ kind: 'ack', ack: { ...ack, messageId, isSelective: false } }, 0);
  expect(peer.step(2 * second).packs).toEqual([]);
});
