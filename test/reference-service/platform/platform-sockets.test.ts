import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { loadIdentity, makeIdentity, toPublication } from '../../../src/connect/sealed/identity.ts';
import { makeClockRateMessage } from '../../../src/connect/socket/clock-rate.ts';
import { residentMigrate } from '../../../src/connect/wire/control-messages.ts';
import { createIdSource, fromUuid } from '../../../src/connect/wire/id.ts';
import { decode } from '../../../src/connect/wire/message.ts';
import { messageTypes, provideModes } from '../../../src/connect/wire/message-types.ts';
import type { Pack } from '../../../src/connect/wire/pack.ts';
import { streamOpen, streamReset } from '../../../src/connect/wire/stream-messages.ts';
import {
  decodeTransferFrame,
  encodeAckFrame,
  encodePackFrame,
} from '../../../src/connect/wire/transfer-frame.ts';
import { administer } from '../../../src/reference-service/admin-commands.ts';
import { openDatabase } from '../../../src/reference-service/database.ts';
import { waitUntil } from '../../patience.ts';
import { type ProviderWorld, type RegisteredClient, startProviderWorld } from './provider-world.ts';

const ids = createIdSource({ randomBytes });
const newId = () => ids.next(Date.now());
const never = new AbortController().signal;

interface RawSocket {
  readonly socket: WebSocket;
  /** Everything that came, in order. */
  readonly messages: Buffer[];
  /** The close code, once it is closed. */
  readonly closed: Promise<number>;
}

/** A socket as a program opens it, without anything that answers. */
function dial(world: ProviderWorld, token: string, instance: string = randomUUID()): RawSocket {
  const socket = new WebSocket(world.service.baseUrl.replace(/^http/, 'ws'), {
    headers: {
      Authorization: `Bearer ${token}`,
      'X-UR-InstanceId': instance,
      'X-UR-TransportVersion': '2',
      'X-UR-AppVersion': '0.0.0',
    },
  });
  const messages: Buffer[] = [];
  socket.on('message', (bytes: Buffer) => void messages.push(bytes));
  socket.on('error', () => undefined);
  onTestFinished(() => socket.terminate());
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  return { socket, messages, closed };
}

async function open(world: ProviderWorld, client: RegisteredClient, instance?: string) {
  const raw = dial(world, client.token, instance);
  await once(raw.socket, 'open');
  return raw;
}

/** Two clients of different networks; `ask` makes a contract from the first to the second. */
async function registerPair(world: ProviderWorld) {
  const { networkJwt } = await world.service.admin.createNetwork({ networkName: 'away' });
  const source = await world.register(networkJwt);
  const destination = await world.register();
  const secret = randomBytes(32);
  await destination.control.provide([{ mode: provideModes.public, secret }], never);
  const ask = async (forceStream: boolean | undefined, asker = source) => {
    const granted = await asker.control.createContract(
      {
        destinationId: fromUuid(destination.clientId),
        transferByteCount: 0,
        isCompanion: false,
        usedContractIds: [],
        forceStream,
        streamVersion: 1,
      },
      never,
    );
    expect(granted.kind).toBe('granted');
  };
  return { source, destination, ask, registerMore: () => world.register(networkJwt) };
}

/** Two clients of different networks with a contract from the first to the second. */
async function openPair(world: ProviderWorld) {
  const { source, destination, ask } = await registerPair(world);
  await ask(undefined);
  return { source, destination };
}

/** A frame between two clients that carries so much. */
function makeFrame(from: string, to: string, length = 100): Buffer {
  const pack: Pack = {
    messageId: newId(),
    sequenceId: newId(),
    sequenceNumber: 0,
    isHead: true,
    frames: [{ type: messageTypes.ipPacketToProvider, bytes: Buffer.alloc(length), isRaw: true }],
    wantsNoAck: false,
    contract: undefined,
    tag: undefined,
    contractId: undefined,
    lane: { forceStream: false, isCompanion: false, number: 0 },
  };
  return encodePackFrame(
    { sourceId: fromUuid(from), destinationId: fromUuid(to), streamId: undefined },
    pack,
  );
}

