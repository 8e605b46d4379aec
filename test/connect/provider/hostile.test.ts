import { expect, test } from 'vitest';
import { completeSecrets } from '../../../src/connect/contract/secrets.ts';
import { createEngine } from '../../../src/connect/provider/engine.ts';
import type { Id } from '../../../src/connect/wire/id.ts';
import { toProviderFrame } from '../../../src/connect/wire/ip-frames.ts';
import type { Pack } from '../../../src/connect/wire/pack.ts';
import { makeContract, testIds } from '../support/contracts.ts';
import { address, makePacket } from '../support/packets.ts';
import { sendPack } from '../support/send-pack.ts';
import { testPool } from '../support/test-pool.ts';

const start = 1_700_000_000_000;
const ids = testIds(9);
const ownId = ids.next(start);
let made = 0;
const secrets = completeSecrets((length) => Buffer.alloc(length, ++made));
const packet = makePacket({ version: 4, protocol: 17, payload: Buffer.alloc(972) });

function setUp() {
  const engine = createEngine({
    ownId,
    secrets,
    wish: 'public',
    ids,
    wallMs: () => start,
    pool: testPool,
  });
  let delivered = 0;
  let answered = 0;
  const settle = (now = start) => {
    const step = engine.step(now, 1000);
    delivered += step.packets.length;
    answered += step.frames.length;
    return step;
  };
  return { engine, settle, delivered: () => delivered, answered: () => answered };
}

function contractOf(sourceId: Id, of: Partial<Parameters<typeof makeContract>[0]> = {}): Buffer {
  return makeContract({
    contractId: ids.next(start),
    sourceId,
    destinationId: ownId,
    byteCount: 10_000,
    secret: secrets.get(3) as Buffer,
    mode: 3,
    ...of,
  });
}

function send(sourceId: Id | undefined, pack: Partial<Pack>): Buffer {
  const sending = { sourceId, destinationId: ownId, ids, at: start };
  return sendPack(sending, { frames: [toProviderFrame(packet)], ...pack });
}

const stranger = ids.next(start);
test.each([
  ['no contract', undefined],
  ['a forged contract', contractOf(stranger, { secret: Buffer.alloc(32, 77) })],
  ['a contract of another source', contractOf(ids.next(start))],
  ['a contract to another provider', contractOf(stranger, { destinationId: stranger })],
  ['an oversized contract', contractOf(stranger, { byteCount: 2 ** 42 })],
  ['a contract that is empty', contractOf(stranger, { byteCount: 0 })],
  ['a contract of nothing', Buffer.alloc(0)],
])('%s brings nothing to the device and leaves no state', (_, contract) => {
  const { engine, settle, delivered } = setUp();
  engine.frame(send(stranger, { contract }), start);
  engine.frame(send(stranger, { contract, wantsNoAck: true }), start);
  settle();
  expect(delivered()).toBe(0);
  settle(start + 130_000);
  expect(engine.counters().consumers).toBe(0);
});

test('ten thousand sources without a contract leave no state, and get no answer', () => {
  const { engine, settle, delivered, answered } = setUp();
  for (let count = 0; count < 10_000; count++) {
    const source = ids.next(start);
    engine.frame(send(source, { contract: contractOf(stranger) }), start);
  }
  settle();
  settle(start + 1000);
  expect(engine.counters()).toMatchObject({ consumers: 0, dropped: { unpaid: 10_000 } });
  expect(delivered() + answered()).toBe(0);
});

test('one contract on every lane, acknowledged and not, carries its bytes once', () => {
  const { engine, settle, delivered } = setUp();
  const consumer = ids.next(start);
  const contract = contractOf(consumer, { byteCount: 20_000 });
  for (const forceStream of [false, true])
    for (const isCompanion of [false, true])
      for (let number = 0; number <= 8; number++)
        for (const wantsNoAck of [false, true])
          engine.frame(
            send(consumer, { contract, wantsNoAck, lane: { forceStream, isCompanion, number } }),
            start,
          );
  settle();
  expect(delivered()).toBe(20);
  // Each of the others is counted: sixteen lanes of one consumer are open, the rest have no room.
  expect(engine.counters().dropped.unpaid).toBe(72 - 20);
});

test('a contract that was used up is not used again, by a newer sequence either', () => {
  const { engine, settle, delivered } = setUp();
  const consumer = ids.next(start);
  const contract = contractOf(consumer, { byteCount: 3000 });
  for (let count = 0; count < 50; count++) engine.frame(send(consumer, { contract }), start);
  settle();
  expect(delivered()).toBe(3);
  expect(engine.counters().dropped.unpaid).toBe(47);
});

test('a consumer that makes addresses up gets sixteen of the pool', () => {
  const { engine, settle, delivered } = setUp();
  const consumer = ids.next(start);
  const contract = contractOf(consumer, { byteCount: 1_000_000 });
  const sequenceId = ids.next(start);
  for (let last = 0; last < 200; last++) {
    const spoofed = makePacket({
      version: 4,
      protocol: 17,
      payload: Buffer.alloc(10),
      source: address(4, last),
    });
    const frames = [toProviderFrame(spoofed)];
    engine.frame(send(consumer, { contract, sequenceId, sequenceNumber: last, frames }), start);
  }
  settle();
  expect(delivered()).toBe(16);
  expect(engine.counters().dropped.noAddress).toBe(184);
});

