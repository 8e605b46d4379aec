import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  closeContract,
  contract,
  storedContract,
} from '../../../src/connect/wire/contract-messages.ts';
import { encodeFrames, toFrame } from '../../../src/connect/wire/frame.ts';
import { fromUuid, type Id } from '../../../src/connect/wire/id.ts';
import { decode, encode } from '../../../src/connect/wire/message.ts';
import { messageTypes, provideModes } from '../../../src/connect/wire/message-types.ts';
import { type ProviderWorld, type RegisteredClient, startProviderWorld } from './provider-world.ts';

const never = new AbortController().signal;
const mebibyte = 1024 * 1024;
const secrets = { public: randomBytes(32), network: randomBytes(32), stream: randomBytes(32) };

function ask(
  from: RegisteredClient,
  to: RegisteredClient,
  of: { readonly bytes?: number; readonly isCompanion?: boolean } = {},
) {
  return from.control.createContract(
    {
      destinationId: fromUuid(to.clientId),
      transferByteCount: of.bytes ?? 0,
      isCompanion: of.isCompanion ?? false,
      usedContractIds: [],
      forceStream: undefined,
      streamVersion: 1,
    },
    never,
  );
}

async function grant(...of: Parameters<typeof ask>) {
  const answer = await ask(...of);
  if (answer.kind !== 'granted') throw new Error(`no contract: ${JSON.stringify(answer)}`);
  const { storedBytes, hmac, mode } = decode(contract, answer.contract);
  return { storedBytes, hmac, mode, stored: decode(storedContract, storedBytes) };
}

const close = (by: RegisteredClient, contractId: Id, bytes: number) =>
  by.control.report(
    [{ contractId, ackedByteCount: bytes, unackedByteCount: 0, isCheckpoint: false }],
    never,
  );

/** A consumer of another network that publishes Stream, and a provider that publishes the rest. */
async function openPair(world: ProviderWorld) {
  const { networkJwt, networkId } = await world.service.admin.createNetwork({
    networkName: 'consumers',
  });
  const consumer = await world.register(networkJwt);
  const provider = await world.register();
  await consumer.control.provide([{ mode: provideModes.stream, secret: secrets.stream }], never);
  const { network, public: everybody } = provideModes;
  await provider.control.provide(
    [
      { mode: network, secret: secrets.network },
      { mode: everybody, secret: secrets.public },
    ],
    never,
  );
  return { consumer, provider, networkId };
}

test("a plain contract is signed by the provider's secret, a companion by the consumer's", async () => {
  const world = await startProviderWorld();
  const { consumer, provider } = await openPair(world);
  const plain = await grant(consumer, provider);
  const companion = await grant(provider, consumer, { isCompanion: true });
  for (const [made, secret, mode, from, to] of [
    [plain, secrets.public, provideModes.public, consumer, provider],
    [companion, secrets.stream, provideModes.stream, provider, consumer],
  ] as const) {
    expect(made.hmac).toEqual(createHmac('sha256', secret).update(made.storedBytes).digest());
    expect(made.mode).toBe(mode);
    expect(made.stored).toMatchObject({
      sourceId: fromUuid(from.clientId),
      destinationId: fromUuid(to.clientId),
      priority: 1,
    });
  }
  expect(companion.stored.contractId > plain.stored.contractId).toBe(true);
});

test.each([
  [0, mebibyte],
  [mebibyte + 1, mebibyte + 1],
  [1024 * mebibyte, 256 * mebibyte],
])('for %i bytes it is made for %i', async (asked, made) => {
  const world = await startProviderWorld();
  const { consumer, provider } = await openPair(world);
  const { stored } = await grant(consumer, provider, { bytes: asked });
  expect(stored.transferByteCount).toBe(made);
});

test('within a network it is signed by the network secret, and answered by a companion', async () => {
  const world = await startProviderWorld();
  const { provider } = await openPair(world);
  const neighbour = await world.register();
  await neighbour.control.provide([{ mode: provideModes.stream, secret: secrets.stream }], never);
  const plain = await grant(neighbour, provider);
  expect(plain.mode).toBe(provideModes.network);
  // The consumer publishes only Stream.
  const answer = await grant(provider, neighbour);
  expect(answer.mode).toBe(provideModes.stream);
});