/** Frames of other clients that came, without what the platform itself says. */
const framesIn = (raw: RawSocket) =>
  raw.messages.filter((bytes) => bytes.length > 16 && decodeTransferFrame(bytes).path.sourceId);

const toldTo = (raw: RawSocket) =>
  raw.messages
    .filter((bytes) => bytes.length > 16)
    .flatMap((bytes) => {
      const { path, body } = decodeTransferFrame(bytes);
      return path.sourceId === undefined && body.kind === 'pack' ? [body.pack] : [];
    });

test("a bad token's socket opens and is closed at once without a reason; control answers 401", async () => {
  const world = await startProviderWorld();
  const { networkJwt } = await world.service.admin.createNetwork({ networkName: 'away' });
  for (const token of ['nonsense', networkJwt]) {
    const raw = dial(world, token);
    await once(raw.socket, 'open');
    expect(await raw.closed).toBe(1006);
    const answer = await fetch(`${world.service.baseUrl}/connect/control`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: '{"pack":""}',
    });
    expect(answer.status).toBe(401);
  }
});

test('a message of 4,100 bytes passes, one of 4,101 closes the socket with 1009', async () => {
  const world = await startProviderWorld();
  const client = await world.register();
  const raw = await open(world, client);
  raw.socket.send(Buffer.alloc(4100));
  raw.socket.send('text is ignored');
  const probe = once(raw.socket, 'pong');
  raw.socket.ping();
  await probe;
  raw.socket.send(Buffer.alloc(4101));
  expect(await raw.closed).toBe(1009);
});

test("frames pass by the destination's id, and only in one's own name", async () => {
  const world = await startProviderWorld();
  const { source, destination } = await openPair(world);
  const from = await open(world, source);
  const to = await open(world, destination);
  from.socket.send(makeFrame(destination.clientId, destination.clientId));
  const frame = makeFrame(source.clientId, destination.clientId);
  from.socket.send(frame);
  await waitUntil(() => expect(framesIn(to)).toEqual([frame]));
  // The way back is open too, by the same contract.
  const answer = makeFrame(destination.clientId, source.clientId);
  to.socket.send(answer);
  await waitUntil(() => expect(framesIn(from)).toEqual([answer]));
});

test('without a contract no frame passes, and with one the next frame does', async () => {
  const world = await startProviderWorld();
  const { source, destination } = await openPair(world);
  const stranger = await world.register();
  const to = await open(world, destination);
  const other = await open(world, stranger);
  other.socket.send(makeFrame(stranger.clientId, destination.clientId));
  const from = await open(world, source);
  const frame = makeFrame(source.clientId, destination.clientId);
  from.socket.send(frame);
  await waitUntil(() => expect(framesIn(to)).toEqual([frame]));
});

test('two sockets of one process share what comes; a newer process starves the older one', async () => {
  const world = await startProviderWorld();
  const { source, destination } = await openPair(world);
  const from = await open(world, source);
  const instance = randomUUID();
  const [one, two] = [
    await open(world, destination, instance),
    await open(world, destination, instance),
  ];
  const send = () => from.socket.send(makeFrame(source.clientId, destination.clientId));
  for (let count = 0; count < 10; count++) send();
  await waitUntil(() => expect([framesIn(one).length, framesIn(two).length]).toEqual([5, 5]));
  const newer = await open(world, destination);
  send();
  await waitUntil(() => expect(framesIn(newer).length).toBe(1));
  expect([framesIn(one).length, framesIn(two).length]).toEqual([5, 5]);
});

