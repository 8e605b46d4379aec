import { createSocket } from 'node:dgram';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type NetConnectOpts,
} from 'node:net';
import { Readable } from 'node:stream';
import { tryConnection } from '../../src/system/try-connection.ts';

/*
 * What the lab's hosts do, each in a process of its own namespace:
 *   worker serve ADDRESS PORT              an HTTP server; /bytes/N answers N bytes
 *   worker router ADDRESS PUBLIC_ADDRESS   a home router that tells its public address by NAT-PMP
 *   worker download URL [LIMIT_SECONDS]    prints {bytes, seconds, isWhole} as JSON,
 *                                          and progress lines on the way
 *   worker probe ADDRESS PORT [MS]         tries a TCP connection for so long (1500); prints
 *                                          "reached" or "refused"
 *   worker get URL                         prints the answer
 *   worker bridge SOCKET PORT              leads a Unix socket to a port of its host's loopback
 *   worker page FOLDER                     outside of the lab: leads a port of the loopback to
 *                                          FOLDER/socket; FOLDER/address has it
 */

const chunk = Buffer.alloc(64 * 1024, 0x74);
const usualProbeMs = 1500;
const sayListening = () => process.stdout.write('listening\n');

function serve(address: string, port: number): void {
  const server = createServer((request, response) => {
    const wanted = Number(/^\/bytes\/(\d{1,12})$/.exec(request.url ?? '')?.[1] ?? 0);
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-length': wanted,
    });
    Readable.from(makeBytes(wanted)).pipe(response);
  });
  server.listen(port, address, sayListening);
}

function* makeBytes(count: number): Generator<Buffer> {
  for (let left = count; left > 0; left -= chunk.length) yield chunk.subarray(0, left);
}

function answerAsRouter(address: string, publicAddress: string): void {
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    if (question.length !== 2 || question.readUInt16BE(0) !== 0) return;
    const answer = Buffer.from([0, 128, 0, 0, 0, 0, 0, 1, ...publicAddress.split('.').map(Number)]);
    socket.send(answer, from.port, from.address);
  });
  socket.bind(5351, address, sayListening);
}

function download(url: string, limitSeconds: number): void {
  const startedAt = performance.now();
  let bytes = 0;
  const print = (what: object) => {
    const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(3));
    process.stdout.write(`${JSON.stringify({ ...what, seconds })}\n`);
  };
  const finish = (outcome: { readonly isWhole: boolean }) => {
    print({ bytes, ...outcome });
    process.exit(0);
  };
  setInterval(() => print({ progress: bytes }), 100);
  setTimeout(() => finish({ isWhole: false }), limitSeconds * 1000);
  const request = get(url, (response) => {
    response.on('data', (data: Buffer) => {
      bytes += data.length;
    });
    response.on('end', () => finish({ isWhole: response.complete }));
    response.on('error', () => finish({ isWhole: false }));
  });
  request.on('error', () => finish({ isWhole: false }));
}

async function probe(address: string, port: number, timeoutMs: number): Promise<void> {
  const outcome = await tryConnection(address, port, timeoutMs);
  process.stdout.write(outcome === 'connect' ? 'reached\n' : 'refused\n');
}

function createForwarder(to: NetConnectOpts) {
  return createNetServer((socket) => {
    const other = connect(to).on('error', () => socket.destroy());
    socket.on('error', () => other.destroy());
    socket.pipe(other).pipe(socket);
  });
}

/** Offers the page at its usual port; if an agent of this machine uses that, at any free one. */
function offerPage(folder: string): void {
  const server = createForwarder({ path: `${folder}/socket` });
  const say = () =>
    writeFileSync(
      `${folder}/address`,
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    );
  server.on('listening', say).once('error', () => server.listen(0, '127.0.0.1'));
  server.listen(9469, '127.0.0.1');
  process.on('SIGINT', () => undefined);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  // The end of what it was started with, and of the terminal.
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit());
}

const [action, first = '', second = '', third = usualProbeMs] = process.argv.slice(2);
if (action === 'serve') serve(first, Number(second));
else if (action === 'router') answerAsRouter(first, second);
else if (action === 'download') download(first, Number(second || '60'));
else if (action === 'probe') void probe(first, Number(second), Number(third));
else if (action === 'get') get(first, (response) => void response.pipe(process.stdout));
else if (action === 'bridge')
  createForwarder({ host: '127.0.0.1', port: Number(second) }).listen(first, sayListening);
else if (action === 'page') offerPage(first);
else {
  process.stderr.write(
    'worker: serve, router, download, probe, get, bridge or page; see the top of its source\n',
  );
  process.exit(64);
}
