import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeCloseContract,
  decodeContract,
  decodeStoredContract,
  encodeCloseContract,
  encodeContract,
  encodeStoredContract,
} from '../../../src/connect/wire/contract-messages.ts';
import {
  decodeNetworkPeers,
  decodeProvide,
  decodeResidentMigrate,
  encodeNetworkPeers,
  encodeProvide,
  encodeResidentMigrate,
} from '../../../src/connect/wire/control-messages.ts';
import {
  decodeCreateContract,
  decodeCreateContractResult,
  encodeCreateContract,
  encodeCreateContractResult,
} from '../../../src/connect/wire/create-contract.ts';
import { decodeFrames, encodeFrames } from '../../../src/connect/wire/frame.ts';
import { createIdSource, fromUuid, toMadeAt, toUuid } from '../../../src/connect/wire/id.ts';
import {
  fromProviderFrame,
  readIpPacket,
  toProviderFrame,
  toWrappedFrame,
} from '../../../src/connect/wire/ip-frames.ts';
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

test('every contract message comes back as it was written', () => {
  const stored = fc.record({
    contractId: anyId,
    transferByteCount: anyNumber,
    sourceId: anyId,
    destinationId: anyId,
    priority: fc.nat(),
  });
  assertLaw(stored, (value) => {
    expect(decodeStoredContract(encodeStoredContract(value))).toEqual(value);
  });
  const contract = fc.record({ storedBytes: anyBytes(200), hmac: anyBytes(40), mode: fc.nat(9) });
  assertLaw(contract, (value) => {
    expect(decodeContract(encodeContract(value))).toEqual(value);
  });
  const close = fc.record({
    contractId: anyId,
    ackedByteCount: anyNumber,
    unackedByteCount: anyNumber,
    isCheckpoint: fc.boolean(),
  });
  assertLaw(close, (value) => {
    expect(decodeCloseContract(encodeCloseContract(value))).toEqual(value);
  });
});

test('a request for a contract and its answer come back as they were written', () => {
  const request = fc.record({
    destinationId: anyId,
    transferByteCount: anyNumber,
    isCompanion: fc.boolean(),
    usedContractIds: fc.array(anyId, { maxLength: 3 }),
    forceStream: maybe(fc.boolean()),
    streamVersion: fc.nat(2),
  });
  assertLaw(request, (value) => {
    expect(decodeCreateContract(encodeCreateContract(value))).toEqual(value);
  });
  const result = fc.record({
    error: maybe(fc.nat(4)),
    contract: maybe(anyBytes(200).filter((bytes) => bytes.length > 0)),
    request: maybe(request),
  });
  assertLaw(result, (value) => {
    expect(decodeCreateContractResult(encodeCreateContractResult(value))).toEqual(value);
  });
});

test('every control message comes back as it was written', () => {
  assertLaw(fc.array(fc.record({ mode: fc.nat(5), secret: anyBytes(32) })), (keys) => {
    expect(decodeProvide(encodeProvide(keys))).toEqual(keys);
  });
  assertLaw(anyNumber, (time) => {
    expect(decodeResidentMigrate(encodeResidentMigrate(time))).toBe(time);
  });
  const peer = fc.record({
    clientId: anyId,
    provideModes: fc.array(fc.nat(5)),
    deviceName: fc.string(),
    disconnectedAt: maybe(fc.integer({ min: 1 })),
  });
  assertLaw(fc.array(peer), (peers) => {
    expect(decodeNetworkPeers(encodeNetworkPeers(peers))).toEqual(peers);
  });
  assertLaw(fc.array(anyFrame), (frames) => {
    expect(decodeFrames(encodeFrames(frames))).toEqual(frames);
  });
});

test('a packet is the same raw and wrapped', () => {
  assertLaw(anyBytes(1100), (packet) => {
    expect(readIpPacket(toProviderFrame(packet))).toEqual(packet);
    expect(readIpPacket(toWrappedFrame(16, packet))).toEqual(packet);
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
