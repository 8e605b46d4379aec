import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { isPlainData } from '../../../src/connect/provider/controls.ts';
import { decodeTransferFrame, readPath } from '../../../src/connect/wire/transfer-frame.ts';

/** What passes between a consumer and the platform, as who runs the platform sees it. */
export interface FrameTap {
  /** In place of the service's own. */
  readonly baseUrl: string;
  /** Frames between two clients, both ways: packets that can be read, and what is sealed. */
  readonly seen: { readable: number; sealed: number };
}

/** Puts itself between consumers and the service, until the test is over. */
export async function startFrameTap(serviceUrl: string): Promise<FrameTap> {
  const seen = { readable: 0, sealed: 0 };
  const look = (bytes: Buffer): void => {
    const path = readPath(bytes);
    if (path?.sourceId === undefined || path.destinationId === undefined) return;
    const { body } = decodeTransferFrame(bytes);
    if (body.kind === 'sealed') seen.sealed++;
    else if (body.kind === 'pack' && isPlainData(body.pack)) seen.readable++;
  };
  const server = createServer((asked, answer) => {
    const { url: path, method, headers } = asked;
    const passed = request(new URL(path ?? '/', serviceUrl), { method, headers }, (from) => {
      answer.writeHead(from.statusCode ?? 502, from.headers);
      from.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on('connection', (near, { url: path, headers }) => {
    const address = new URL(path ?? '/', serviceUrl.replace(/^http/, 'ws'));
    const own = Object.entries(headers).filter(([name]) => /^(authorization$|x-)/.test(name));
    const far = new WebSocket(address, { headers: Object.fromEntries(own) as never });
    const opened = new Promise((resolve) => far.once('open', resolve));
    near.on('message', async (bytes: Buffer) => {
      look(bytes);
      await opened;
      far.send(bytes);
    });
    far.on('message', (bytes: Buffer) => {
      look(bytes);
      near.send(bytes);
    });
    near.on('close', () => far.terminate());
    far.on('close', () => near.terminate());
    far.on('error', () => near.terminate());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
    server.close();
    server.closeAllConnections();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}
