import { describe, expect, test } from 'vitest';
import { addSealedConsumer } from '../support/sealed-consumer.ts';
import { bad, numbersOf, openSealedWorld, packetOf, runUntil } from '../support/sealed-world.ts';
import type { World, WorldOptions } from '../support/world.ts';

const upTo = (count: number) => [...Array(count).keys()];
const packets = 60;
/** Answers that wait for their first contract, which takes 20 ms at least. */
const whileWaiting = 12;

/** A consumer that asks in plaintext, and offers to seal while answers to it wait. */
async function openWithOffer(
  how: Partial<WorldOptions>,
  isTime: (answers: number, elapsed: number) => boolean,
) {
  const world = openSealedWorld(how);
  const peer = addSealedConsumer(world);
  const before = world.now();
  for (const number of upTo(packets)) peer.consumer.send(packetOf(number), before);
  await runUntil(world, [peer], () => isTime(peer.consumer.received.length, world.now() - before));
  peer.offer(world.now());
  await runUntil(world, [peer], peer.isSealing);
  return { world, peer, consumer: peer.consumer };
}

function endWorld(world: World): void {
  world.run(5000);
  world.report(world.engine.end(world.now()));
}

describe('answers that wait when a consumer offers to seal', () => {
  test.each([
    ['for their first contract', {}, (_: number, elapsed: number) => elapsed >= whileWaiting],
    ['for their turn', { most: 1 }, (answers: number) => answers >= 5],
  ] as const)('%s come, in order and each once', async (_name, how, isTime) => {
    const { world, peer, consumer } = await openWithOffer(how, isTime);
    await runUntil(world, [peer], () => consumer.received.length === packets);
    expect(numbersOf(consumer.received)).toEqual(upTo(packets));
    endWorld(world);
    expect(consumer.received).toHaveLength(packets);
    expect(world.engine.counters().dropped.unsent).toBe(0);
    expect(world.engine.counters().downBytes).toBe(packets * packetOf(0).length);
  });

  test('are counted by the contracts that carried them, also what no ack had come of', async () => {
    const { world, peer, consumer } = await openWithOffer({ most: 1 }, (answers) => answers >= 5);
    await runUntil(world, [peer], () => consumer.received.length === packets);
    endWorld(world);
    expect(consumer.unpaid()).toBe(0);
    for (const [contractId, bytes] of consumer.got)
      expect(world.reported.get(contractId)).toBe(bytes);
    // The sequence that is over had a contract, and the one that goes on has another.
    expect(consumer.got.size).toBe(2);
  });

  test.each([1, 2, 3, 4, 5])('keep their order where the line loses some, %d', async (seed) => {
    const { world, consumer } = await openWithOffer(
      { nature: bad, seed },
      (_, elapsed) => elapsed >= whileWaiting,
    );
    endWorld(world);
    const numbers = numbersOf(consumer.received);
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
    expect(world.engine.counters().dropped.unsent).toBe(0);
    expect(numbers.at(-1)).toBe(packets - 1);
  });
});
