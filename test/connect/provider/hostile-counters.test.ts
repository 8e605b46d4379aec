import { expect, test } from 'vitest';
import { completeSecrets } from '../../../src/connect/contract/secrets.ts';
import type { EngineCounters } from '../../../src/connect/provider/counters.ts';
import { createEngine } from '../../../src/connect/provider/engine.ts';
import { contract, storedContract } from '../../../src/connect/wire/contract-messages.ts';
import type { Id } from '../../../src/connect/wire/id.ts';
import { toProviderFrame } from '../../../src/connect/wire/ip-frames.ts';
import { decode, encode } from '../../../src/connect/wire/message.ts';
import type { Pack } from '../../../src/connect/wire/pack.ts';
import { decodeTransferFrame, encodeAckFrame } from '../../../src/connect/wire/transfer-frame.ts';
import { makeContract, testIds } from '../support/contracts.ts';
import { makePacket } from '../support/packets.ts';
import { sendPack } from '../support/send-pack.ts';
import { testPool } from '../support/test-pool.ts';

const start = 1_700_000_000_000;
const ids = testIds(31);
const ownId = ids.next(start);
let made = 0;
const secrets = completeSecrets((length) => Buffer.alloc(length, ++made));
const packet = makePacket({ version: 4, protocol: 17, payload: Buffer.alloc(972) });
const consumer = ids.next(start);
const mebibyte = 1024 * 1024;

const setUp = () =>
  createEngine({
    ownId,
    secrets,
    wish: 'network',
    ids,
    wallMs: () => start,
    pool: testPool,
  });

type ContractOf = Partial<Parameters<typeof makeContract>[0]>;
function contractOf(of: ContractOf = {}): Buffer {
  return makeContract({
    contractId: ids.next(start),
    sourceId: consumer,
    destinationId: ownId,
    byteCount: mebibyte,
    secret: secrets.get(1) as Buffer,
    mode: 1,
    ...of,
  });
}

function send(pack: Partial<Pack>, sourceId: Id | undefined = consumer, to = ownId): Buffer {
  const sending = { sourceId, destinationId: to, ids, at: start };
  return sendPack(sending, { frames: [toProviderFrame(packet)], ...pack });
}

function ackOf(sequenceId: Id): Buffer {
  return encodeAckFrame(
    { sourceId: consumer, destinationId: ownId, streamId: undefined },
    {
      messageId: ids.next(start),
      sequenceId,
      isSelective: false,
      tag: { sentAt: start },
      missingContractId: undefined,
      recoversContracts: true,
      laneVersion: 1,
    },
  );
}

/** The form that signers used once: it is longer, and proves nothing. */
function oldForm(): Buffer {
  const good = decode(contract, contractOf());
  return encode(contract, { ...good, hmac: Buffer.concat([good.storedBytes, Buffer.alloc(32)]) });
}
/** A good signature over other bytes. */
function grown(): Buffer {
  const good = decode(contract, contractOf());
  const stored = decode(storedContract, good.storedBytes);
  const storedBytes = encode(storedContract, { ...stored, transferByteCount: 100 * mebibyte });
  return encode(contract, { ...good, storedBytes });
}

const used = contractOf();
const strangers: readonly Id[] = Array.from({ length: 5000 }, () => ids.next(start));

interface Row {
  readonly frames: readonly Buffer[];
  /** What the counters say, and the packets that reach the device. */
  readonly counts: (counters: EngineCounters) => number | undefined;
  readonly expected: number;
  readonly delivered: number;
}
const refusedAs = (reason: keyof EngineCounters['contracts']['refused']) => (of: EngineCounters) =>
  of.contracts.refused[reason];

