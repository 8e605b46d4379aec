import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { messageOf, TributaryError } from '../lib/errors.ts';

/** An open HTTP server. */
export interface Listener {
  readonly port: number;
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

/** Serves the application over plain HTTP. @throws usage-invalid where the address cannot be listened on */
export async function listenOn(
  answer: (request: Request) => Response | Promise<Response>,
  { address, port }: ListenAddress,
): Promise<Listener> {
  // The global Request and Response belong to the process, not to this server.
  const server = createAdaptorServer({ fetch: (request) => answer(request), overrideGlobalObjects: false }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const message = `listening on ${address} port ${port}: ${messageOf(error)}`;
      reject(new TributaryError('usage-invalid', message, { cause: error }));
    });
    server.listen({ host: address, port }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        const grace = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(grace);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
