import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { isPlainData } from '../../../src/connect/provider/controls.ts';
import { makeIdentity } from '../../../src/connect/sealed/identity.ts';
import { sealedLimits } from '../../../src/connect/sealed/limits.ts';
import { createSealedPart } from '../../../src/connect/sealed/sealed-part.ts';
import { controlKinds, encryptedControl } from '../../../src/connect/wire/encrypted-control.ts';
import { noBytes } from '../../../src/connect/wire/frame.ts';
import { decode } from '../../../src/connect/wire/message.ts';
import { messageTypes } from '../../../src/connect/wire/message-types.ts';
import { decodeTransferFrame } from '../../../src/connect/wire/transfer-frame.ts';
import { echo } from '../support/echo.ts';
import { addSealedConsumer } from '../support/sealed-consumer.ts';
import { bad, numbersOf, openSealedWorld, packetOf, runUntil } from '../support/sealed-world.ts';

const upTo = (count: number) => [...Array(count).keys()];

test('consumers of each mode at once, with both groups, on a bad line', async () => {
  const world = openSealedWorld({ nature: bad });
  const plain = world.addConsumer();
  const peers = [
    addSealedConsumer(world),
    addSealedConsumer(world, { groups: 'X25519' }),
    addSealedConsumer(world, { isRequired: true }),
    addSealedConsumer(world, { isRequired: true, groups: 'X25519' }),
  ];
  for (const peer of peers) peer.offer(world.now());
  const all = [plain, ...peers.map(({ consumer }) => consumer)];
  await runUntil(world, peers, () => peers.every((peer) => peer.isSealing()));
  for (const consumer of all)
    for (const number of upTo(100)) consumer.send(packetOf(number), world.now());
  await runUntil(world, peers, () => all.every(({ received }) => received.length === 100));
  for (const { received } of all) expect(numbersOf(received)).toEqual(upTo(100));
  expect(peers.map((peer) => peer.group())).toEqual([
    'X25519MLKEM768',
    'X25519',
    'X25519MLKEM768',
    'X25519',
  ]);
  for (const peer of peers) expect(peer.count.sealed).toBeGreaterThan(0);
  for (const peer of peers.slice(2)) expect(peer.count.plainPackets).toBe(0);
});

test('another socket to the platform costs no handshake and no packet', async () => {
  const world = openSealedWorld();
  const peer = addSealedConsumer(world, { isRequired: true });
  peer.offer(world.now());
  await runUntil(world, [peer], peer.isSealing);
  for (const round of upTo(3)) {
    for (const at of upTo(100)) peer.consumer.send(packetOf(round * 100 + at), world.now());
    world.run(7);
    // Packets of both ways are on the line that is gone.
    world.changeLine();
  }
  await runUntil(world, [peer], () => peer.consumer.received.length === 300);
  expect(numbersOf(peer.consumer.received)).toEqual(upTo(300));
  expect(peer.handshakes()).toBe(1);
  expect(peer.count).toMatchObject({ plainPackets: 0, nacks: 0 });
});

test('where a key has sealed enough, another one takes over in mid-flow', async () => {
  const sealedPart = createSealedPart(makeIdentity(randomBytes), randomBytes, { framesOfKey: 30 });
  const world = openSealedWorld({ sealedPart });
  const peer = addSealedConsumer(world, { isRequired: true, obeys: true });
  peer.offer(world.now());
  for (const round of upTo(30)) {
    for (const at of upTo(10)) peer.consumer.send(packetOf(round * 10 + at), world.now());
    await runUntil(world, [peer], () => peer.consumer.received.length === (round + 1) * 10);
    world.run(2000);
  }
  expect(numbersOf(peer.consumer.received)).toEqual(upTo(300));
  expect(peer.handshakes()).toBeGreaterThan(2);
  expect(peer.count.plainPackets).toBe(0);
});

test.each([
  ['soon', 130_000, false],
  ['when our sequences are over', 330_000, false],
  ['as late as it keeps its key', 600_000, false],
  ['when it has let its key go', 610_000, true],
  ['when both have', sealedLimits.keyKeptMs + 130_000, true],
] as const)('a silent consumer is served again, %s', async (_name, silence, forgets) => {
  const world = openSealedWorld();
  const peer = addSealedConsumer(world, { isRequired: true });
  peer.offer(world.now());
  peer.consumer.send(packetOf(0), world.now());
  await runUntil(world, [peer], () => peer.consumer.received.length === 1);
  world.run(silence);
  if (forgets) peer.forget();
  if (forgets) peer.offer(world.now());
  const before = world.now();
  peer.consumer.send(packetOf(1), world.now());
  await runUntil(world, [peer], () => peer.consumer.received.length === 2);
  expect(world.now() - before).toBeLessThan(5000);
  expect(peer.handshakes()).toBe(forgets ? 2 : 1);
  expect(peer.count.plainPackets).toBe(0);
});