test('a new resident is told 22 and 26, again and again until it acknowledges them', async () => {
  const world = await startProviderWorld();
  const client = await world.register();
  const raw = await open(world, client);
  const told = () => toldTo(raw).map(({ frames }) => frames[0]?.type);
  await waitUntil(() => expect(told().slice(0, 4)).toEqual([22, 26, 22, 26]));
  const last = toldTo(raw).at(-1) as Pack;
  raw.socket.send(
    encodeAckFrame(
      { sourceId: fromUuid(client.clientId), destinationId: undefined, streamId: undefined },
      {
        messageId: last.messageId,
        sequenceId: last.sequenceId,
        isSelective: false,
        tag: undefined,
        missingContractId: undefined,
        recoversContracts: true,
        laneVersion: 1,
      },
    ),
  );
  const pinged = once(raw.socket, 'pong');
  raw.socket.ping();
  await pinged;
  const count = told().length;
  await sleep(1500);
  expect(told().length).toBe(count);
});

test('a host that drains asks its clients to move, refuses new sockets while it is told to, and ends the old ones', async () => {
  const world = await startProviderWorld({ hasten: 100 });
  const client = await world.register();
  const instance = randomUUID();
  const raw = await open(world, client, instance);
  const startedAt = Date.now();
  await administer(world.directory, 'drainPlatform', { refuseSeconds: 86_400 });
  const found = await waitUntil(() => {
    const frame = toldTo(raw)
      .flatMap(({ frames }) => frames)
      .find(({ type }) => type === messageTypes.residentMigrate);
    expect(frame).toBeDefined();
    return frame;
  });
  const { migrateAt } = decode(residentMigrate, found?.bytes ?? Buffer.alloc(0));
  expect(migrateAt).toBeGreaterThanOrEqual(startedAt + 2000);
  expect(migrateAt).toBeLessThanOrEqual(Date.now() + 6000);
  const dialled = dial(world, client.token, instance);
  const [, response] = await once(dialled.socket, 'unexpected-response');
  expect(response.statusCode).toBe(503);
  // One that refuses nobody.
  await administer(world.directory, 'drainPlatform', {});
  // Two minutes of the platform's clock are over in a moment. Silence does not end it meanwhile.
  const pings = setInterval(() => raw.socket.send(Buffer.alloc(0)), 1000);
  onTestFinished(() => clearInterval(pings));
  expect(await raw.closed).toBe(1006);
  clearInterval(pings);
  const again = await waitUntil(() => open(world, client, instance));
  expect(again.socket.readyState).toBe(WebSocket.OPEN);
});

test('a clock that is hastened meanwhile is told at once, and minutes pass by it', async () => {
  // Time passes with each look at it, and after a ping: however long this process is not let run,
  // nobody was silent.
  let now = Date.now();
  const world = await startProviderWorld({ now: () => now++ });
  const client = await world.register();
  const raw = await open(world, client);
  const pass = async () => {
    raw.socket.send(Buffer.alloc(0));
    const pinged = once(raw.socket, 'pong');
    raw.socket.ping();
    await pinged;
    now += 20;
  };
  expect(await administer(world.directory, 'hastenPlatform', { rate: '600' })).toEqual({
    rate: 600,
  });
  await waitUntil(() => expect(raw.messages).toContainEqual(makeClockRateMessage(600)));
  using database = openDatabase(world.directory);
  // Half an hour, without a gap: more passes between two looks than between two notes.
  const listBlocks = () =>
    database
      .prepare('select block_ms as ms from reliability_block where messages > 0 order by ms')
      .all()
      .map(({ ms }) => Number(ms));
  const waitForBlocks = (most: number) =>
    waitUntil(async () => {
      await pass();
      expect(listBlocks().length).toBeGreaterThan(most);
    });
  await waitForBlocks(30);
  // Nor is any lost where the clock goes at other rates meanwhile.
  for (const rate of ['1000', '1', '1000', '1']) {
    const before = listBlocks().length;
    await administer(world.directory, 'hastenPlatform', { rate });
    await waitUntil(() => expect(raw.messages).toContainEqual(makeClockRateMessage(Number(rate))));
    if (rate !== '1') await waitForBlocks(before);
    raw.messages.length = 0;
  }
  const [first = 0] = listBlocks();
  expect(listBlocks()).toEqual(listBlocks().map((_, index) => first + index * 60_000));
});

