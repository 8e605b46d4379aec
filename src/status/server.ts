import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { dirname } from 'node:path';
import { messageOf, rethrow, systemCodeOf, TributaryError } from '../errors/codes.ts';
import { formatHostPort, type HostPort } from '../lib/host-port.ts';
import { ensureDirectory } from '../system/files.ts';
import { createHandler, type Listener } from './handler.ts';
import { limitConnections, mostConnections } from './limit-connections.ts';
import type { StatusSource } from './source.ts';
import { clearStaleSocket } from './stale-socket.ts';

/** Where the page listens: an address and port, or a listening socket that was handed over. */
export type StatusListen = HostPort | { readonly fileDescriptor: number };

export interface StatusServerOptions {
  readonly source: StatusSource;
  /** undefined for no page over TCP. */
  readonly listen: StatusListen | undefined;
  readonly socketPath: string;
  /** Names under which the page may be asked, besides addresses and names of a home network. */
  readonly ownNames: () => readonly string[];
  /** Called when the page cannot listen; the agent goes on without it. */
  readonly onPageProblem: (problem: TributaryError) => void;
}

/**
 * Serves status, metrics and probes over TCP, read-only, and the owner's commands over a Unix
 * socket. Start it once; after `close` it is of no use.
 */
export interface StatusServer {
  /**
   * Opens the socket, then the page. A page that cannot listen is told to `onPageProblem`.
   * @throws already-running, state-unwritable for the socket only
   */
  start(): Promise<void>;
  /** Where the page listens; undefined while the page is not served. */
  pageAddress(): HostPort | undefined;
  /** Ends every connection, also the ones that wait for an answer. */
  close(): Promise<void>;
}

/** Connections of one caller, so that no caller can keep the page and its probes from others. */
const mostOfCaller = 16;
/**
 * A connection without any traffic for this long (ms) is closed, but not while an order is being
 * carried out.
 */
const silentMs = 60_000;

export function createStatusServer(options: StatusServerOptions): StatusServer {
  const socket = createBounded(options, 'socket');
  const page = createBounded(options, 'tcp');
  return {
    async start() {
      const { socketPath } = options;
      await ensureDirectory(dirname(socketPath));
      await clearStaleSocket(socketPath);
      await listenPrivately(socket, socketPath).catch(
        rethrow('state-unwritable', `opening the socket ${socketPath}`),
      );
      await listenOnPage(page, options);
    },
    pageAddress() {
      const listening = page.address();
      if (listening === null || typeof listening === 'string') return undefined;
      return { host: listening.address, port: listening.port };
    },
    async close() {
      await Promise.all([closeServer(page), closeServer(socket)]);
    },
  };
}

function createBounded({ source, ownNames }: StatusServerOptions, listener: Listener): Server {
  const server = createServer(
    {
      requestTimeout: 10_000,
      headersTimeout: 5_000,
      keepAliveTimeout: 5_000,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: 8 * 1024,
    },
    createHandler(source, listener, ownNames),
  );
  server.timeout = silentMs;
  limitConnections(server, listener === 'tcp' ? mostOfCaller : mostConnections);
  return server;
}

/**
 * Listens on a socket that has mode 0600 from its first moment. Changing the mode later would not
 * be safe, because a name in another user's folder may be a link a moment later.
 */
async function listenPrivately(server: Server, path: string): Promise<void> {
  const before = process.umask(0o177);
  try {
    server.listen({ path });
  } finally {
    process.umask(before);
  }
  await once(server, 'listening');
}

async function listenOnPage(
  server: Server,
  { listen: where, onPageProblem }: StatusServerOptions,
): Promise<void> {
  if (where === undefined) return;
  try {
    const place = 'fileDescriptor' in where ? { fd: where.fileDescriptor } : { ...where };
    await once(server.listen(place), 'listening');
  } catch (error) {
    const place = 'fileDescriptor' in where ? 'the socket handed over' : formatHostPort(where);
    const why =
      systemCodeOf(error) === 'EADDRINUSE' ? 'another program listens there' : messageOf(error);
    const message = `listening for the status page on ${place}: ${why}; set status.listen to another port, or port 0`;
    onPageProblem(new TributaryError('configuration-invalid', message, { cause: error }));
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
