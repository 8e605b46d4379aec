import { expect, onTestFinished, test } from 'vitest';
import { consume } from '../../../src/reference-service/consumer/consume.ts';
import { openConsumerDirectory } from '../../../src/reference-service/consumer/identities.ts';
import { makePacket } from '../../connect/support/packets.ts';
import { waitUntil } from '../../patience.ts';
import { type ProviderWorld, type RegisteredClient, startProviderWorld } from './provider-world.ts';

/** So many consumers on this provider, and what came back to them. */
async function startConsumers(world: ProviderWorld, provider: RegisteredClient, count: number) {
  const directory = await openConsumerDirectory(world.directory);
  const identities = await directory.enrol({ count, network: undefined });
  directory.close();
  const stop = new AbortController();
  const received: Buffer[] = [];
  const consumers = await consume(
    {
      serviceUrl: world.service.baseUrl,
      providerId: provider.clientId,
      identities,
      write: (packets) => void received.push(...packets),
    },
    stop.signal,
  );
  const end = async (): Promise<void> => {
    stop.abort();
    await consumers.ended;
  };
  onTestFinished(end);
  expect(await consumers.connected(stop.signal)).toBe(true);
  return { consumers, received, end };
}

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
