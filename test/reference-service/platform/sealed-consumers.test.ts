import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeIdentity } from '../../../src/connect/sealed/identity.ts';
import { makePacket } from '../../connect/support/packets.ts';
import { startConsumers } from './consumer-world.ts';
import { startProviderWorld } from './provider-world.ts';

const packetOf = (number: number) =>
  makePacket({ version: 4, protocol: 17, payload: Buffer.alloc(1000, number) });

test.each(['opportunistic', 'required'] as const)(
  'an %s consumer and the provider seal their packets, through the service',
  async (sealing) => {
    const world = await startProviderWorld();
    const provider = await world.register();
    const identity = makeIdentity(randomBytes);
    await world.provide(provider, undefined, { identity });
    const { consumers, received } = await startConsumers(world, provider, { count: 2, sealing });
    consumers.send(0, [packetOf(0)]);
    consumers.send(1, [packetOf(1)]);
    await expect.poll(() => consumers.sealing()).toBe(2);
    for (let number = 2; number < 50; number++) consumers.send(number % 2, [packetOf(number)]);
    await expect.poll(() => received.length).toBe(50);
    expect(received.map((packet) => packet[28]).toSorted((a = 0, b = 0) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, number) => number),
    );
    for (const counters of consumers.counters())
      expect(counters).toMatchObject({ unpaid: 0, unsound: 0 });
  },
);

test('a consumer that would seal is served in plaintext by a provider that does not', async () => {
  const world = await startProviderWorld();
  const provider = await world.register();
  await world.provide(provider);
  const sealing = 'opportunistic';
  const { consumers, received } = await startConsumers(world, provider, { count: 1, sealing });
  consumers.send(0, [packetOf(0)]);
  await expect.poll(() => received.length).toBe(1);
  expect(consumers.sealing()).toBe(0);
});
