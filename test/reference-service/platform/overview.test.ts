import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { completeSecrets, toProvideKeys } from '../../../src/connect/contract/secrets.ts';
import { loadIdentity, makeIdentity, toPublication } from '../../../src/connect/sealed/identity.ts';
import { administer } from '../../../src/reference-service/admin-commands.ts';
import { openDatabase } from '../../../src/reference-service/database.ts';
import { openOverview } from '../../../src/reference-service/platform/open-overview.ts';
import { queryOn } from '../../../src/reference-service/statements.ts';
import { makePacket } from '../../connect/support/packets.ts';
import { createEchoDevice } from '../../connect/support/socket-consumer.ts';
import { call, logIn } from '../../flow/reference-caller.ts';
import { waitUntil } from '../../patience.ts';
import { startConsumers } from './consumer-world.ts';
import { startProviderWorld } from './provider-world.ts';

const packet = makePacket({ version: 4, protocol: 17, payload: Buffer.alloc(1000) });
const minutes = 60_000;
const never = new AbortController().signal;

test('a provider is measured, and its minutes count', async () => {
  // A minute of the platform passes in a second.
  const world = await startProviderWorld({ hasten: 60 });
  const { overview, close } = await openOverview(world.directory);
  onTestFinished(close);
  const provider = await world.register();
  await world.provide(provider);
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
});

test('a new key costs no minute, and what is offered anew does', async () => {
  const world = await startProviderWorld({ hasten: 60 });
  const { overview, close } = await openOverview(world.directory);
  onTestFinished(close);
  using database = openDatabase(world.directory);
  const { readNumber } = queryOn(database);
  const countChanges = () => readNumber`select sum(changes) from reliability_block`;
  const provider = await world.register();
  await world.provide(provider, createEchoDevice(), { identity: makeIdentity(randomBytes) });
  await waitUntil(() => expect(overview.listConnections()[0]?.validBlocks).toBeGreaterThan(0));
  const key = toPublication(loadIdentity(makeIdentity(randomBytes)));
  expect(await provider.control.publishIdentity(key, never)).toMatchObject({ kind: 'done' });
  expect(countChanges()).toBe(0);
  await provider.control.provide(toProvideKeys(completeSecrets(randomBytes), 'public'), never);
  expect(countChanges()).toBe(1);
});

test('a provider is found once enough of its minutes count, and no longer when it is gone', async () => {
  const world = await startProviderWorld();
  const { overview, close } = await openOverview(world.directory);
  onTestFinished(close);
  const provider = await world.register();
  const present = Math.floor(Date.now() / minutes) * minutes;
  using database = openDatabase(world.directory);
  const insert = database.prepare('insert into reliability_block values (?, ?, 0, 1, 1, 0, 1)');
  for (let ago = 1; ago <= 497; ago++) insert.run(provider.clientId, present - ago * minutes);
  const token = await logIn(world.service);
  const find = async () => {
    const found = await call(world.service.baseUrl, '/network/find-providers2', {
      token,
      body: { count: 10, specs: [{ best_available: true }], exclude_client_ids: [] },
    });
    return found.body.providers.map((one: { client_id: string }) => one.client_id);
  };
  const running = await world.provide(provider);
  await waitUntil(() => expect(overview.listConnections()[0]?.sockets).toBe(1));
  expect(overview.listConnections()[0]?.isListed).toBe(false);
  expect(await find()).toEqual([]);
  // From here on a minute passes in a second, and not before: none of the last hour is lost to a
  // busy machine.
  await administer(world.directory, 'hastenPlatform', { rate: '60' });
  await waitUntil(async () => expect(await find()).toEqual([provider.clientId]));
  expect(overview.listConnections()[0]).toMatchObject({ isListed: true });
  expect(overview.listConnections()[0]?.validOfHalfDay).toBeGreaterThanOrEqual(504);
  await running.stop();
  await waitUntil(async () => expect(await find()).toEqual([]));
});

test('what was carried is paid once both ends are gone, and half of it is earned', async () => {
  let aheadMs = 0;
  const world = await startProviderWorld({ now: () => Date.now() + aheadMs });
  const { overview, close } = await openOverview(world.directory);
  onTestFinished(close);
  const provider = await world.register();
  const running = await world.provide(provider);
  const { consumers, received, end } = await startConsumers(world, provider, { count: 2 });
  for (let number = 0; number < 50; number++)
    for (const consumer of [0, 1]) consumers.send(consumer, [packet]);
  await waitUntil(() => expect(received.length).toBe(100));
  await end();
  await running.stop();
  // What only one end closed is closed by force, in two passes.
  await waitUntil(() => {
    aheadMs += 5 * minutes;
    expect(overview.listContracts(100).map(({ state }) => state)).not.toContain('open');
  });
  const contracts = overview.listContracts(100);
  for (const kind of ['plain', 'companion'] as const) {
    const of = contracts.filter((one) => one.kind === kind);
    // The last acks may not have come when both were stopped: what each end counted may differ.
    for (const { sourceBytes, destinationBytes, paidBytes } of of)
      expect(paidBytes).toBe(Math.floor((sourceBytes + destinationBytes) / 2));
    const paid = of.reduce((sum, { paidBytes }) => sum + paidBytes, 0);
    // Each message that opens a contract counts one byte.
    expect(paid).toBeGreaterThanOrEqual((100 * packet.length) / 2);
    expect(paid).toBeLessThan(100 * packet.length + 20);
  }
  const money = overview.listMoney();
  const [home, away] = ['sandbox', 'consumers'].map((name) =>
    money.find(({ networkName }) => networkName === name),
  );
  expect(away?.usedBytes).toBe(home?.providedBytes);
  const unused = home?.balanceBytes ?? 0;
  expect(away?.balanceBytes).toBe(unused - (away?.usedBytes ?? 0));
  expect(home?.earnedUsdc).toBeCloseTo((away?.usedUsdc ?? 0) / 2, 9);
  expect(away).toMatchObject({ reservedBytes: 0, providedBytes: 0, earnedUsdc: 0 });
});
