import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { messageOf, TributaryError } from '../lib/errors.ts';

export interface ListenAddress {
  /** IPv4 or IPv6. */
  readonly address: string;
  /** 0: a free one. */
  readonly port: number;
}

const graceMs = 500;

type Answer = (request: Request) => Response | Promise<Response>;

/** Serves the application over plain HTTP. @throws usage-invalid where the address cannot be listened on */
export async function listenOn(answer: Answer, { address, port }: ListenAddress) {
  const server = await openServer(answer, { host: address, port }).catch((error) => {
    const message = `listening on ${address} port ${port}: ${messageOf(error)}`;
    throw new TributaryError('usage-invalid', message, { cause: error });
  });
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

/** The same on a Unix socket. @throws the system's error where it cannot be opened */
export async function listenOnPath(answer: Answer, path: string) {
  const server = await openServer(answer, { path });
  return { close: () => close(server) };
}

async function openServer(answer: Answer, where: ListenOptions): Promise<Server> {
  // The global Request and Response belong to the process, not to this server.
  const server = createAdaptorServer({ fetch: (request) => answer(request), overrideGlobalObjects: false }) as Server;
  await once(server.listen(where), 'listening');
  return server;
}

/** Takes no more requests, and waits a moment for those under way. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const grace = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(grace);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** A body that cannot be taken. */
export interface BadBody {
  readonly status: 400 | 413;
  readonly message: string;
}

/** Beyond this many times the limit the rest is not even read away. */
const patience = 16;

/** The body of a request as JSON. */
export async function readJson(request: Request, limitBytes: number): Promise<{ readonly value: unknown } | BadBody> {
  const text = await readText(request, limitBytes);
  if (text === undefined) return { status: 413, message: 'Request Entity Too Large' };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { status: 400, message: 'The body is not JSON.' };
  }
}

/**
 * The body as text; undefined where it is longer than `limitBytes`. What is too long is read and forgotten, within
 * reason: a caller who is still sending would otherwise see a broken connection instead of the answer.
 */
async function readText(request: Request, limitBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes <= limitBytes) chunks.push(chunk);
    else if (bytes > limitBytes * patience) break;
  }
  return bytes > limitBytes ? undefined : Buffer.concat(chunks).toString('utf8');
}
