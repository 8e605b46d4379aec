import { MessageError, readFromEngine } from '../../src/connect/engine/read-messages.ts';
import { createTranslation } from '../../src/connect/provider/translation.ts';
import { createFrameCipher } from '../../src/connect/sealed/frames.ts';
import { createLink } from '../../src/connect/socket/link.ts';
import { contract, storedContract } from '../../src/connect/wire/contract-messages.ts';
import { provide, residentMigrate } from '../../src/connect/wire/control-messages.ts';
import { encryptedControl, encryptedKey } from '../../src/connect/wire/encrypted-control.ts';
import { decodeFrames } from '../../src/connect/wire/frame.ts';
import { fromUuid } from '../../src/connect/wire/id.ts';
import { readIpPacket } from '../../src/connect/wire/ip-frames.ts';
import { decode } from '../../src/connect/wire/message.ts';
import { decodeTransferFrame, readPath } from '../../src/connect/wire/transfer-frame.ts';
import { WireError } from '../../src/connect/wire/wire-error.ts';
import sealed from '../connect/sealed/vectors.json' with { type: 'json' };
import { toState } from '../connect/support/engine-state.ts';
import vectors from '../connect/wire/vectors.json' with { type: 'json' };
import type { Target } from './targets.ts';

/** A packet of a ping, with what lies around it cut off. */
const packet = '4500001c0001000040010000c0a80001080808080800f7ff00000000';
const encrypted = [
  ...sealed.sealed.frames.map((frame) => frame.outer_frame),
  sealed.encrypted_control.proof_client,
  sealed.publish.encrypted_key,
];
const samples = [...Object.values(vectors), ...encrypted, packet].map((hex) =>
  Buffer.from(hex, 'hex').toString('latin1'),
);

/** Readers of bytes that strangers send; a text stands for them, one character for each byte. */
const readers: readonly (readonly [string, (bytes: Buffer) => unknown])[] = [
  ['a frame of connect', decodeTransferFrame],
  ['the path of a frame', readPath],
  ['frames of an answer', decodeFrames],
  ['a contract', (bytes) => decode(storedContract, decode(contract, bytes).storedBytes)],
  ['a set of secrets', (bytes) => decode(provide, bytes)],
  ['a control of a session', (bytes) => decode(encryptedControl, bytes)],
  ['certificates of a client', (bytes) => decode(encryptedKey, bytes)],
  ['a sealed frame', openSealed],
  ['a request to move', (bytes) => decode(residentMigrate, bytes)],
  ['a packet in two messages', (bytes) => readIpPacket({ type: 15, bytes, isRaw: false })],
  ['a consumer’s packet', readPacket],
  ['a message of the platform', hearPlatform],
];

export const connectTargets: readonly Target[] = [
  ...readers.map(([name, read]) => ({
    name,
    samples,
    run: (text: string) => readOrRefuse(read, Buffer.from(text, 'latin1')),
  })),
  { name: 'a message of the engine', samples: engineLines(), run: readEngineLine },
];

const { key } = sealed.sealed;

/** What opens is a frame again, from the same two. */
function openSealed(bytes: Buffer): unknown {
  const { body } = decodeTransferFrame(bytes);
  if (body.kind !== 'sealed') return undefined;
  const cipher = createFrameCipher(Buffer.from(key, 'hex'), () => Buffer.alloc(0));
  const opened = cipher.open(body.bytes);
  return opened && decodeTransferFrame(opened);
}

function readOrRefuse<Of>(read: (of: Of) => unknown, of: Of): unknown {
  try {
    return read(of);
  } catch (error) {
    if (error instanceof WireError || error instanceof MessageError) return undefined;
    throw error;
  }
}

/** What a taken over engine may say; the agent makes a Date of its moment. */
function readEngineLine(text: string): unknown {
  return readOrRefuse((line) => {
    const message = readFromEngine(line);
    if (message.type !== 'state' || message.connectedSince === null) return message;
    return new Date(message.connectedSince).toISOString();
  }, text);
}

function engineLines(): readonly string[] {
  return [
    toState(),
    toState({ connectedSince: 1_700_000_000_000 }),
    toState({ connectedSince: 8.64e15 }),
    { type: 'seen', sighting: { kind: 'noted', isFirst: true, aheadMs: 0 }, isPublished: true },
    {
      type: 'seen',
      sighting: { kind: 'speed-test', bytesPerSecond: 4_000_000, isWhole: true },
      isPublished: true,
    },
    { type: 'problem', code: 'tls-refused', message: 'the certificate has expired' },
  ].map((message) => JSON.stringify(message));
}

/** What the platform may send by its socket, also in the middle of a test of the line. */
function hearPlatform(bytes: Buffer): unknown {
  const link = createLink({ ownId: consumer, hosts: 2, random: () => 0.5 });
  link.step(0);
  link.opened(0, 1);
  return [bytes, Buffer.from([1, 0, 0, 0, 0]), bytes, Buffer.from([2, 0, 0, 0, 0])].map(
    (message, at) => link.received(0, message, 10 + at),
  );
}

const consumer = fromUuid('00000000-0000-4000-8000-000000000001');

/** Out by an address of the pool, and the same bytes as an answer. */
function readPacket(bytes: Buffer): unknown {
  const pool = {
    ipv4: { first: Buffer.from([100, 64, 0, 1]), count: 4 },
    ipv6: { first: Buffer.from('fd00'.padEnd(32, '0'), 'hex'), count: 4 },
  };
  const translation = createTranslation(pool, new Map());
  return [translation.outward(consumer, bytes), translation.inward(Buffer.from(bytes))];
}
