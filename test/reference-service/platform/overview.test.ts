import { expect, onTestFinished, test } from 'vitest';
import { openOverview } from '../../../src/reference-service/platform/open-overview.ts';
import { makePacket } from '../../connect/support/packets.ts';
import { waitUntil } from '../../patience.ts';
import { startConsumers } from './consumer-world.ts';
import { startProviderWorld } from './provider-world.ts';

const packet = makePacket({ version: 4, protocol: 17, payload: Buffer.alloc(1000) });

test('a provider is measured, its minutes count, and what it carried is paid', async () => {
  // A minute of the platform passes in a second.
  const world = await startProviderWorld({ hasten: 60 });
  const { overview, close } = await openOverview(world.directory);
  onTestFinished(close);
  const provider = await world.register();
  const running = await world.provide(provider);
  await waitUntil(() => {
    const [connection] = overview.listConnections();
    expect(connection).toMatchObject({
      clientId: provider.clientId,
      networkName: 'sandbox',
      provideMode: 'public',
      sockets: 1,
      latencyMs: expect.any(Number),
      bytesPerSecond: expect.any(Number),
    });
    expect(connection?.validBlocks).toBeGreaterThan(1);
  });

  const { consumers, received, end } = await startConsumers(world, provider, 2);
  for (let number = 0; number < 100; number++)
    for (const consumer of [0, 1]) consumers.send(consumer, [packet]);
  await waitUntil(() => expect(received.length).toBe(200));
  await end();
  await running.stop();
  const bytes = 200 * packet.length;
  await waitUntil(() => {
    const contracts = overview.listContracts(100);
    expect(contracts.every(({ state }) => state === 'settled')).toBe(true);
  });
  // The last acks may not have come when both were stopped: what each side counted may differ.
  for (const { sourceBytes, destinationBytes, paidBytes } of overview.listContracts(100))
    expect(paidBytes).toBe(Math.floor((sourceBytes + destinationBytes) / 2));
  for (const kind of ['plain', 'companion'] as const) {
    const paid = overview
      .listContracts(100)
      .filter((one) => one.kind === kind)
      .reduce((sum, { paidBytes }) => sum + paidBytes, 0);
    // Each message that opens a contract counts one byte.
    expect(paid).toBeGreaterThan(bytes / 2);
    expect(paid).toBeLessThan(bytes + 20);
  }
  const money = overview.listMoney();
  const [home, away] = ['sandbox', 'consumers'].map((name) =>
    money.find(({ networkName }) => networkName === name),
  );
  expect(away?.usedBytes).toBe(home?.providedBytes);
  expect(home?.earnedUsdc).toBeCloseTo((away?.usedUsdc ?? 0) / 2, 9);
  expect(away).toMatchObject({ reservedBytes: 0, providedBytes: 0, earnedUsdc: 0 });
});