test('a packet to an address that nobody has is dropped', () => {
  const { engine } = setUp();
  engine.packet(makePacket({ version: 4, protocol: 6, payload: Buffer.alloc(0) }), start);
  engine.packet(Buffer.alloc(3), start);
  expect(engine.counters().dropped.noAddress).toBe(2);
});

test('messages that cannot be read, and those for others, end nothing but themselves', () => {
  const { engine, settle, delivered } = setUp();
  const consumer = ids.next(start);
  const contract = contractOf(consumer);
  const elsewhere = encodePackFrameTo(ids.next(start));
  for (const bytes of [Buffer.alloc(4097), Buffer.alloc(20, 0xff), Buffer.from('0801', 'hex')])
    engine.frame(bytes, start);
  engine.frame(elsewhere, start);
  engine.frame(
    send(consumer, {
      contract,
      frames: [{ type: 15, bytes: Buffer.from('ff', 'hex'), isRaw: false }],
    }),
    start,
  );
  engine.frame(
    send(undefined, { frames: [{ type: 28, bytes: Buffer.from('ff', 'hex'), isRaw: false }] }),
    start,
  );
  settle();
  engine.frame(send(consumer, { contract }), start);
  settle();
  expect(engine.counters().dropped).toMatchObject({ unreadable: 3, misdirected: 1, unsound: 1 });
  expect(delivered()).toBe(1);
});

function encodePackFrameTo(destinationId: Id): Buffer {
  const bytes = send(stranger, {});
  bytes.write(destinationId, 4, 'latin1');
  return bytes;
}

test('a sequence whose hole is never filled holds no more than its share, and ends', () => {
  const { engine, settle, delivered, answered } = setUp();
  const consumer = ids.next(start);
  const contract = contractOf(consumer, { byteCount: 100_000_000 });
  const sequenceId = ids.next(start);
  const at = { contract, sequenceId };
  engine.frame(send(consumer, at), start);
  for (let number = 2; number < 12_000; number++)
    engine.frame(send(consumer, { sequenceId, sequenceNumber: number, isHead: false }), start);
  settle(start + 10);
  settle(start + 20);
  expect(delivered()).toBe(1);
  // What is above 2.5 MiB was dropped, and got no ack.
  expect(answered()).toBeLessThan(2200);
  expect(engine.counters().dropped.noRoom).toBeGreaterThan(11_998 - 2200);
  for (let now = start + 1000; now < start + 70_000; now += 1000) settle(now);
  settle(start + 400_000);
  expect(engine.counters().consumers).toBe(0);
});

const nothing = { type: 1, bytes: Buffer.alloc(0), isRaw: false };

test('what holds many frames of nothing takes its share for what they take, not for their bytes', () => {
  const { engine, settle, answered } = setUp();
  const consumer = ids.next(start);
  const sequenceId = ids.next(start);
  engine.frame(send(consumer, { sequenceId, contract: contractOf(consumer) }), start);
  const frames = Array.from({ length: 190 }, () => nothing);
  for (let number = 2; number < 1000; number++)
    engine.frame(
      send(consumer, { sequenceId, sequenceNumber: number, isHead: false, frames }),
      start,
    );
  settle(start + 10);
  settle(start + 20);
  // 2.5 MiB are 71 of them, at 190 objects and views each.
  expect(answered()).toBeGreaterThan(50);
  expect(answered()).toBeLessThan(80);
});

test('a message that is nothing but frames is not read', () => {
  const { engine } = setUp();
  const consumer = ids.next(start);
  const frames = Array.from({ length: 193 }, () => nothing);
  engine.frame(send(consumer, { contract: contractOf(consumer), frames }), start);
  expect(engine.counters()).toMatchObject({ consumers: 0, dropped: { unreadable: 1 } });
  engine.frame(send(consumer, { contract: contractOf(consumer), frames: frames.slice(1) }), start);
  expect(engine.counters()).toMatchObject({ consumers: 1, dropped: { unreadable: 1 } });
});

test('what the platform says is acknowledged, whatever it is', () => {
  const { engine, settle } = setUp();
  const sequenceId = ids.next(start);
  for (const [number, type] of [22, 26, 8, 99].entries()) {
    const frames = [{ type, bytes: Buffer.alloc(5, 255), isRaw: false }];
    engine.frame(
      send(undefined, { sequenceId, sequenceNumber: number, isHead: number === 0, frames }),
      start,
    );
  }
  const migrate = { type: 28, bytes: Buffer.from('0864', 'hex'), isRaw: false };
  engine.frame(
    send(undefined, { sequenceId, sequenceNumber: 4, isHead: false, frames: [migrate] }),
    start,
  );
  settle();
  expect(settle(start + 10)).toMatchObject({ frames: [{}] });
});
