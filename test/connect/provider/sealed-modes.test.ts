import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createClosedPart } from '../../../src/connect/sealed/closed-part.ts';
import { makeIdentity } from '../../../src/connect/sealed/identity.ts';
import { createSealedPart } from '../../../src/connect/sealed/sealed-part.ts';
import { echo } from '../support/echo.ts';
import { addSealedConsumer } from '../support/sealed-consumer.ts';
import { numbersOf, openSealedWorld, packetOf, runUntil } from '../support/sealed-world.ts';
import type { World } from '../support/world.ts';

const parts = {
  off: createClosedPart,
  opportunistic: () => createSealedPart(makeIdentity(randomBytes), randomBytes),
  required: () => createSealedPart(makeIdentity(randomBytes), randomBytes, { isRequired: true }),
} as const;
const count = 50;

/** What a consumer of each mode gets of a provider of each: sealed, in plaintext, or nothing. */
const table = [
  ['off', 'off', 'plain'],
  ['off', 'opportunistic', 'plain'],
  ['off', 'required', 'nothing'],
  ['opportunistic', 'off', 'plain'],
  ['opportunistic', 'opportunistic', 'sealed'],
  ['opportunistic', 'required', 'sealed'],
  ['required', 'off', 'nothing'],
  ['required', 'opportunistic', 'sealed'],
  ['required', 'required', 'sealed'],
] as const;

function openConsumer(world: World, mode: keyof typeof parts) {
  const peer = addSealedConsumer(world, { isRequired: mode === 'required' });
  if (mode !== 'off') peer.offer(world.now());
  return peer;
}

describe.each(table)(
  'a consumer with sealing %s, of a provider with %s',
  (consumer, provider, gets) => {
    test(`gets ${gets}`, async () => {
      const world = openSealedWorld({ sealedPart: parts[provider]() });
      const peer = openConsumer(world, consumer);
      let waited = 0;
      const isSettled = () => peer.isSealing() || ++waited > 100;
      const send = (from: number, to: number) => {
        for (let number = from; number < to; number++)
          peer.consumer.send(packetOf(number), world.now());
      };
      // At once, in plaintext where the consumer may, and once it seals, if it ever does.
      send(0, count / 2);
      await runUntil(world, [peer], isSettled);
      send(count / 2, count);
      let steps = 0;
      await runUntil(
        world,
        [peer],
        () => peer.consumer.received.length === count || ++steps > 5000,
      );
      const expected = gets === 'nothing' ? [] : [...Array(count).keys()];
      expect(numbersOf(peer.consumer.received)).toEqual(expected);
      expect(peer.count.sealed > 0).toBe(gets === 'sealed');
      if (consumer === 'required' || provider === 'required')
        expect(peer.count.plainPackets).toBe(0);
      const { consumers, dropped, sealing, contracts } = world.engine.counters();
      expect(sealing.sealedConsumers).toBe(gets === 'sealed' ? 1 : 0);
      const isRefused = provider === 'required' && consumer === 'off';
      expect(dropped.plain > 0).toBe(
        isRefused || (provider === 'required' && consumer === 'opportunistic'),
      );
      if (isRefused)
        expect({ consumers, up: world.engine.counters().upBytes }).toMatchObject({ up: 0 });
      expect(contracts.unpaidBytes).toBe(0);
    });
  },
);

test('a provider that requires it serves nobody in plaintext after a change either', async () => {
  let answer = Buffer.alloc(0);
  const world = openSealedWorld({
    sealedPart: parts.required(),
    device(packet) {
      const answers = echo(packet);
      answer = Buffer.from(answers[0] ?? answer);
      return answers;
    },
  });
  const peer = openConsumer(world, 'opportunistic');
  peer.consumer.send(packetOf(0), world.now());
  await runUntil(world, [peer], () => peer.consumer.received.length === 1);
  // It was started again, and offers nothing now.
  peer.forget();
  peer.consumer.restart(randomBytes(32));
  peer.consumer.send(packetOf(1), world.now());
  world.run(5000);
  // A server goes on to send to it.
  world.engine.packet(Buffer.from(answer), world.now());
  world.run(5000);
  peer.sayNack(world.now());
  world.engine.packet(Buffer.from(answer), world.now());
  world.run(20_000);
  expect(peer.consumer.received).toHaveLength(1);
  expect(peer.count.plainPackets).toBe(0);
});
