import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFrameCipher } from '../../../src/connect/sealed/frames.ts';
import { makeIdentity } from '../../../src/connect/sealed/identity.ts';
import { sealedLimits } from '../../../src/connect/sealed/limits.ts';
import { controlKinds, encryptedControl } from '../../../src/connect/wire/encrypted-control.ts';
import { toFrame } from '../../../src/connect/wire/frame.ts';
import type { Id } from '../../../src/connect/wire/id.ts';
import { encode } from '../../../src/connect/wire/message.ts';
import { messageTypes } from '../../../src/connect/wire/message-types.ts';
import { encodeSealedFrame } from '../../../src/connect/wire/transfer-frame.ts';
import { toEpochId } from '../sealed/session-world.ts';
import { createTlsClient } from '../sealed/tls-client.ts';
import { addSealedConsumer, type SealedConsumer } from '../support/sealed-consumer.ts';
import { numbersOf, openSealedWorld, packetOf, runUntil } from '../support/sealed-world.ts';
import { sendPack } from '../support/send-pack.ts';
import type { TestConsumer } from '../support/test-consumer.ts';
import type { World } from '../support/world.ts';

const upTo = (count: number) => [...Array(count).keys()];
const each = 30;
let hello: Buffer = Buffer.alloc(0);
const client = createTlsClient(makeIdentity(randomBytes), {});

beforeAll(async () => {
  while (hello.length === 0) {
    await turn();
    hello = client.take();
  }
});
afterAll(() => client.end());

type Say = (kind: number, payload: Buffer, epochId?: Id) => void;

/** What a consumer may do who pays, and is out for harm. */
const attacks: readonly (readonly [string, (say: Say, at: number) => void])[] = [
  [
    '300 handshakes with rising names',
    (say, at) => say(controlKinds.handshake, hello, toEpochId(at + 1)),
  ],
  [
    '300 halves of a hello',
    (say, at) =>
      say(controlKinds.handshake, hello.subarray(0, hello.length / 2), toEpochId(at + 1)),
  ],
  [
    '140 kB of one handshake',
    (say, at) => say(controlKinds.handshake, at === 0 ? hello : randomBytes(466), toEpochId(1)),
  ],
  [
    'bad second flights',
    (say, at) => {
      say(controlKinds.handshake, hello, toEpochId(at + 1));
      say(
        controlKinds.handshake,
        Buffer.concat([hello.subarray(0, 5), randomBytes(400)]),
        toEpochId(at + 1),
      );
    },
  ],
  [
    'proofs and bytes of handshakes to come',
    (say, at) => {
      say(controlKinds.proof, randomBytes(64), toEpochId(1_000_000 + at));
      say(controlKinds.handshake, randomBytes(900), toEpochId(2_000_000 + at));
    },
  ],
  [
    'wrong proofs',
    (say, at) => {
      say(controlKinds.handshake, hello, toEpochId(at + 1));
      say(controlKinds.proof, randomBytes(at % 2 === 0 ? 64 : 10), toEpochId(at + 1));
    },
  ],
  ['nacks', (say) => say(controlKinds.nack, Buffer.alloc(0))],
];

function speak(world: World, consumer: TestConsumer): Say {
  return (kind, payload, epochId) => {
    const control = { kind, payload, role: 1, isCompanion: false, epochId };
    const bytes = encode(encryptedControl, control);
    consumer.sender().offer(toFrame(messageTypes.encryptedControl, bytes), world.now());
  };
}

async function openHonest(world: World): Promise<readonly SealedConsumer[]> {
  const honest = [addSealedConsumer(world, { isRequired: true }), addSealedConsumer(world)];
  for (const peer of honest) peer.offer(world.now());
  await runUntil(world, honest, () => honest.every((peer) => peer.isSealing()));
  return honest;
}

async function expectServed(world: World, honest: readonly SealedConsumer[]): Promise<void> {
  const all = () => honest.every(({ consumer }) => consumer.received.length === each * 2);
  for (const { consumer } of honest)
    for (const number of upTo(each)) consumer.send(packetOf(each + number), world.now());
  await runUntil(world, honest, all);
  for (const { consumer, count } of honest) {
    expect(numbersOf(consumer.received)).toEqual(upTo(each * 2));
    expect(count.nacks).toBe(0);
  }
  expect(honest[0]?.count.plainPackets).toBe(0);
}

