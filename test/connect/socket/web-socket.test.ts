import { once } from 'node:events';
import type { LookupFunction, Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openPlatformSocket } from '../../../src/connect/socket/web-socket.ts';
import type { WireMeter } from '../../../src/connect/socket/wire-meter.ts';
import { listenInSilence } from '../../unit/listen-in-silence.ts';

/** A name with these addresses. */
const toLookup = (addresses: readonly string[]): LookupFunction =>
  ((_name, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    )) as LookupFunction;

test('a name’s first address is reached, although it answers a second later and the other refuses', async () => {
  const { port, wake } = await listenInSilence();
  const line = Promise.withResolvers<Socket>();
  const meter = { watch: (socket: Socket) => line.resolve(socket) } as WireMeter;
  const socket = openPlatformSocket({
    url: `ws://platform.example:${port}`,
    token: 'token',
    instanceId: '00000000-0000-4000-8000-000000000000',
    appVersion: '1',
    onOpen: () => undefined,
    onMessage: () => undefined,
    onClose: () => undefined,
    meter,
    lookup: toLookup(['127.0.0.1', '127.0.0.2']),
  });
  onTestFinished(() => socket.close());
  const connected = await line.promise;
  setTimeout(wake, 1000);
  await once(connected, 'connect');
  expect(connected.remoteAddress).toBe('127.0.0.1');
});