test('a consumer that is gone for good is forgotten with its key', async () => {
  const world = openSealedWorld();
  const peer = addSealedConsumer(world);
  peer.offer(world.now());
  peer.consumer.send(packetOf(0), world.now());
  await runUntil(world, [peer], () => peer.isSealing() && peer.consumer.received.length === 1);
  world.run(sealedLimits.keyKeptMs + 10_000);
  expect(world.engine.counters().consumers).toBe(0);
});

test.each([
  ['that goes on in plaintext', false],
  ['that waits', true],
] as const)(
  'a proof that comes after what is sealed costs no silence: a consumer %s',
  async (_name, isRequired) => {
    let late: Buffer | undefined;
    let overtaken = 0;
    const world = openSealedWorld({
      // Three messages that the consumer has sealed overtake its first proof.
      relay(bytes, from) {
        if (from === world.providerId || overtaken > 3) return [bytes];
        if (late === undefined && isProof(bytes)) {
          late = Buffer.from(bytes);
          return [];
        }
        if (late === undefined || decodeTransferFrame(bytes).body.kind !== 'sealed') return [bytes];
        return ++overtaken > 3 ? [bytes, late] : [bytes];
      },
    });
    const peer = addSealedConsumer(world, { isRequired, obeys: true });
    peer.offer(world.now());
    let number = 0;
    const isAnswered = () => {
      if (number < 300) peer.consumer.send(packetOf(number++), world.now());
      return peer.consumer.received.length === 300;
    };
    await runUntil(world, [peer], isAnswered);
    expect(overtaken).toBeGreaterThan(3);
    expect(numbersOf(peer.consumer.received)).toEqual(upTo(300));
  },
);

test('a consumer that lost its key while answers are on their way begins again, and is answered by the next one', async () => {
  let answer = noBytes;
  const world = openSealedWorld({
    device(packet) {
      const answers = echo(packet);
      answer = Buffer.from(answers[0] ?? answer);
      return answers;
    },
  });
  const peer = addSealedConsumer(world, { isRequired: true, obeys: true });
  peer.offer(world.now());
  peer.consumer.send(packetOf(0), world.now());
  await runUntil(world, [peer], () => peer.consumer.received.length === 1);
  peer.forget();
  for (const _ of upTo(5)) world.engine.packet(Buffer.from(answer), world.now());
  world.run(100);
  expect(peer.consumer.received).toHaveLength(1);
  peer.offer(world.now());
  const before = world.now();
  for (const number of [1, 2, 3]) peer.consumer.send(packetOf(number), world.now());
  const isAnswered = () => numbersOf(peer.consumer.received).includes(3);
  await runUntil(world, [peer], isAnswered);
  expect(world.now() - before).toBeLessThan(5000);
  expect(numbersOf(peer.consumer.received).filter((number) => number > 0)).toEqual([1, 2, 3]);
  expect(peer.count.plainPackets).toBe(0);
});

test('an answer that is lost when a handshake begins comes again, and those after it are not lost with it', async () => {
  let lost = 0;
  const world = openSealedWorld({
    relay: (bytes, from) =>
      from === world.providerId && isPlainAnswer(bytes) && lost++ < 1 ? [] : [bytes],
  });
  const peer = addSealedConsumer(world);
  for (const number of upTo(20)) peer.consumer.send(packetOf(number), world.now());
  world.run(60);
  peer.offer(world.now());
  await runUntil(world, [peer], () => peer.isSealing());
  await runUntil(world, [peer], () => peer.consumer.received.length === 20);
  expect(lost).toBeGreaterThan(0);
  expect(world.engine.counters().renewals.abandonedBytes).toBe(0);
});

function isPlainAnswer(bytes: Buffer): boolean {
  const { body } = decodeTransferFrame(bytes);
  return body.kind === 'pack' && isPlainData(body.pack);
}

function isProof(bytes: Buffer): boolean {
  const { body } = decodeTransferFrame(bytes);
  if (body.kind !== 'pack') return false;
  return body.pack.frames.some(({ type, bytes: control }) => {
    if (type !== messageTypes.encryptedControl) return false;
    return decode(encryptedControl, control).kind === controlKinds.proof;
  });
}