describe('honest consumers are served beside', () => {
  test.each(attacks)('%s', async (_name, attack) => {
    const world = openSealedWorld();
    const honest = await openHonest(world);
    const hostile = world.addConsumer();
    const say = speak(world, hostile);
    for (const { consumer } of honest)
      for (const number of upTo(each)) consumer.send(packetOf(number), world.now());
    for (const at of upTo(300)) {
      attack(say, at);
      if (at % 20 !== 0) continue;
      world.run(2);
      await turn();
    }
    await runUntil(world, honest, () =>
      honest.every(({ consumer }) => consumer.received.length === each),
    );
    world.run(3000);
    await expectServed(world, honest);
    const { sealing } = world.engine.counters();
    // Two of them are the honest ones'.
    expect(sealing.handshakes).toBeLessThanOrEqual(2 + sealedLimits.epochsPerMinute);
    expect(sealing.proven).toBe(2);
    // What it was given up for is counted, and nothing of it is left after its time.
    world.run(sealedLimits.proofMs + 10_000);
    expect(world.engine.counters().sealing.sealedConsumers).toBe(2);
  });

  test('300 handshakes of one that an earlier life knew, and that pays no more', async () => {
    const world = openSealedWorld();
    const hostile = world.addConsumer();
    hostile.send(packetOf(0), world.now());
    world.run(1000);
    world.replaceEngine(world.engine.save());
    const honest = await openHonest(world);
    for (const { consumer } of honest)
      for (const number of upTo(each)) consumer.send(packetOf(number), world.now());
    const sequenceId = world.ids.next(world.now());
    for (const at of upTo(300)) {
      const of = { kind: controlKinds.handshake, payload: hello, role: 1, isCompanion: false };
      const bytes = encode(encryptedControl, { ...of, epochId: toEpochId(at + 1) });
      const frames = [toFrame(messageTypes.encryptedControl, bytes)];
      const pack = { frames, sequenceId, sequenceNumber: at + 1, isHead: false };
      const [sourceId, destinationId] = [hostile.id, world.providerId];
      const sending = { sourceId, destinationId, ids: world.ids, at: world.now() };
      world.deliver(sendPack(sending, pack));
      if (at % 20 !== 0) continue;
      world.run(2);
      await turn();
    }
    await runUntil(world, honest, () =>
      honest.every(({ consumer }) => consumer.received.length === each),
    );
    await expectServed(world, honest);
    expect(world.engine.counters()).toMatchObject({ consumers: 3 });
    const { sealing } = world.engine.counters();
    expect(sealing.handshakes).toBeLessThanOrEqual(2 + sealedLimits.epochsPerMinute);
    // The honest ones are kept with their keys; what it was told is given up.
    world.run(9 * 60_000);
    expect(world.engine.counters().consumers).toBe(2);
  });

  test('20,000 sealed frames that no key opens, by a consumer and by strangers', async () => {
    const world = openSealedWorld();
    const honest = await openHonest(world);
    for (const { consumer } of honest)
      for (const number of upTo(each)) consumer.send(packetOf(number), world.now());
    await runUntil(world, honest, () =>
      honest.every(({ consumer }) => consumer.received.length === each),
    );
    const hostile = addSealedConsumer(world);
    hostile.offer(world.now());
    await runUntil(world, [hostile], hostile.isSealing);
    const cipher = createFrameCipher(randomBytes(32), randomBytes);
    const before = world.engine.counters();
    for (const at of upTo(20_000)) {
      const sourceId = at % 2 === 0 ? hostile.consumer.id : world.ids.next(world.now());
      const path = { sourceId, destinationId: world.providerId, streamId: undefined };
      const bytes = cipher.seal(Buffer.alloc(1000));
      world.deliver(encodeSealedFrame(path, { bytes, role: 1, isCompanion: false }));
    }
    expect(world.engine.counters().consumers).toBe(before.consumers);
    expect(world.engine.counters().sealing.unopened).toBe(10_000);
    await expectServed(world, honest);
  });
});
