import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFrameCipher } from '../../../src/connect/sealed/frames.ts';
import { createMemoryBudget } from '../../../src/connect/sequence/hold-back.ts';
import { createSender, type Sender } from '../../../src/connect/sequence/sender.ts';
import { sessionRoles } from '../../../src/connect/wire/encrypted-control.ts';
import { createIdSource } from '../../../src/connect/wire/id.ts';
import { largestMessage } from '../../../src/connect/wire/message-types.ts';
import type { Pack } from '../../../src/connect/wire/pack.ts';
import {
  encodePackFrame,
  encodeSealedFrame,
  findFrameRoom,
} from '../../../src/connect/wire/transfer-frame.ts';
import { assertLaw } from '../../unit/law.ts';

const ids = createIdSource({ randomBytes });
const cipher = createFrameCipher(randomBytes(32), randomBytes);
const path = { sourceId: ids.next(1), destinationId: ids.next(1), streamId: undefined };
const lane = { forceStream: true, isCompanion: true, number: 8 };
/** A contract that names the consumer's key and certificate twice, in PEM of 583 bytes. */
const withKeys = 1472;

function makeSender(contractLength: number, frames: readonly number[]): Sender {
  const by = { contractId: ids.next(1), contract: Buffer.alloc(contractLength, 1) };
  const sender = createSender({
    sequenceId: ids.next(1),
    lane,
    payment: {
      take: () => ({ kind: 'charged', by }),
      contractLength: () => contractLength,
      acked: () => undefined,
    },
    newMessageId: () => ids.next(1),
    queueBytes: 1024 * 1024,
    budget: createMemoryBudget(4 * 1024 * 1024),
  });
  for (const length of frames)
    sender.offer({ type: 16, bytes: Buffer.alloc(length, 1), isRaw: true }, 0);
  return sender;
}

/** As it is sent when all before it has been acknowledged, at the end of all numbers and times. */
function toMessage(pack: Pack, contract: Buffer): Buffer {
  const sent = Number.MAX_SAFE_INTEGER;
  const last = { ...pack, sequenceNumber: sent, tag: { sentAt: sent }, isHead: true, contract };
  const plain = encodePackFrame(path, last, { role: sessionRoles.server });
  return encodeSealedFrame(path, {
    bytes: cipher.seal(plain),
    role: sessionRoles.server,
    isCompanion: true,
  });
}

test.each([
  ['without keys', 160, 3],
  ['with keys', withKeys, 2],
  ['that leaves room for one packet', 2700, 1],
])(
  'beside a contract %s, a Pack takes as many full packets as a message holds',
  (_, length, count) => {
    const packs = makeSender(length, new Array(6).fill(1100)).step(0, 2);
    for (const pack of packs) {
      expect(pack.frames.length).toBe(count);
      expect(toMessage(pack, Buffer.alloc(length)).length).toBeLessThanOrEqual(largestMessage);
    }
  },
);

test('each Pack fits into a message with its contract, as the head, sealed', () => {
  const longest = findFrameRoom(0) - 1110;
  const [whole] = makeSender(longest, [1100]).step(0, 1);
  if (whole === undefined) throw new Error('no Pack');
  expect(toMessage(whole, Buffer.alloc(longest)).length).toBe(largestMessage);
  const anyLengths = fc.array(fc.integer({ min: 1, max: 1100 }), { minLength: 1, maxLength: 60 });
  assertLaw(fc.tuple(fc.integer({ min: 0, max: longest }), anyLengths), ([length, lengths]) => {
    const packs = makeSender(length, lengths).step(0, 1000);
    for (const pack of packs)
      expect(toMessage(pack, Buffer.alloc(length)).length).toBeLessThanOrEqual(largestMessage);
  });
});

test('a Pack that is resent as the head brings its contract, and fits', () => {
  const sender = makeSender(withKeys, new Array(20).fill(1100));
  const [first, second] = sender.step(0, 2);
  expect(second).toMatchObject({ isHead: false, contract: undefined });
  sender.take(
    {
      messageId: first?.messageId ?? ids.next(1),
      sequenceId: sender.sequenceId,
      isSelective: false,
      tag: first?.tag,
      missingContractId: undefined,
      recoversContracts: true,
      laneVersion: 1,
    },
    10,
  );
  let again: Pack | undefined;
  for (let now = 10; now < 1000; now += 10)
    again ??= sender.step(now, 100).find(({ messageId }) => messageId === second?.messageId);
  expect(again).toMatchObject({ isHead: true, contract: Buffer.alloc(withKeys, 1) });
  if (again?.contract === undefined) throw new Error('without its contract');
  const message = toMessage(again, again.contract);
  expect(again.frames.length).toBe(2);
  expect(message.length).toBeLessThanOrEqual(largestMessage);
});
