import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { completeSecrets } from '../../../src/connect/contract/secrets.ts';
import { makeIdentity } from '../../../src/connect/sealed/identity.ts';
import { makePacket } from '../../connect/support/packets.ts';
import { startConsumers } from './consumer-world.ts';
import { startFrameTap } from './frame-tap.ts';
import { startProviderWorld } from './provider-world.ts';

const packetOf = (number: number) =>
  makePacket({ version: 4, protocol: 17, payload: Buffer.alloc(1000, number) });

test.each(['opportunistic', 'required'] as const)(
  'who runs the platform reads no packet once a consumer seals, either way, with sealing %s',
  async (sealing) => {
    const world = await startProviderWorld();
    const provider = await world.register();
    await world.provide(provider, undefined, { identity: makeIdentity(randomBytes) });
    const { baseUrl: serviceUrl, seen } = await startFrameTap(world.service.baseUrl);
    const how = { count: 1, sealing, serviceUrl };
    const { consumers, received } = await startConsumers(world, provider, how);
    consumers.send(0, [packetOf(0)]);
    await expect.poll(() => consumers.sealing() + received.length).toBe(2);
    const before = { ...seen };
    if (sealing === 'required') expect(before.readable).toBe(0);
    // One after the other: on a busy machine some are dropped for having waited too long.
    const exchange = () => {
      consumers.send(0, [packetOf(1)]);
      return received.length;
    };
    await expect.poll(exchange).toBeGreaterThan(100);
    expect(seen.readable).toBe(before.readable);
    expect(seen.sealed).toBeGreaterThan(before.sealed + 200);
  },
);

test('a consumer that does not seal is read by who runs the platform', async () => {
  const world = await startProviderWorld();
  const provider = await world.register();
  await world.provide(provider, undefined, { identity: makeIdentity(randomBytes) });
  const { baseUrl: serviceUrl, seen } = await startFrameTap(world.service.baseUrl);
  const { consumers, received } = await startConsumers(world, provider, { count: 1, serviceUrl });
  const exchange = () => {
    consumers.send(0, [packetOf(1)]);
    return received.length;
  };
  await expect.poll(exchange).toBeGreaterThan(10);
  expect(seen.readable).toBeGreaterThan(0);
  expect(seen.sealed).toBe(0);
});

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
    for (let number = 2; number < 20; number++) {
      consumers.send(number % 2, [packetOf(number)]);
      await expect.poll(() => received.length).toBeGreaterThan(number);
    }
    expect(received.map((packet) => packet[28]).toSorted((a = 0, b = 0) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, number) => number),
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

/** The platform's two minutes until it ends old sockets are two seconds of it. */
const rate = 60;

test('a host that drains and refuses new sockets costs no key: a consumer goes on, sealed by the same one', async () => {
  const world = await startProviderWorld({ hasten: rate });
  const provider = await world.register();
  const identity = makeIdentity(randomBytes);
  // So that its first tries to come back are not over in a moment.
  const random = () => 0.05;
  const { engine, ends } = await world.provide(provider, undefined, { identity, random });
  const { baseUrl: serviceUrl, seen } = await startFrameTap(world.service.baseUrl);
  const how = { count: 1, sealing: 'opportunistic', serviceUrl } as const;
  const { consumers, received } = await startConsumers(world, provider, how);
  const exchange = () => {
    consumers.send(0, [packetOf(1)]);
    return received.length;
  };
  consumers.send(0, [packetOf(0)]);
  await expect.poll(() => consumers.sealing() + received.length).toBe(2);
  await expect.poll(exchange).toBeGreaterThan(10);
  const before = { ...seen };
  await world.service.admin.drainPlatform({ refuseSeconds: 86_400 });
  const isRefused = () => {
    exchange();
    return ends.some((end) => end.kind === 'refused' && end.status === 503);
  };
  await expect.poll(isRefused).toBe(true);
  // One that refuses nobody.
  await world.service.admin.drainPlatform({});
  const [until, sealed] = [received.length + 50, seen.sealed];
  await expect.poll(exchange).toBeGreaterThan(until);
  expect(seen.readable).toBe(before.readable);
  expect(seen.sealed).toBeGreaterThan(sealed);
  const { handshakes, proven, unopened, refused, workMs } = engine.counters().sealing;
  expect(workMs).toBeGreaterThan(0);
  expect({ handshakes, proven, unopened, refused }).toEqual({
    handshakes: 1,
    proven: 1,
    unopened: 0,
    refused: {},
  });
});

test.each(['public', 'network'] as const)(
  'a consumer of the own network that a device without its books does not know is told to begin again, for %s',
  async (wish) => {
    const world = await startProviderWorld();
    const provider = await world.register();
    const how = {
      identity: makeIdentity(randomBytes),
      secrets: completeSecrets(randomBytes),
      wish,
    };
    const first = await world.provide(provider, undefined, how);
    const { networkId: network } = await world.service.admin.createAuthCode({});
    const of = { count: 1, sealing: 'required', network } as const;
    const { consumers, received } = await startConsumers(world, provider, of);
    const exchange = (number: number) => {
      consumers.send(0, [packetOf(number)]);
      return received.filter((packet) => packet[28] === number).length;
    };
    await expect.poll(() => exchange(1)).toBeGreaterThan(10);
    await first.stop();
    const { engine } = await world.provide(provider, undefined, how);
    // On a busy machine much of what the first one answered is still to come, and proves nothing.
    await expect.poll(() => exchange(2)).toBeGreaterThan(20);
    expect(engine.counters().sealing).toMatchObject({ handshakes: 1, proven: 1, refused: {} });
  },
);