const rows: Readonly<Record<string, Row>> = {
  'a forged contract': {
    frames: [send({ contract: contractOf({ secret: Buffer.alloc(32, 99) }) })],
    counts: refusedAs('bad-signature'),
    expected: 1,
    delivered: 0,
  },
  'a contract that was made larger': {
    frames: [send({ contract: grown() })],
    counts: refusedAs('bad-signature'),
    expected: 1,
    delivered: 0,
  },
  'a contract in the old form': {
    frames: [send({ contract: oldForm() })],
    counts: refusedAs('old-form'),
    expected: 1,
    delivered: 0,
  },
  'a contract of a mode that is not published': {
    frames: [send({ contract: contractOf({ mode: 3, secret: secrets.get(3) as Buffer }) })],
    counts: refusedAs('mode-not-published'),
    expected: 1,
    delivered: 0,
  },
  'a contract to another provider': {
    frames: [send({ contract: contractOf({ destinationId: consumer }) })],
    counts: refusedAs('foreign-destination'),
    expected: 1,
    delivered: 0,
  },
  'an oversized contract': {
    frames: [send({ contract: contractOf({ byteCount: 2 ** 40 }) })],
    counts: refusedAs('oversized'),
    expected: 1,
    delivered: 0,
  },
  'a contract of another consumer': {
    frames: [send({ contract: used }), send({ contract: used }, strangers[0])],
    counts: refusedAs('foreign-source'),
    expected: 1,
    delivered: 1,
  },
  'a contract that is no message': {
    frames: [send({ contract: Buffer.from('ffffffff', 'hex') })],
    counts: refusedAs('unreadable'),
    expected: 1,
    delivered: 0,
  },
  'a contract of a day ago': {
    frames: [
      // The clock of the service is learnt from a contract that is new.
      send({ contract: contractOf() }, strangers[1]),
      send({ contract: contractOf() }),
      send({ contract: contractOf({ contractId: testIds(5).next(start - 90_000_000) }) }),
    ],
    counts: refusedAs('too-old'),
    expected: 1,
    delivered: 1,
  },
  'acks of what was never sent': {
    frames: [ackOf(ids.next(start)), ackOf(ids.next(start))],
    counts: ({ dropped }) => dropped.strayAcks,
    expected: 2,
    delivered: 0,
  },
  'frames to others': {
    frames: [send({ contract: contractOf() }, consumer, strangers[0])],
    counts: ({ dropped }) => dropped.misdirected,
    expected: 1,
    delivered: 0,
  },
  'a varint without an end, and a message above 4,096 bytes': {
    frames: [Buffer.alloc(40, 0xff), Buffer.alloc(4097)],
    counts: ({ dropped }) => dropped.unreadable,
    expected: 2,
    delivered: 0,
  },
  'five thousand consumers that pay': {
    frames: strangers.map((sourceId) => send({ contract: contractOf({ sourceId }) }, sourceId)),
    counts: ({ dropped }) => dropped.tooMany,
    expected: 5000 - 4096,
    delivered: 4096,
  },
};

test.each(Object.entries(rows))('%s: counted, and bounded', (_, row) => {
  const engine = setUp();
  for (const frame of row.frames) engine.frame(frame, start);
  const { packets } = engine.step(start, 1000);
  expect(row.counts(engine.counters())).toBe(row.expected);
  expect(packets.length).toBe(row.delivered);
});

test('where all places are taken, those that were silent for half a minute make room, and their bytes are reported', () => {
  const engine = setUp();
  const enter = (sourceId: Id, now: number) =>
    engine.frame(send({ contract: contractOf({ sourceId }) }, sourceId), now);
  const [first, ...others] = strangers.slice(0, 4096);
  for (const sourceId of others) enter(sourceId, start);
  engine.step(start, 10_000);
  const later = start + 31_000;
  enter(first as Id, later);
  // All places are taken now, and nobody but the last one has said something.
  for (const sourceId of strangers.slice(4096, 4096 + 100)) enter(sourceId, later);
  const { dropped, consumers } = engine.counters();
  expect([dropped.tooMany, consumers]).toEqual([36, 4096]);
  const { reports } = engine.step(later, 10_000);
  expect(reports.filter(({ ackedByteCount }) => ackedByteCount > 0).length).toBeGreaterThanOrEqual(
    64,
  );
  // They are asked to make room once in a second.
  for (const sourceId of strangers.slice(4200, 4300)) enter(sourceId, later + 1000);
  expect(engine.counters()).toMatchObject({ dropped: { tooMany: 72 }, consumers: 4096 });
});

