import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  contract,
  createContractResult,
  storedContract,
} from '../../../src/connect/wire/contract-messages.ts';
import { provide } from '../../../src/connect/wire/control-messages.ts';
import { decodeFrames } from '../../../src/connect/wire/frame.ts';
import { readIpPacket } from '../../../src/connect/wire/ip-frames.ts';
import { decode } from '../../../src/connect/wire/message.ts';
import { Scanner } from '../../../src/connect/wire/scanner.ts';
import {
  decodeTransferFrame,
  encodePackFrame,
  readPath,
} from '../../../src/connect/wire/transfer-frame.ts';
import { WireError } from '../../../src/connect/wire/wire-error.ts';
import { assertLaw } from '../../unit/law.ts';
import { anyPack, anyPath } from '../support/arbitraries.ts';
import vectors from './vectors.json' with { type: 'json' };

const readers = [
  decodeTransferFrame,
  (bytes: Buffer) => decode(contract, bytes),
  (bytes: Buffer) => decode(storedContract, bytes),
  (bytes: Buffer) => decode(provide, bytes),
  (bytes: Buffer) => decode(createContractResult, bytes),
  decodeFrames,
  (bytes: Buffer) => readIpPacket({ type: 15, bytes, isRaw: false }),
] as const;

/** Reads or refuses: another error, or a read that does not end, is a fault. */
function readOrRefuse(read: (bytes: Buffer) => unknown, bytes: Buffer): void {
  try {
    read(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(WireError);
  }
}

test('whatever the bytes are, they are read or refused', () => {
  assertLaw(fc.uint8Array({ maxLength: 200 }), (bytes) => {
    for (const read of readers) readOrRefuse(read, Buffer.from(bytes));
    readPath(Buffer.from(bytes));
  });
});

test('a good message with one byte changed, or cut short, is read or refused', () => {
  const changed = fc.tuple(
    fc.constantFrom(...Object.values(vectors)),
    fc.nat(),
    fc.nat(255),
    fc.nat(),
  );
  assertLaw(changed, ([hex, at, byte, length]) => {
    const bytes = Buffer.from(hex, 'hex');
    bytes[at % bytes.length] = byte;
    for (const read of readers) {
      readOrRefuse(read, bytes);
      readOrRefuse(read, bytes.subarray(0, length % bytes.length));
    }
  });
});

const refused: readonly (readonly [string, string, string])[] = [
  ['a varint without an end', `08${'ff'.repeat(20)}`, 'does not end'],
  ['a varint that ends after its message', '08ff', 'ends after its message'],
  ['a length beyond the message', '0a10ff', 'ends after its message'],
  ['a length of 64 bits', '0affffffffffffffff7f00', 'ends after its message'],
  ['a group', '0b0c', 'unknown kind'],
  ['the field 0', '0001', 'impossible number'],
  ['a field number above 29 bits', 'ffffffffff0f01', 'impossible number'],
  ['a path of the wrong kind', '0801', 'another kind'],
  ['an id of 15 bytes', `0a110a0f${'01'.repeat(15)}`, '16 bytes'],
  ['nothing at all', '', 'without its path'],
];

test.each(refused)('%s is refused', (_, hex, message) => {
  expect(() => decodeTransferFrame(Buffer.from(hex, 'hex'))).toThrow(message);
});

test('a lane above 8 is refused, and one of 8 is read', () => {
  const frame = Buffer.from(vectors.transfer_frame_pack, 'hex');
  expect(frame.at(-2)).toBe(0x60);
  expect(() => decodeTransferFrame(Buffer.from([...frame.subarray(0, -1), 9]))).toThrow('lane');
  expect(decodeTransferFrame(Buffer.from([...frame.subarray(0, -1), 8])).body.kind).toBe('pack');
});

test('a number above 53 bits is refused where it is used, and skipped elsewhere', () => {
  const huge = 'ffffffffffffffffff01';
  expect(() => decode(storedContract, Buffer.from(`10${huge}`, 'hex'))).toThrow('too large');
  expect(() => decode(storedContract, Buffer.from(`78${huge}`, 'hex'))).toThrow(
    'without contractId',
  );
});

test('messages above 4,096 bytes are neither read nor written', () => {
  assertLaw(fc.tuple(anyPath, anyPack), ([anyOther, pack]) => {
    const frame = { type: 15, bytes: Buffer.alloc(4096), isRaw: true };
    expect(() => encodePackFrame(anyOther, { ...pack, frames: [frame] })).toThrow('4,096');
  });
  expect(() => decodeTransferFrame(Buffer.alloc(4097))).toThrow('above 4,096');
  expect(() => decodeTransferFrame(Buffer.alloc(4096))).toThrow('impossible number');
});

test('messages in messages are gone into only as deep as the reader wants', () => {
  // 1,000 times "field 1 holds a message": the reader of a path goes two deep and finds no id.
  let bytes = Buffer.alloc(0);
  for (let depth = 0; depth < 1000; depth++) {
    const header =
      bytes.length < 128
        ? [10, bytes.length]
        : [10, 0x80 | (bytes.length & 127), bytes.length >>> 7];
    bytes = Buffer.concat([Buffer.from(header), bytes]);
  }
  expect(() => decodeTransferFrame(bytes)).toThrow('16 bytes');
});

test('fields that are not known are skipped, whatever their kind', () => {
  const frame = vectors.transfer_frame_ack;
  const unknown = `9a0603010203a106${'00'.repeat(8)}ad06${'00'.repeat(4)}b00601`;
  expect(decodeTransferFrame(Buffer.from(frame + unknown, 'hex'))).toEqual(
    decodeTransferFrame(Buffer.from(frame, 'hex')),
  );
});

test('a scanner says which fields there are, and goes into none of them by itself', () => {
  const scanner = new Scanner(Buffer.from('0801120208011802', 'hex'));
  const seen: number[] = [];
  while (scanner.next()) seen.push(scanner.field);
  expect(seen).toEqual([1, 2, 3]);
});
