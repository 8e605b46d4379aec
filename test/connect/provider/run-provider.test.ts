import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { completeSecrets, toProvideKeys } from '../../../src/connect/contract/secrets.ts';
import { createControlClient } from '../../../src/connect/control/control-client.ts';
import { readIpHeader } from '../../../src/connect/packet/ip-packet.ts';
import { readAddress, rewriteAddress } from '../../../src/connect/packet/rewrite.ts';
import { createEngine } from '../../../src/connect/provider/engine.ts';
import { runProvider } from '../../../src/connect/provider/run-provider.ts';
import type { PacketDevice } from '../../../src/connect/tun/tun-device.ts';
import { createIdSource, toUuid } from '../../../src/connect/wire/id.ts';
import { makePacket } from '../support/packets.ts';
import { createTestConsumer } from '../support/test-consumer.ts';
import { startTestPlatform } from '../support/test-platform.ts';

/** Gives every packet back to where it came from. */
function echoDevice(): PacketDevice {
  let listener: (packets: readonly Buffer[]) => void = () => undefined;
  return {
    start(onPackets) {
      listener = onPackets;
    },
    write: (packets) => listener(packets.map(turnAround)),
    state: () => ({ failedWrites: 0, hasEnded: false }),
  };
}

function turnAround(packet: Buffer): Buffer {
  const header = readIpHeader(packet);
  if (header === undefined) throw new Error('not a packet');
  const source = Buffer.from(readAddress(packet, header, 'source'));
  const destination = Buffer.from(readAddress(packet, header, 'destination'));
  rewriteAddress(packet, header, { place: 'source', address: destination });
  rewriteAddress(packet, header, { place: 'destination', address: source });
  return packet;
}

const now = () => Math.floor(performance.timeOrigin + performance.now());

async function setUp() {
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
    pool: {
      ipv4: { first: Buffer.from([100, 64, 0, 1]), count: 60_000 },
      ipv6: { first: Buffer.from('fd00'.padEnd(32, '0'), 'hex'), count: 60_000 },
    },
  });
  const running = runProvider(
    {
      ownId,
      engine,
      urls: [platform.url],
      control,
      device: echoDevice(),
      token: () => toUuid(ownId),
      instanceId: toUuid(ids.next(Date.now())),
      appVersion: '0.0.1',
      now,
      random: () => 0,
      keep: async () => undefined,
      onTokenSuspect: () => undefined,
    },
    stop.signal,
  );
  const id = ids.next(Date.now());
  const streamSecret = randomBytes(32);
  platform.publish(id, new Map([[4, streamSecret]]));
  const consumer = createTestConsumer({
    id,
    providerId: ownId,
    streamSecret,
    newId: () => ids.next(Date.now()),
    newContract() {
      const contract = platform.grant({ from: id, to: ownId, byteCount: 8 * 1024 * 1024 });
      if (contract === undefined) throw new Error('no contract');
      return { contractId: ids.next(0), contract, usable: 6 * 1024 * 1024 };
    },
  });
  const socket = new WebSocket(platform.url, {
    headers: { Authorization: `Bearer ${toUuid(id)}` },
  });
  const step = () => {
    for (const bytes of consumer.step(now())) socket.send(bytes);
  };
  socket.on('message', (bytes: Buffer) => {
    consumer.frame(bytes, now());
    step();
  });
  await new Promise((resolve) => socket.once('open', resolve));
  return { platform, ownId, engine, stop, running, consumer, socket, step };
}

type Setup = Awaited<ReturnType<typeof setUp>>;

/** Sends numbered packets, never more than what fits into the queue of the answers. */
async function exchange(of: Setup, count: number): Promise<void> {
  const { consumer } = of;
  let sent = 0;
  await until(of, () => {
    for (; sent < Math.min(count, consumer.received.length + 500); sent++)
      consumer.send(
        makePacket({ version: 4, protocol: 17, payload: Buffer.alloc(1000, sent) }),
        now(),
      );
    return consumer.received.length === count;
  });
  expect(consumer.received.map((packet) => packet[28])).toEqual(
    Array.from({ length: count }, (_, number) => number & 255),
  );
}

async function until(of: Setup, isDone: () => boolean): Promise<void> {
  const deadline = now() + 30_000;
  while (!isDone() && now() < deadline) {
    of.step();
    await sleep(1);
  }
}

async function tearDown({ stop, running, socket, platform }: Setup): Promise<void> {
  stop.abort();
  await running;
  socket.terminate();
  await platform[Symbol.asyncDispose]();
}

test('packets go through a real socket and back, and what both ends counted is reported', async () => {
  const setup = await setUp();
  const { consumer, platform } = setup;
  await exchange(setup, 3000);
  // The last acks are on their way for a moment.
  const settledAt = now() + 200;
  await until(setup, () => now() > settledAt && consumer.sender().counters().unackedBytes === 0);
  await tearDown(setup);
  for (const [contractId, bytes] of consumer.got)
    expect(platform.reported.get(contractId)).toBe(bytes);
});

test('a socket that is lost in mid-flow costs no packet', async () => {
  const setup = await setUp();
  const { consumer, platform, ownId } = setup;
  const exchanged = exchange(setup, 2000);
  await until(setup, () => consumer.received.length > 300);
  for (const socket of platform.socketsOf(ownId)) socket.terminate();
  await exchanged;
  await tearDown(setup);
});
