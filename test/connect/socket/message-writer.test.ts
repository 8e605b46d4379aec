import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { createMessageWriter } from '../../../src/connect/socket/message-writer.ts';
import { openPlatformSocket } from '../../../src/connect/socket/web-socket.ts';
import { patienceMs } from '../../patience.ts';

const patience = { timeout: patienceMs };
/** Every length that a head or a word could be wrong about, and the longest of the wire. */
const lengths = [...Array(140).keys(), 1023, 1024, 1025, 1026, 4095, 4096, 4097];
const messages = lengths.map((length) =>
  Buffer.from(Array.from({ length }, (_, at) => (at * 7 + length) & 0xff)),
);

/** A client on the wire of a server, which sends its own messages by a writer, too. */
async function connect() {
  const atServer: Buffer[] = [];
  const atClient: Buffer[] = [];
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection');
  let opened = (): void => undefined;
  const isOpen = new Promise<void>((resolve) => {
    opened = resolve;
  });
  const client = openPlatformSocket({
    url: `ws://127.0.0.1:${port}`,
    token: 'token',
    instanceId: 'instance',
    appVersion: '0.0.0',
    onOpen: opened,
    onMessage(bytes) {
      atClient.push(Buffer.from(bytes));
    },
    onClose: () => undefined,
  });
  onTestFinished(client.close);
  const [socket, request] = await connected;
  socket.on('message', (bytes: Buffer) => atServer.push(Buffer.from(bytes)));
  await isOpen;
  const writer = createMessageWriter({
    write: (bytes) => request.socket.write(bytes),
    hides: false,
  });
  return { client, writer, socket, atServer, atClient };
}

test('a WebSocket of another program reads each message as it was sent, in order', async () => {
  const { client, writer, atServer, atClient } = await connect();
  for (const [index, message] of messages.entries()) {
    client.send(message);
    writer.send(message);
    // Some go alone, and some together.
    if (index % 5 === 0) await setImmediate();
  }
  await expect
    .poll(() => [atServer.length, atClient.length], patience)
    .toEqual([messages.length, messages.length]);
  expect(atServer).toEqual(messages);
  expect(atClient).toEqual(messages);
});

test('what the WebSocket itself sends goes between whole messages', async () => {
  const { client, writer, socket, atClient, atServer } = await connect();
  const pong = once(socket, 'pong');
  socket.ping('are you there');
  for (const message of messages) {
    client.send(message);
    writer.send(message);
  }
  const [said] = await pong;
  expect(String(said)).toBe('are you there');
  await expect
    .poll(() => [atServer.length, atClient.length], patience)
    .toEqual([messages.length, messages.length]);
});

test('each message is hidden by a key of its own, and is what it was under it', async () => {
  const written: Buffer[] = [];
  const writer = createMessageWriter({ write: (bytes) => written.push(bytes), hides: true });
  const message = Buffer.from('a message that is long enough for a few words');
  for (let count = 0; count < 3000; count++) writer.send(message);
  expect(writer.gatheredBytes()).toBe(3000 * (2 + 4 + message.length));
  await setImmediate();
  expect(writer.gatheredBytes()).toBe(0);
  const bytes = Buffer.concat(written);
  const keys = new Set<string>();
  for (let at = 0; at < bytes.length; at += 6 + message.length) {
    expect([bytes[at], bytes[at + 1]]).toEqual([0x82, 0x80 | message.length]);
    const key = bytes.subarray(at + 2, at + 6);
    keys.add(key.toString('hex'));
    const shown = bytes
      .subarray(at + 6, at + 6 + message.length)
      .map((byte, index) => byte ^ (key[index & 3] as number));
    expect(Buffer.from(shown)).toEqual(message);
  }
  // Three thousand of 2^32 keys may have one pair in common once in a thousand runs, not two.
  expect(keys.size).toBeGreaterThan(2997);
});

test('a message that is longer than a head can say is refused', () => {
  const writer = createMessageWriter({ write: () => undefined, hides: true });
  expect(() => writer.send(Buffer.alloc(65_536))).toThrow(RangeError);
});
