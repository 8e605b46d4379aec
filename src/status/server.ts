import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { messageOf, systemCodeOf, TributaryError, toUndefined } from '../errors/codes.ts';
import { formatHostPort, type HostPort } from '../lib/host-port.ts';
import { closeServer } from './close-server.ts';
import { createControlSocket } from './control-socket.ts';
import { createHandler, type Listener } from './handler.ts';
import { limitConnections, mostConnections } from './limit-connections.ts';
import { limitPatience } from './limit-patience.ts';
import { hasReaders, toReadersPath } from './readers-socket.ts';
import type { StatusSource } from './source.ts';

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
 * socket. Where the socket's folder lets its group in, its members may read at a second socket.
 * After `close` it is of no use.
 */
export interface StatusServer {
  /**
   * Opens what is not open: first the socket, also again where its file was removed, then the page.
   * A page that cannot listen is told to `onPageProblem`, once for each reason. Resolves with what
   * was opened.
   * @throws already-running, state-unwritable for the socket only
   */
  keepOpen(): Promise<readonly ('socket' | 'page')[]>;
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
/** A timer can hold no longer wait (ms). */
const longestMs = 2 ** 31 - 1;

export function createStatusServer(options: StatusServerOptions): StatusServer {
  const { listen, socketPath, onPageProblem } = options;
  const socket = createControlSocket(socketPath, 'owner', () => createBounded(options, 'socket'));
  const readers = createControlSocket(toReadersPath(socketPath), 'group', () =>
    createBounded(options, 'readers'),
  );
  const page = createBounded(options, 'tcp');
  let said: string | undefined;
  return {
    async keepOpen() {
      const opened: ('socket' | 'page')[] = [];
      if (await socket.keepOpen()) opened.push('socket');
      // The agent goes on without it: root can still ask.
      if (hasReaders(socketPath))
        await readers.keepOpen().catch(toUndefined('already-running', 'state-unwritable'));
      if (listen === undefined || page.listening) return opened;
      const problem = await listenOnPage(page, listen);
      if (problem === undefined) return [...opened, 'page'];
      if (problem.message !== said) onPageProblem(problem);
      said = problem.message;
      return opened;
    },
    pageAddress() {
      const listening = page.address();
      if (listening === null || typeof listening === 'string') return undefined;
      return { host: listening.address, port: listening.port };
    },
    async close() {
      await Promise.all([closeServer(page), socket.close(), readers.close()]);
    },
  };
}

function createBounded({ source, ownNames }: StatusServerOptions, listener: Listener): Server {
  const server = createServer(
    {
      // Node would look for slow callers by a timer that also wakes a process without any.
      requestTimeout: 0,
      headersTimeout: 0,
      connectionsCheckingInterval: longestMs,
      keepAliveTimeout: 5_000,
      maxHeaderSize: 8 * 1024,
    },
    createHandler(source, listener, ownNames),
  );
  server.timeout = silentMs;
  limitPatience(server);
  limitConnections(server, listener === 'tcp' ? mostOfCaller : mostConnections);
  return server;
}

/** Resolves with what is in the way, or with undefined. */
async function listenOnPage(
  server: Server,
  where: StatusListen,
): Promise<TributaryError | undefined> {
  try {
    const place = 'fileDescriptor' in where ? { fd: where.fileDescriptor } : { ...where };
    await once(server.listen(place), 'listening');
    return undefined;
  } catch (error) {
    const place = 'fileDescriptor' in where ? 'the socket handed over' : formatHostPort(where);
    const why =
      systemCodeOf(error) === 'EADDRINUSE' ? 'another program listens there' : messageOf(error);
    const message = `listening for the status page on ${place}: ${why}; set status.listen to another port, or port 0`;
    return new TributaryError('configuration-invalid', message, { cause: error });
  }
}
