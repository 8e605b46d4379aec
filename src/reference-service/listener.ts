import type { Server } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { messageOf, TributaryError } from '../lib/errors.ts';

/** An open HTTP server. */
export interface OpenServer {
  /** Takes no more requests, and waits a moment for those under way. */
  close(): Promise<void>;
}

/** Where to listen. */
export interface ListenAddress {
  /** IPv4 or IPv6. */
  readonly address: string;
  /** 0: a free one. */
  readonly port: number;
}

const graceMs = 500;

type Answer = (request: Request) => Response | Promise<Response>;

/** Serves the application over plain HTTP. @throws usage-invalid where the address cannot be listened on */
export async function listenOn(
  answer: Answer,
  { address, port }: ListenAddress,
): Promise<OpenServer & { readonly port: number }> {
  const server = await openServer(answer, { host: address, port }).catch((error) => {
    const message = `listening on ${address} port ${port}: ${messageOf(error)}`;
    throw new TributaryError('usage-invalid', message, { cause: error });
  });
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

/** The same on a Unix socket. @throws the system's error where it cannot be opened */
export async function listenOnPath(answer: Answer, path: string): Promise<OpenServer> {
  const server = await openServer(answer, { path });
  return { close: () => close(server) };
}

function openServer(answer: Answer, where: ListenOptions): Promise<Server> {
  // The global Request and Response belong to the process, not to this server.
  const server = createAdaptorServer({ fetch: (request) => answer(request), overrideGlobalObjects: false }) as Server;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => resolve(server));
  });
}

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
