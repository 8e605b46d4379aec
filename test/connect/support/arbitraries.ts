import * as fc from 'fast-check';
import type { Ack } from '../../../src/connect/wire/ack.ts';
import type { Frame } from '../../../src/connect/wire/frame.ts';
import { type Id, idLength, toId } from '../../../src/connect/wire/id.ts';
import type { Pack } from '../../../src/connect/wire/pack.ts';
import type { TransferPath } from '../../../src/connect/wire/transfer-frame.ts';

/** Values of the wire's kinds, for laws. */
export const anyId: fc.Arbitrary<Id> = fc
  .uint8Array({ minLength: idLength, maxLength: idLength })
  .map((bytes) => toId(Buffer.from(bytes)));

export const anyBytes = (maxLength: number): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes));

/** Numbers of every length of a varint. */
export const anyNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, 1, 127, 128, 2 ** 31 - 1, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER),
  fc.maxSafeNat(),
);

export const anyFrame: fc.Arbitrary<Frame> = fc.record({
  type: fc.integer({ min: 0, max: 40 }),
  bytes: anyBytes(300),
  isRaw: fc.boolean(),
});

export const anyPath: fc.Arbitrary<TransferPath> = fc.record({
  sourceId: fc.option(anyId, { nil: undefined }),
  destinationId: fc.option(anyId, { nil: undefined }),
  streamId: fc.option(anyId, { nil: undefined }),
});

export const anyPack: fc.Arbitrary<Pack> = fc.record({
  messageId: anyId,
  sequenceId: anyId,
  sequenceNumber: anyNumber,
  isHead: fc.boolean(),
  frames: fc.array(anyFrame, { maxLength: 4 }),
  wantsNoAck: fc.boolean(),
  contract: fc.option(anyBytes(300), { nil: undefined }),
  tag: fc.option(fc.record({ sentAt: anyNumber }), { nil: undefined }),
  contractId: fc.option(anyId, { nil: undefined }),
  lane: fc.record({
    forceStream: fc.boolean(),
    isCompanion: fc.boolean(),
    number: fc.integer({ min: 0, max: 8 }),
  }),
});

export const anyAck: fc.Arbitrary<Ack> = fc.record({
  messageId: anyId,
  sequenceId: anyId,
  isSelective: fc.boolean(),
  tag: fc.option(fc.record({ sentAt: anyNumber }), { nil: undefined }),
  missingContractId: fc.option(anyId, { nil: undefined }),
  recoversContracts: fc.boolean(),
  laneVersion: fc.integer({ min: 0, max: 3 }),
});
