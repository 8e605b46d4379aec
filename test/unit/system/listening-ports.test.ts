import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import {
  createPortsReader,
  observeListeningAddresses,
  observeListeningPorts,
  parseSockets,
} from '../../../src/system/listening-ports.ts';

test('the ports of servers over TCP and UDP are among them', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  const socket = createSocket('udp6');
  onTestFinished(() => {
    server.close();
    socket.close();
  });
  await once(server, 'listening');
  await new Promise<void>((resolve) => socket.bind(0, '::1', resolve));
  const own = server.address();
  const ports = await observeListeningPorts();
  expect(ports).toContain(typeof own === 'object' && own !== null ? own.port : undefined);
  expect(ports).toContain(socket.address().port);
});

test('a server that begins is noticed at once, by the number of sockets', async () => {
  const read = createPortsReader();
  await read();
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  const own = server.address();
  expect(await read()).toContain(typeof own === 'object' && own !== null ? own.port : undefined);
});

test('ports are listed again after a minute, or where another number of sockets is in use', async () => {
  let [nowMs, counts, listed]: [number, string | undefined, number] = [0, 'TCP: inuse 1', 0];
  const read = createPortsReader({
    observe: async () => {
      listed += 1;
      return [listed];
    },
    countSockets: () => counts,
    nowMs: () => nowMs,
  });
  expect([await read(), await read()]).toEqual([[1], [1]]);
  nowMs = 59_999;
  expect(await read()).toEqual([1]);
  nowMs = 60_000;
  expect(await read()).toEqual([2]);
  counts = 'TCP: inuse 2';
  expect([await read(), await read()]).toEqual([[3], [3]]);
  counts = undefined;
  expect([await read(), await read()]).toEqual([[4], [5]]);
});

test.each([
  ['udp4', '127.0.0.1', ['127.0.0.1']],
  ['udp4', '0.0.0.0', ['0.0.0.0']],
  ['udp6', '::', ['0.0.0.0']],
  ['udp6', '::1', []],
] as const)('over %s a server at %s waits at %j', async (type, address, addresses) => {
  const socket = createSocket(type);
  onTestFinished(() => {
    socket.close();
  });
  await new Promise<void>((resolve) => socket.bind(0, address, resolve));
  expect(await observeListeningAddresses(socket.address().port)).toEqual(addresses);
});

test("a line of the kernel's says the own port, the far end's and the state", () => {
  const text = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1',
    '   1: 00000000000000000000000001000000:55F0 00000000000000000000000001000000:0035 01 0:0 0:0 0',
    'no socket at all',
  ].join('\n');
  expect(parseSockets(text)).toEqual([
    { address: '127.0.0.1', port: 8080, farPort: 0, state: '0A' },
    { address: undefined, port: 22_000, farPort: 53, state: '01' },
  ]);
});