test('without an origin there is no companion, and without a secret no contract', async () => {
  const world = await startProviderWorld();
  const { consumer, provider } = await openPair(world);
  const startedAt = performance.now();
  expect(await ask(provider, consumer, { isCompanion: true })).toEqual({
    kind: 'refused',
    error: 1,
  });
  expect(performance.now() - startedAt).toBeGreaterThan(2900);
  const silent = await world.register();
  expect(await ask(consumer, silent)).toEqual({ kind: 'refused', error: 0 });
  // An empty set stops new contracts; answers may be finished.
  await grant(consumer, provider);
  await provider.control.provide([], never);
  expect(await ask(consumer, provider)).toEqual({ kind: 'refused', error: 0 });
  await grant(provider, consumer, { isCompanion: true });
});

test('a companion that is asked for a moment too soon waits for its origin', async () => {
  const world = await startProviderWorld();
  const { consumer, provider } = await openPair(world);
  const early = grant(provider, consumer, { isCompanion: true });
  await grant(consumer, provider);
  expect((await early).mode).toBe(provideModes.stream);
});

test('a network that cannot pay gets no contract, until open ones give back what they hold', async () => {
  const world = await startProviderWorld();
  const { consumer, provider, networkId } = await openPair(world);
  await world.service.admin.setBalance({ network: networkId, gib: 0.25 });
  const { stored } = await grant(consumer, provider, { bytes: 256 * mebibyte });
  expect(await ask(consumer, provider)).toEqual({ kind: 'refused', error: 1 });
  await close(consumer, stored.contractId, mebibyte);
  await close(provider, stored.contractId, mebibyte);
  await grant(consumer, provider);
});

test('a report is answered with what is wrong with it', async () => {
  const world = await startProviderWorld();
  const { consumer, provider } = await openPair(world);
  const { stored } = await grant(consumer, provider);
  expect(await close(consumer, stored.contractId, 5)).toEqual({ kind: 'done' });
  // A second close before the settlement is ignored.
  expect(await close(consumer, stored.contractId, 5)).toEqual({ kind: 'done' });
  expect(await close(provider, stored.contractId, 5)).toEqual({ kind: 'done' });
  const say = async (pack: Buffer): Promise<unknown> => {
    const answer = await fetch(`${world.service.baseUrl}/connect/control`, {
      method: 'POST',
      headers: { authorization: `Bearer ${provider.token}` },
      body: JSON.stringify({ pack: pack.toString('base64') }),
    });
    return answer.json();
  };
  const again = { ackedByteCount: 5, unackedByteCount: 0, isCheckpoint: false };
  const report = encode(closeContract, { contractId: stored.contractId, ...again });
  expect(await say(encodeFrames([toFrame(messageTypes.closeContract, report)]))).toMatchObject({
    error: { message: expect.stringContaining('already closed') },
  });
  expect(await say(Buffer.from([0x2a, 0x02, 0x08, 13]))).toEqual({
    pack: '',
    error: { message: 'Cannot handle a control message of type 13' },
  });
});

test('contracts, secrets and money outlive the service, and ids grow from life to life', async () => {
  const first = await startProviderWorld();
  const { consumer, provider } = await openPair(first);
  const before = await grant(consumer, provider);
  await first.service.close();
  const second = await startProviderWorld({
    directory: first.directory,
    listen: { address: '127.0.0.1', port: Number(new URL(first.service.baseUrl).port) },
  });
  const after = await grant(consumer, provider);
  expect(after.stored.contractId > before.stored.contractId).toBe(true);
  expect(await close(consumer, before.stored.contractId, 7)).toEqual({ kind: 'done' });
  expect(await close(provider, before.stored.contractId, 7)).toEqual({ kind: 'done' });
  expect(second.service.baseUrl).toBe(first.service.baseUrl);
});
