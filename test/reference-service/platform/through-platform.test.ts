import { expect, test } from 'vitest';
import { makePacket } from '../../connect/support/packets.ts';
import { waitUntil } from '../../patience.ts';
import { startConsumers } from './consumer-world.ts';
import { startProviderWorld } from './provider-world.ts';

test("a consumer's packets go to the provider and back through the service", async () => {
  const world = await startProviderWorld();
  const provider = await world.register();
  const { engine } = await world.provide(provider);
  const { consumers, received } = await startConsumers(world, provider, 1);
  for (let number = 0; number < 200; number++)
    consumers.send(0, [
      makePacket({ version: 4, protocol: 17, payload: Buffer.alloc(1000, number) }),
    ]);
  await expect.poll(() => received.length).toBe(200);
  expect(received.map((packet) => packet[28])).toEqual(
    Array.from({ length: 200 }, (_, number) => number),
  );
  expect(engine.counters().consumers).toBe(1);
  await waitUntil(() => expect(consumers.counters()[0]).toMatchObject({ unpaid: 0, unsound: 0 }));
});
