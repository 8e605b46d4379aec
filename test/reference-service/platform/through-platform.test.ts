import { expect, onTestFinished, test } from 'vitest';
import { openOverview } from '../../../src/reference-service/platform/open-overview.ts';
import { makePacket } from '../../connect/support/packets.ts';
import { waitUntil } from '../../patience.ts';
import { startConsumers } from './consumer-world.ts';
import { startProviderWorld } from './provider-world.ts';

test("a consumer's packets go to the provider and back through the service", async () => {
  const world = await startProviderWorld();
  const provider = await world.register();
  const { engine } = await world.provide(provider);
  const { consumers, received } = await startConsumers(world, provider, { count: 1 });
  for (let number = 0; number < 50; number++)
    consumers.send(0, [
      makePacket({ version: 4, protocol: 17, payload: Buffer.alloc(1000, number) }),
    ]);
  await expect.poll(() => received.length).toBe(50);
  expect(received.map((packet) => packet[28])).toEqual(
    Array.from({ length: 50 }, (_, number) => number),
  );
  expect(engine.counters().consumers).toBe(1);
  await waitUntil(() => expect(consumers.counters()[0]).toMatchObject({ unpaid: 0, unsound: 0 }));
});

test('of a slow flow, what a contract carried is paid, also where the clock is hastened', async () => {
  // The platform closes a contract after ten seconds, and its consumer reports nothing by then.
  const world = await startProviderWorld({ hasten: 30 });
  const provider = await world.register();
  await world.provide(provider);
  const { overview, close } = await openOverview(world.directory);
  onTestFinished(close);
  const { consumers } = await startConsumers(world, provider, { count: 1 });
  const packet = makePacket({ version: 4, protocol: 17, payload: Buffer.alloc(1000) });
  let sent = 0;
  const flow = setInterval(() => {
    consumers.send(0, [packet]);
    sent += packet.length;
  }, 50);
  onTestFinished(() => clearInterval(flow));
  const settled = await waitUntil(() => {
    const first = overview.listContracts(100).findLast(({ kind }) => kind === 'plain');
    if (first?.state !== 'settled') throw new Error('not settled yet');
    return first;
  });
  expect(settled.paidBytes).toBeGreaterThan(0.3 * sent);
});

test("an app's pings come back, and in direct mode it is answered on a lane of its own", async () => {
  // Habits follow the platform's clock: a ping each half second.
  const world = await startProviderWorld({ hasten: 30 });
  const provider = await world.register();
  await world.provide(provider);
  const { overview, close } = await openOverview(world.directory);
  onTestFinished(close);
  const { consumers } = await startConsumers(world, provider, { count: 1, manner: 'direct' });
  // Its contract to the provider, the provider's to it, and the one for its signals, which the
  // provider's network pays.
  await waitUntil(() => {
    const made = overview.listContracts(100).map(({ kind, sourceId }) => [kind, sourceId]);
    const own = made.find(([kind]) => kind === 'plain')?.[1];
    expect(made).toEqual(
      expect.arrayContaining([
        ['companion', provider.clientId],
        ['companion', own],
      ]),
    );
    expect(consumers.counters()[0]?.contracts).toBeGreaterThanOrEqual(2);
  });
  expect(consumers.counters()[0]).toMatchObject({ unpaid: 0, unsound: 0, unansweredPings: 0 });
});
