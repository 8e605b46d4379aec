import { expect, test } from 'vitest';
import { completeSecrets } from '../../../src/connect/contract/secrets.ts';
import { createEngine } from '../../../src/connect/provider/engine.ts';
import type { Id } from '../../../src/connect/wire/id.ts';
import { toProviderFrame } from '../../../src/connect/wire/ip-frames.ts';
import { messageTypes, provideModes } from '../../../src/connect/wire/message-types.ts';
import type { Pack } from '../../../src/connect/wire/pack.ts';
import { makeContract, testIds } from '../support/contracts.ts';
import { makePacket } from '../support/packets.ts';
import { sendPack } from '../support/send-pack.ts';
import { testPool } from '../support/test-pool.ts';

const start = 1_700_000_000_000;
const ids = testIds(12);
const ownId = ids.next(start);
let made = 0;
const secrets = completeSecrets((length) => Buffer.alloc(length, ++made));
const packet = makePacket({ version: 4, protocol: 17, payload: Buffer.alloc(972) });
const full = [packet, packet, packet].map(toProviderFrame);

const setUp = () =>
  createEngine({ ownId, secrets, wish: 'public', ids, wallMs: () => start, pool: testPool });

const contractOf = (sourceId: Id): Buffer =>
  makeContract({
    contractId: ids.next(start),
    sourceId,
    destinationId: ownId,
    byteCount: 100_000_000,
    secret: secrets.get(provideModes.public) as Buffer,
    mode: provideModes.public,
  });
const answerTo = (consumer: Id): Buffer =>
  makeContract({
    contractId: ids.next(start),
    sourceId: ownId,
    destinationId: consumer,
    byteCount: 1024 * 1024,
    secret: Buffer.alloc(32),
    mode: provideModes.stream,
  });

const send = (sourceId: Id, pack: Partial<Pack>): Buffer =>
  sendPack({ sourceId, destinationId: ownId, ids, at: start }, { frames: full, ...pack });

const upTo = (count: number) => [...Array(count).keys()];

test('a paying consumer that begins a newer sequence with each Pack has us ask for few contracts', () => {
  const engine = setUp();
  const consumer = ids.next(start);
  const contract = contractOf(consumer);
  const ping = { type: messageTypes.ipPing, bytes: Buffer.alloc(8), isRaw: true };
  let asked = 0;
  const seconds = 10;
  for (let now = start; now < start + seconds * 1000; now++) {
    engine.frame(send(consumer, { contract, frames: [ping] }), now);
    const { asks } = engine.step(now, 100);
    asked += asks.length;
    for (const ask of asks) engine.answered(ask, answerTo(consumer), now);
  }
  expect(asked).toBeGreaterThan(seconds);
  expect(asked).toBeLessThanOrEqual(16 + 2 * seconds);
});

test('one that holds all it can on sixteen lanes leaves others room for what comes too early', () => {
  const engine = setUp();
  const [greedy, honest] = [ids.next(start), ids.next(start)];
  const contract = contractOf(greedy);
  for (const lane of upTo(16)) {
    const of = {
      sequenceId: ids.next(start),
      lane: { forceStream: lane > 8, isCompanion: false, number: lane % 9 },
    };
    engine.frame(send(greedy, { ...of, contract }), start);
    for (const number of upTo(800))
      engine.frame(send(greedy, { ...of, sequenceNumber: 2 + number, isHead: false }), start);
  }
  expect(engine.counters().dropped.noRoom).toBeGreaterThan(1000);
  engine.step(start, 100);
  const sequenceId = ids.next(start);
  const sent = upTo(50).map((sequenceNumber) =>
    send(honest, {
      sequenceId,
      sequenceNumber,
      isHead: sequenceNumber === 0,
      contract: sequenceNumber === 0 ? contractOf(honest) : undefined,
    }),
  );
  // The second one comes last.
  const [first, second, ...others] = sent as [Buffer, Buffer, ...Buffer[]];
  for (const message of [first, ...others, second]) engine.frame(message, start);
  expect(engine.step(start, 100).packets).toHaveLength(3 * 50);
});

test('those that take no answers leave room for the answers of others', () => {
  const engine = setUp();
  const silent = upTo(40).map(() => ids.next(start));
  const honest = ids.next(start);
  const addresses = new Map<Id, Buffer>();
  for (const consumer of [...silent, honest]) {
    engine.frame(send(consumer, { contract: contractOf(consumer) }), start);
    const [sent] = engine.step(start, 100).packets;
    addresses.set(consumer, Buffer.from((sent as Buffer).subarray(12, 16)));
  }
  const answer = (consumer: Id): boolean => {
    const before = engine.counters().dropped.full;
    const reply = Buffer.from(packet);
    (addresses.get(consumer) as Buffer).copy(reply, 16);
    engine.packet(reply, start);
    return engine.counters().dropped.full === before;
  };
  for (const consumer of silent) while (answer(consumer));
  expect(answer(honest)).toBe(true);
});
