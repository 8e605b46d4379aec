import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { resolveName, tryDatagram } from '../../../src/doctor/probe-network.ts';
import type { Exec } from '../../../src/system/exec.ts';

/** A UDP port of the loopback on which a socket listens, or none any more. */
async function choosePort(isOpen: 'open' | 'closed'): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  const close = () => new Promise<void>((resolve) => socket.close(() => resolve()));
  if (isOpen === 'closed') await close();
  else onTestFinished(close);
  return port;
}

test('a datagram that is taken comes to nothing', async () => {
  expect(await tryDatagram('127.0.0.1', await choosePort('open'))).toBeUndefined();
});

test('a datagram that is refused says so', async () => {
  expect(await tryDatagram('127.0.0.1', await choosePort('closed'))).toBe('ECONNREFUSED');
});

test('a datagram that is refused says so in a process that is busy for longer than it waits', async () => {
  const port = await choosePort('closed');
  const tried = tryDatagram('127.0.0.1', port);
  // It is sent by then, and its answer is not read yet.
  setImmediate(() => {
    const until = performance.now() + 1_000;
    while (performance.now() < until);
  });
  expect(await tried).toBe('ECONNREFUSED');
});

test('a datagram that cannot be sent says why', async () => {
  // To all at once, which a socket may not do unasked; without any network there is no way either.
  expect(await tryDatagram('255.255.255.255', 9)).toBeOneOf(['EACCES', 'ENETUNREACH']);
});

test('a name is asked for as long as the system itself asks', async () => {
  let patienceMs = 0;
  const exec: Exec = async ({ timeoutMs = 0 }) => {
    patienceMs = timeoutMs;
    return '45.83.9.2 STREAM service.example\n';
  };
  expect(await resolveName(exec, 'service.example')).toBe('45.83.9.2');
  // Three name servers, each asked twice for five seconds.
  expect(patienceMs).toBeGreaterThan(3 * 2 * 5000);
});
