import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { rethrow } from './errors.ts';
import { BadBody } from './refusal.ts';

/** An IPv4 or IPv6 address; port 0 means a free one. */
export type ListenAddress = Readonly<{ address: string; port: number }>;

const graceMs = 500;

type Answer = (request: Request, bindings: HttpBindings) => Response | Promise<Response>;
type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>;

/**
 * Serves the application over plain HTTP. `upgrade` answers connections that ask to be a WebSocket;
 * one whose answer fails is ended.
 * @throws usage-invalid if nothing can listen on the address
 */
export async function listenOn(
  answer: Answer,
  { address, port }: ListenAddress,
  upgrade?: Upgrade,
) {
  const server = createAdaptorServer({
    fetch: (request, bindings) => answer(request, bindings as HttpBindings),
  }) as Server;
  if (upgrade !== undefined) {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      upgrade(request, socket, head).catch(() => socket.destroy());
    });
  }
  const listening = once(server.listen({ host: address, port }), 'listening');
  await listening.catch(rethrow('usage-invalid', `listening on ${address} port ${port}`));
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

async function close(server: Server): Promise<void> {
  const grace = setTimeout(() => server.closeAllConnections(), graceMs);
  await server[Symbol.asyncDispose]();
  clearTimeout(grace);
}

/**
 * Reads a JSON body. A body that is too long is read on, up to 64 MiB, so that a caller who is
 * still sending sees the answer. `nothing` is what a body without a byte says; undefined where it
 * is no body.
 * @throws usage-invalid
 */
export async function readJson(
  body: IncomingMessage,
  limitBytes: number,
  nothing?: unknown,
): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes <= limitBytes) chunks.push(chunk);
    else if (bytes > 64 * 1024 ** 2) break;
  }
  if (bytes > limitBytes) throw new BadBody(413, 'Request Entity Too Large');
  if (bytes === 0 && nothing !== undefined) return nothing;
  try {
    return JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks)),
    );
  } catch {
    throw new BadBody(400, 'The body is not JSON.');
  }
}
