import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { noBytes } from '../../../src/connect/wire/frame.ts';
import { echo } from '../support/echo.ts';
import { addSealedConsumer, type SealedConsumer } from '../support/sealed-consumer.ts';
import { numbersOf, openSealedWorld, packetOf, runUntil } from '../support/sealed-world.ts';
import type { World } from '../support/world.ts';

/** Longer than the provider keeps a silent consumer's sequence, and shorter than its key. */
const twoMinutes = 130_000;

interface Scene {
  readonly world: World;
  readonly peer: SealedConsumer;
  /** The consumer's server sends it something: the answer to its first packet once more. */
  push(): void;
  /** The numbers of the packets that it got since it was sealed to. */
  got(): readonly number[];
}

/** A consumer that was answered sealed. */
async function openScene(how: { readonly isRequired: boolean }): Promise<Scene> {
  let first = noBytes;
  const world = openSealedWorld({
    device(packet) {
      const answers = echo(packet);
      if (first.length === 0) first = Buffer.from(answers[0] ?? noBytes);
      return answers;
    },
  });
  const peer = addSealedConsumer(world, { ...how, obeys: true });
  peer.offer(world.now());
  await runUntil(world, [peer], peer.isSealing);
  peer.consumer.send(packetOf(0), world.now());
  await runUntil(world, [peer], () => peer.consumer.received.length === 1);
  expect(peer.count.plainPackets).toBe(0);
  return {
    world,
    peer,
    push() {
      world.engine.packet(Buffer.from(first), world.now());
    },
    got: () => numbersOf(peer.consumer.received).slice(1),
  };
}

/** The program was started again, or its key let go: it knows none of what was before. */
function startAgain({ peer }: Scene): void {
  peer.forget();
  peer.consumer.restart(randomBytes(32));
}

async function expectPlainService({ world, peer, got }: Scene): Promise<void> {
  const before = world.now();
  for (const number of [1, 2, 3]) peer.consumer.send(packetOf(number), world.now());
  await runUntil(world, [peer], () => got().length === 3);
  expect(got()).toEqual([1, 2, 3]);
  expect(peer.count.plainPackets).toBeGreaterThan(0);
  expect(world.now() - before).toBeLessThan(5000);
  expect(peer.consumer.unpaid()).toBe(0);
}

describe('a consumer that was sealed to and comes back in plaintext is served in plaintext', () => {
  test('by another sequence, as after a restart of it', async () => {
    const scene = await openScene({ isRequired: false });
    startAgain(scene);
    await expectPlainService(scene);
  });

  test('after its sequence was over here', async () => {
    const scene = await openScene({ isRequired: false });
    scene.world.run(twoMinutes);
    startAgain(scene);
    await expectPlainService(scene);
  });

  test('while answers wait for a key; what was for its earlier life is not sent in plaintext', async () => {
    const scene = await openScene({ isRequired: false });
    // What it seals after its nack would undo that.
    scene.world.run(5000);
    scene.peer.sayNack(scene.world.now());
    scene.world.run(1000);
    scene.push();
    scene.world.run(1000);
    expect(scene.got()).toEqual([]);
    startAgain(scene);
    await expectPlainService(scene);
    scene.world.run(10_000);
    expect(scene.got()).toEqual([1, 2, 3]);
  });
});

test('one that is back with a handshake alone is sent nothing in plaintext meanwhile', async () => {
  const scene = await openScene({ isRequired: true });
  const { world, peer, push, got } = scene;
  world.run(twoMinutes);
  startAgain(scene);
  peer.offer(world.now());
  await runUntil(world, [peer], () => {
    if (!peer.isSealing()) push();
    return peer.isSealing();
  });
  peer.consumer.send(packetOf(1), world.now());
  await runUntil(world, [peer], () => got().includes(1));
  expect(peer.count.plainPackets).toBe(0);
});

test('one that goes on by another sequence with its key is answered sealed, without a handshake', async () => {
  const { world, peer, got } = await openScene({ isRequired: false });
  peer.consumer.restart(peer.consumer.streamSecret());
  peer.consumer.send(packetOf(1), world.now());
  await runUntil(world, [peer], () => got().length === 1);
  expect(peer.handshakes()).toBe(1);
  expect(peer.count.plainPackets).toBe(0);
});
