import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  closeContract,
  contract,
  createContract,
  createContractResult,
  storedContract,
} from '../../../src/connect/wire/contract-messages.ts';
import { provide, residentMigrate } from '../../../src/connect/wire/control-messages.ts';
import { decodeFrames, encodeFrames } from '../../../src/connect/wire/frame.ts';
import { createIdSource, fromUuid, toMadeAt, toUuid } from '../../../src/connect/wire/id.ts';
import {
  fromProviderFrame,
  readIpPacket,
  toProviderFrame,
} from '../../../src/connect/wire/ip-frames.ts';
import { decode, encode, type Message } from '../../../src/connect/wire/message.ts';
import {
  decodeTransferFrame,
  encodeAckFrame,
  encodePackFrame,
  readPath,
} from '../../../src/connect/wire/transfer-frame.ts';
import { assertLaw } from '../../unit/law.ts';
import {
  anyAck,
  anyBytes,
  anyFrame,
  anyId,
  anyNumber,
  anyPack,
  anyPath,
} from '../support/arbitraries.ts';

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

test('every Pack and Ack comes back as it was written, with its path', () => {
  assertLaw(fc.tuple(anyPath, anyPack), ([path, pack]) => {
    const bytes = encodePackFrame(path, pack);
    expect(decodeTransferFrame(bytes)).toEqual({ path, body: { kind: 'pack', pack } });
    expect(readPath(bytes)).toEqual(path);
  });
  assertLaw(fc.tuple(anyPath, anyAck), ([path, ack]) => {
    expect(decodeTransferFrame(encodeAckFrame(path, ack))).toEqual({
      path,
      body: { kind: 'ack', ack },
    });
  });
});

function assertRoundTrip<T extends object>(message: Message<T>, values: fc.Arbitrary<T>): void {
  assertLaw(values, (value) => {
    expect(decode(message, encode(message, value))).toEqual(value);
  });
}

test('every contract and control message comes back as it was written', () => {
  const request = fc.record({
    destinationId: anyId,
    transferByteCount: anyNumber,
    isCompanion: fc.boolean(),
    usedContractIds: fc.array(anyId, { maxLength: 3 }),
    forceStream: maybe(fc.boolean()),
    streamVersion: fc.nat(2),
  });
  assertRoundTrip(
    storedContract,
    fc.record({
      contractId: anyId,
      transferByteCount: anyNumber,
      sourceId: anyId,
      destinationId: anyId,
      priority: fc.nat(),
    }),
  );
  assertRoundTrip(
    contract,
    fc.record({ storedBytes: anyBytes(200), hmac: anyBytes(40), mode: fc.nat(9) }),
  );
  assertRoundTrip(
    closeContract,
    fc.record({
      contractId: anyId,
      ackedByteCount: anyNumber,
      unackedByteCount: anyNumber,
      isCheckpoint: fc.boolean(),
    }),
  );
  assertRoundTrip(createContract, request);
  assertRoundTrip(
    createContractResult,
    fc.record({
      error: maybe(fc.nat(4)),
      contract: maybe(anyBytes(200).filter((bytes) => bytes.length > 0)),
      request: maybe(request),
    }),
  );
  const key = fc.record({ mode: fc.nat(5), secret: anyBytes(32) });
  assertRoundTrip(provide, fc.record({ keys: fc.array(key) }));
  assertRoundTrip(residentMigrate, fc.record({ migrateAt: anyNumber }));
});

test('the frames of control come back as they were written', () => {
  assertLaw(fc.array(anyFrame), (frames) => {
    expect(decodeFrames(encodeFrames(frames))).toEqual(frames);
  });
});

test('a packet is the same raw and as old peers wrote it, two messages deep', () => {
  assertLaw(anyBytes(100), (packet) => {
    expect(readIpPacket(toProviderFrame(packet))).toEqual(packet);
    const inner = Buffer.concat([Buffer.from([10, packet.length]), packet]);
    const bytes = Buffer.concat([Buffer.from([10, inner.length]), inner]);
    expect(readIpPacket({ type: 16, bytes, isRaw: false })).toEqual(packet);
    expect(fromProviderFrame(packet).type).toBe(16);
  });
});

test('an id has one text', () => {
  assertLaw(anyId, (value) => {
    expect(fromUuid(toUuid(value))).toBe(value);
  });
  expect(() => fromUuid('no uuid')).toThrow('not a UUID');
});

test('ids grow whatever the clock does, also above those of an earlier life', () => {
  const randomBytes = (length: number) => Buffer.alloc(length, 7);
  assertLaw(fc.tuple(anyId, fc.array(fc.nat(10_000), { minLength: 1 })), ([largest, times]) => {
    const ids = createIdSource({ randomBytes, largest });
    let last: string = largest;
    // The largest id of all has none above it; no clock gets there.
    if (largest.startsWith('\xff\xff')) return;
    for (const time of times) {
      const made = ids.next(1_700_000_000_000 - time);
      expect(made > last).toBe(true);
      last = made;
    }
    expect(ids.largest()).toBe(last);
  });
  const ids = createIdSource({ randomBytes });
  expect(ids.largest()).toBeUndefined();
  expect(toMadeAt(ids.next(1_700_000_000_123))).toBe(1_700_000_000_123);
});