test('another key to seal by costs no minute, and other secrets cost one', async () => {
  const world = await startProviderWorld({ hasten: 600 });
  const client = await world.register();
  const { control } = client;
  const raw = await open(world, client);
  const pings = setInterval(() => raw.socket.send(Buffer.alloc(0)), 1000);
  onTestFinished(() => clearInterval(pings));
  using database = openDatabase(world.directory);
  const count = () =>
    database
      .prepare('select count(*) as minutes, sum(changes) as changes from reliability_block')
      .get() as { readonly minutes: number; readonly changes: number | null };
  const waitForMinutes = (most: number) =>
    waitUntil(() => expect(count().minutes).toBeGreaterThan(most));
  // Until it counts as connected, nothing that it publishes would cost a minute.
  await waitForMinutes(2);
  for (let keys = 1; keys <= 3; keys++) {
    const { minutes } = count();
    const published = await control.publishIdentity(
      toPublication(loadIdentity(makeIdentity(randomBytes))),
      never,
    );
    expect(published.kind).toBe('done');
    await waitForMinutes(minutes + 1);
  }
  expect(count().changes).toBe(0);
  await control.provide([{ mode: provideModes.public, secret: randomBytes(32) }], never);
  await waitUntil(() => expect(count().changes).toBe(1));
});

test('a socket that cannot be noted is closed, and the service goes on', async () => {
  const warnings: string[] = [];
  const world = await startProviderWorld({ warn: (message) => void warnings.push(message) });
  const client = await world.register();
  const before = await open(world, client);
  using database = openDatabase(world.directory);
  database.exec('drop table open_socket');
  const raw = dial(world, client.token);
  expect(await raw.closed).toBe(1006);
  before.socket.terminate();
  await waitUntil(() => expect(warnings.join()).toContain('no such table: open_socket'));
  expect((await fetch(`${world.service.baseUrl}/openapi.json`)).status).toBe(200);
});

test("a stream's contract makes both ends hear of each other, and a plain one does not", async () => {
  const world = await startProviderWorld();
  const { source, destination, ask } = await registerPair(world);
  const [first, second] = [await open(world, source), await open(world, destination)];
  const opened = (raw: RawSocket) => [
    ...new Map(
      toldTo(raw)
        .flatMap(({ frames }) => frames)
        .filter(({ type }) => type === messageTypes.streamOpen)
        .map(({ bytes }) => [bytes.toString('hex'), decode(streamOpen, bytes)]),
    ).values(),
  ];
  await ask(undefined);
  await ask(true);
  const [sourceId, destinationId] = [fromUuid(source.clientId), fromUuid(destination.clientId)];
  await waitUntil(() => expect(opened(first)).toMatchObject([{ destinationId }]));
  await waitUntil(() => expect(opened(second)).toMatchObject([{ sourceId }]));
});

test('a client with more streams than one message holds is told all of them when it comes back', async () => {
  const world = await startProviderWorld();
  const { destination, ask, registerMore } = await registerPair(world);
  const sources = await Promise.all(
    Array.from({ length: 110 }, async () => {
      const source = await registerMore();
      await ask(true, source);
      return fromUuid(source.clientId);
    }),
  );
  const raw = await open(world, destination);
  const told = () =>
    new Set(
      toldTo(raw)
        .flatMap(({ frames }) => frames)
        .flatMap(({ type, bytes }) => {
          if (type === messageTypes.streamReset) return decode(streamReset, bytes).streams;
          return type === messageTypes.streamOpen ? [decode(streamOpen, bytes)] : [];
        })
        .map(({ sourceId }) => sourceId),
    );
  await waitUntil(() => expect(told()).toEqual(new Set(sources)));
  expect(toldTo(raw)[0]?.frames[0]?.type).toBe(messageTypes.streamReset);
});