test('where nobody was silent, one more is one too many', () => {
  const engine = setUp();
  for (const [at, sourceId] of strangers.entries())
    engine.frame(send({ contract: contractOf({ sourceId }) }, sourceId), start + at * 5);
  expect(engine.counters()).toMatchObject({ dropped: { tooMany: 5000 - 4096 }, consumers: 4096 });
});

test('sequences that never get on hold sixteen mebibytes, whoever they are', () => {
  const engine = setUp();
  const bytes = 1000;
  let held = 0;
  for (const sourceId of strangers.slice(0, 400)) {
    const sequenceId = ids.next(start);
    engine.frame(send({ sequenceId, contract: contractOf({ sourceId }) }, sourceId), start);
    for (let gap = 2; gap < 52; gap++)
      engine.frame(send({ sequenceId, sequenceNumber: gap, isHead: false }, sourceId), start);
  }
  engine.step(start, 1000);
  for (const frame of engine.step(start + 20, 1000).frames) {
    const { body } = decodeTransferFrame(frame);
    if (body.kind === 'ack' && body.ack.isSelective) held++;
  }
  // What finds no room gets no ack: it is sent again later.
  expect(held * bytes).toBeGreaterThan(10 * mebibyte);
  expect(held * bytes).toBeLessThan(16 * mebibyte);
});

test('eight thousand lanes are the most, of whomever they are', () => {
  const engine = setUp();
  let delivered = 0;
  for (const sourceId of strangers.slice(0, 700)) {
    const contract = contractOf({ sourceId });
    for (let number = 0; number < 18; number++) {
      const lane = { forceStream: number > 8, isCompanion: false, number: number % 9 };
      engine.frame(send({ contract, lane }, sourceId), start);
    }
    delivered += engine.step(start, 1000).packets.length;
  }
  // Sixteen of each consumer, until there are no more.
  expect(delivered).toBe(8192);
  expect(engine.counters().dropped.unpaid).toBe(700 * 18 - 8192);
  // They are given back.
  for (let now = start; now < start + 130_000; now += 1000) engine.step(now, 1000);
  engine.frame(send({ contract: contractOf() }), start + 131_000);
  expect(engine.step(start + 131_000, 1000).packets.length).toBe(1);
});

/** An answer to a packet that the device was given. */
function answerTo(outward: Buffer): Buffer {
  const answer = Buffer.from(packet);
  outward.copy(answer, 16, 12, 16);
  outward.copy(answer, 12, 16, 20);
  return answer;
}
function countBytes(frames: readonly Buffer[]): number {
  let sum = 0;
  for (const frame of frames) {
    const { body } = decodeTransferFrame(frame);
    if (body.kind === 'pack') for (const one of body.pack.frames) sum += one.bytes.length;
  }
  return sum;
}

test('a consumer that begins again and again, and acknowledges nothing, gets little', () => {
  const engine = setUp();
  const bytes = contractOf({ byteCount: 200 * mebibyte });
  const beginAgain = (now: number): number => {
    engine.frame(send({ contract: bytes }), now);
    const { packets, asks } = engine.step(now, 1000);
    for (const outward of packets)
      for (let count = 0; count < 80; count++) engine.packet(answerTo(outward), now);
    for (const ask of [...asks, ...engine.step(now, 1000).asks]) {
      const of = { sourceId: ownId, destinationId: consumer, mode: 4 };
      engine.answered(ask, contractOf({ ...of, byteCount: ask.transferByteCount }), now);
    }
    let sent = 0;
    for (let later = 10; later <= 100; later += 10)
      sent += countBytes(engine.step(now + later, 1000).frames);
    return sent;
  };
  let sent = 0;
  // More often than twice a second it gets no contract.
  for (let round = 0; round < 400; round++) sent += beginAgain(start + round * 600);
  expect(engine.counters().renewals.abandonedBytes).toBeGreaterThan(16 * mebibyte);
  // A few windows more than the limit.
  expect(sent).toBeLessThan(16 * mebibyte + 4 * 64 * 1024);
});
