import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { completeSecrets, toProvideKeys } from '../../../src/connect/contract/secrets.ts';
import { createControlClient } from '../../../src/connect/control/control-client.ts';
import { createEngine } from '../../../src/connect/provider/engine.ts';
import { runProvider } from '../../../src/connect/provider/run-provider.ts';
import type { PacketDevice } from '../../../src/connect/tun/tun-device.ts';
import { createIdSource, toUuid } from '../../../src/connect/wire/id.ts';
import { makePacket } from '../support/packets.ts';
import { connectConsumer, createEchoDevice, readClock } from '../support/socket-consumer.ts';
import { startTestPlatform } from '../support/test-platform.ts';
import { testPool } from '../support/test-pool.ts';

async function setUp(device: PacketDevice = createEchoDevice()) {
  const ids = createIdSource({ randomBytes });
  const platform = await startTestPlatform(ids);
  const ownId = ids.next(Date.now());
  const secrets = completeSecrets(randomBytes);
  const control = createControlClient(platform.post(ownId));
  const stop = new AbortController();
  await control.provide(toProvideKeys(secrets, 'public'), stop.signal);
  const engine = createEngine({
    ownId,
    secrets,
    wish: 'public',
    ids,
    wallMs: Date.now,
    pool: testPool,
  });
  let token = toUuid(ownId);
  const running = runProvider(
    {
      ownId,
      engine,
      urls: [platform.url],
      control,
      device,
      token: () => token,
      instanceId: toUuid(ids.next(Date.now())),
      appVersion: '0.0.1',
      now: readClock,
      random: () => 0,
      keep: async () => undefined,
      onTokenSuspect: () => undefined,
    },
    stop.signal,
  );
  const connected = await connectConsumer({ platform, ids, providerId: ownId });
  const renew = () => {
    // The platform reads the id, and this is another text for it.
    token = token.toUpperCase();
  };
  const end = async () => {
    stop.abort();
    await running;
  };
  const tearDown = async () => {
    await end();
    connected.close();
    await platform[Symbol.asyncDispose]();
  };
  return { ...connected, platform, ownId, renew, end, tearDown };
}

test('packets go through a real socket and back, and what both ends counted is reported', async () => {
  const { exchange, settle, consumer, platform, tearDown } = await setUp();
  await exchange(3000);
  await settle();
  await tearDown();
  for (const [contractId, bytes] of consumer.got)
    expect(platform.reported.get(contractId)).toBe(bytes);
});

test('a socket that is lost in mid-flow costs no packet', async () => {
  const { exchange, until, consumer, platform, ownId, tearDown } = await setUp();
  const exchanged = exchange(2000);
  await until(() => consumer.received.length > 300);
  for (const socket of platform.socketsOf(ownId)) socket.terminate();
  await exchanged;
  await tearDown();
});

test('a renewed token is used by a socket that is opened before the old one is closed', async () => {
  const { exchange, until, consumer, platform, ownId, renew, tearDown } = await setUp();
  const exchanged = exchange(2000);
  await until(() => consumer.received.length > 300);
  const [before] = platform.socketsOf(ownId);
  renew();
  await until(() => platform.socketsOf(ownId).length === 2);
  expect(platform.socketsOf(ownId)[0]).toBe(before);
  await exchanged;
  await until(() => platform.socketsOf(ownId).length === 1);
  expect(platform.socketsOf(ownId)[0]).not.toBe(before);
  await tearDown();
});

test('what was delivered before the end is acknowledged and reported, and nothing else is', async () => {
  const echo = createEchoDevice();
  let onDelivered = (): void => undefined;
  const write = (packets: readonly Buffer[]): void => {
    echo.write(packets);
    if (packets.length > 0) onDelivered();
  };
  const { until, consumer, platform, end, tearDown } = await setUp({ ...echo, write });
  const packet = makePacket({ version: 4, protocol: 17, payload: Buffer.alloc(1000) });
  for (let count = 0; count < 3000; count++) consumer.send(packet, readClock());
  await until(() => consumer.received.length > 100);
  // The end comes between a delivery and its ack.
  const ended = await new Promise<{ readonly done: Promise<void> }>((resolve) => {
    onDelivered = () => {
      onDelivered = () => undefined;
      resolve({ done: end() });
    };
  });
  await ended.done;
  const acknowledged = () => sum(consumer.sent.values());
  const reported = [...platform.reported].filter(([contractId]) => !consumer.got.has(contractId));
  await until(() => acknowledged() === sum(reported.map(([, bytes]) => bytes)));
  expect(acknowledged()).toBeLessThan(3000 * packet.length);
  await tearDown();
});

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((all, one) => all + one, 0);
}
