import {
  createServer as createPlainServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { Certificates } from './certificates.ts';

/**
 * What a request meets in the service's place; `passOn` gives it to the service after all, and may
 * change the answer's text.
 */
export type Nasty = (
  request: IncomingMessage,
  response: ServerResponse,
  passOn: (change?: Change) => void,
) => void;

type Change = (text: string) => string;

/** Passes requests on to the service, or lets something else answer them; counts both. */
export async function startFront(target: string, certificates: Certificates | undefined) {
  const told: {
    nasty: Nasty | undefined;
    connection: ((socket: Socket) => void) | undefined;
    count: number;
  } = {
    nasty: undefined,
    connection: undefined,
    count: 0,
  };
  const answer = (incoming: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => undefined);
    told.count += 1;
    const pass = (change: Change = (text) => text) =>
      passOn(target, { incoming, response, change });
    if (told.nasty === undefined) pass();
    else told.nasty(incoming, response, pass);
  };
  const server = certificates
    ? createTlsServer(certificates.good, answer)
    : createPlainServer(answer);
  const sockets = new Set<Socket>();
  // HTTP and TLS hear of a connection only where nothing nasty has it to itself.
  const usual = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    if (told.connection === undefined) {
      for (const hear of usual) hear.call(server, socket);
      return;
    }
    told.count += 1;
    told.connection(socket);
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => {
      server.listen(port, '127.0.0.1', resolve);
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const endConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  const stop = async () => {
    endConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  return {
    port,
    certificates,
    /** Requests that came; connections where those are what is nasty. */
    count: () => told.count,
    /** From now on; undefined: as the service does. */
    behave: (nasty: Nasty | undefined) => {
      told.nasty = nasty;
    },
    /** What new connections meet, before TLS and HTTP; those that are open end. */
    onConnection: (act: ((socket: Socket) => void) | undefined) => {
      told.connection = act;
      endConnections();
    },
    show: (pair: { readonly cert: string; readonly key: string }) => {
      (server as TlsServer).setSecureContext(pair);
      endConnections();
    },
    /** Those that are open hear no answer any more, and do not end. */
    silenceConnections: () => {
      for (const socket of sockets) socket.removeAllListeners('data').pause();
    },
    endConnections,
    stop,
    startAgain: () => listen(port),
    close: stop,
  };
}

function passOn(
  target: string,
  {
    incoming,
    response,
    change,
  }: { incoming: IncomingMessage; response: ServerResponse; change: Change },
): void {
  const { method, headers, url = '/' } = incoming;
  const onward = request(new URL(url, target), { method, headers });
  onward.on('error', () => response.destroy());
  incoming.pipe(onward);
  onward.on('response', async (answer) => {
    const { 'content-length': _, ...kept } = answer.headers;
    response.writeHead(answer.statusCode ?? 500, kept);
    response.end(change(await readText(answer)));
  });
}
