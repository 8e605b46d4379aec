import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { completeSecrets, saveSecrets } from '../../../src/connect/contract/secrets.ts';
import { createFindKey } from '../../../src/connect/control/find-key.ts';
import { loadIdentity, makeIdentity } from '../../../src/connect/sealed/identity.ts';
import { fromUuid } from '../../../src/connect/wire/id.ts';
import { startEngine } from '../../connect/support/engine-world.ts';
import { makePacket } from '../../connect/support/packets.ts';
import { startConsumers } from './consumer-world.ts';
import { startProviderWorld } from './provider-world.ts';

const packetOf = (number: number) =>
  makePacket({ version: 4, protocol: 17, payload: Buffer.alloc(1000, number) });

test('the engine tells its key before it is connected, and a consumer that demands one is served', async () => {
  const world = await startProviderWorld();
  const provider = await world.register();
  const identity = makeIdentity(randomBytes);
  const engine = startEngine({
    type: 'start',
    ownId: provider.clientId,
    token: provider.token,
    urls: [world.service.baseUrl.replace(/^http/, 'ws')],
    controlUrl: `${world.service.baseUrl}/connect/control`,
    authority: null,
    instanceId: randomUUID(),
    appVersion: '0.0.1',
    secrets: saveSecrets(completeSecrets(randomBytes)),
    identity,
    isSealingRequired: false,
    published: null,
    wish: 'public',
    pool: {
      ipv4: { first: '100.112.0.2', count: 60_000 },
      ipv6: { first: 'fd00::2', count: 60_000 },
    },
    device: 'connect0',
    mostUnpaidBytes: 268_435_456,
    books: null,
    largestId: null,
  });
  await engine.waitFor('state', { isConnected: true, isPublished: true, problem: null });
  const options = { count: 1, sealing: 'required' } as const;
  const { consumers, received } = await startConsumers(world, provider, options);
  for (let number = 0; number < 20; number++) consumers.send(0, [packetOf(number)]);
  await expect.poll(() => received.length).toBe(20);
  expect(consumers.sealing()).toBe(1);
  const { service } = world;
  const find = createFindKey({
    controlUrl: `${service.baseUrl}/connect/control`,
    authority: undefined,
  });
  const { signal } = new AbortController();
  const { publicKey } = loadIdentity(identity);
  expect(await find(fromUuid(provider.clientId), signal)).toEqual(publicKey);
  // Nobody has published a key for this id.
  expect(await find(fromUuid(randomUUID()), signal)).toBeUndefined();
  engine.tell({ type: 'stop', final: false });
  await engine.ended;
});
