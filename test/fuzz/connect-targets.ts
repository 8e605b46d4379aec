import { createTranslation } from '../../src/connect/provider/translation.ts';
import { contract, storedContract } from '../../src/connect/wire/contract-messages.ts';
import { provide, residentMigrate } from '../../src/connect/wire/control-messages.ts';
import { decodeFrames } from '../../src/connect/wire/frame.ts';
import { fromUuid } from '../../src/connect/wire/id.ts';
import { readIpPacket } from '../../src/connect/wire/ip-frames.ts';
import { decode } from '../../src/connect/wire/message.ts';
import { decodeTransferFrame, readPath } from '../../src/connect/wire/transfer-frame.ts';
import { WireError } from '../../src/connect/wire/wire-error.ts';
import vectors from '../connect/wire/vectors.json' with { type: 'json' };
import type { Target } from './targets.ts';

/** A packet of a ping, with what lies around it cut off. */
const packet = '4500001c0001000040010000c0a80001080808080800f7ff00000000';
const samples = [...Object.values(vectors), packet].map((hex) =>
  Buffer.from(hex, 'hex').toString('latin1'),
);

/** Readers of bytes that strangers send; a text stands for them, one character for each byte. */
const readers: readonly (readonly [string, (bytes: Buffer) => unknown])[] = [
  ['a frame of connect', decodeTransferFrame],
  ['the path of a frame', readPath],
  ['frames of an answer', decodeFrames],
  ['a contract', (bytes) => decode(storedContract, decode(contract, bytes).storedBytes)],
  ['a set of secrets', (bytes) => decode(provide, bytes)],
  ['a request to move', (bytes) => decode(residentMigrate, bytes)],
  ['a packet in two messages', (bytes) => readIpPacket({ type: 15, bytes, isRaw: false })],
  ['a consumer’s packet', readPacket],
];

export const connectTargets: readonly Target[] = readers.map(([name, read]) => ({
  name,
  samples,
  run: (text) => readOrRefuse(read, Buffer.from(text, 'latin1')),
}));

function readOrRefuse(read: (bytes: Buffer) => unknown, bytes: Buffer): unknown {
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

/** Out by an address of the pool, and the same bytes as an answer. */
function readPacket(bytes: Buffer): unknown {
  const pool = {
    ipv4: { first: Buffer.from([100, 64, 0, 1]), count: 4 },
    ipv6: { first: Buffer.from('fd00'.padEnd(32, '0'), 'hex'), count: 4 },
  };
  const translation = createTranslation(pool, new Map());
  const consumer = fromUuid('00000000-0000-4000-8000-000000000001');
  return [translation.outward(consumer, bytes), translation.inward(Buffer.from(bytes))];
}
