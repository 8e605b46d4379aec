import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { clockRateHeader } from '../../connect/socket/clock-rate.ts';
import { createMessageWriter } from '../../connect/socket/message-writer.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Caller } from './issue-contract.ts';
import type { Line } from './residents.ts';

/** The sockets of the platform, on the service's own HTTP listener. */
export interface SocketServer {
  /** Answers a request for an upgrade. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  /** Ends every socket. */
  close(): Promise<void>;
}

/** What one socket hears. */
export interface SocketListener {
  onMessage(bytes: Buffer): void;
  onClose(): void;
}

export interface SocketServerOptions {
  /** Whose token it is; undefined for a token that is not good for any client. */
  readonly identify: (authorization: string | undefined) => Promise<Caller | undefined>;
  readonly isDraining: () => boolean;
  /** How many of the platform's seconds pass in one. */
  readonly clockRate: () => number;
  readonly onOpen: (caller: Caller, instanceId: string, line: Line) => SocketListener;
}

/** Larger messages close the socket, with code 1009. */
const largestMessage = 4100;
/** A socket with a bad token is opened first, and closed after so many ms without a reason. */
const badTokenLastsMs = 1;

export function createSocketServer(options: SocketServerOptions): SocketServer {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: largestMessage,
    perMessageDeflate: false,
  });

  server.on('headers', (headers) => {
    headers.push(`${clockRateHeader}: ${options.clockRate()}`);
  });

  async function accept(socket: WebSocket, request: IncomingMessage, caller: Caller | undefined) {
    // A close follows each error, and is what is acted on.
    socket.on('error', () => undefined);
    if (caller === undefined) {
      await sleep(badTokenLastsMs, AbortSignal.timeout(1000));
      socket.terminate();
      return;
    }
    const listener = options.onOpen(
      caller,
      readInstanceId(request.headers),
      toLine(socket, request.socket),
    );
    socket.on('message', (bytes: Buffer, isBinary) => {
      if (isBinary) listener.onMessage(bytes);
    });
    socket.on('close', () => listener.onClose());
  }

  return {
    async upgrade(request, socket, head) {
      socket.on('error', () => undefined);
      const path = new URL(request.url ?? '/', 'http://platform').pathname;
      if (path !== '/') return refuse(socket, '404 Not Found', '404 page not found');
      if (options.isDraining()) return refuse(socket, '503 Service Unavailable', 'draining');
      const caller = await options.identify(request.headers.authorization);
      server.handleUpgrade(request, socket, head, (opened) => {
        // One that cannot be served, such as where the disk is full, is not kept.
        accept(opened, request, caller).catch(() => opened.terminate());
      });
    },
    async close() {
      const closed = [...server.clients].map((socket) => once(socket, 'close'));
      for (const socket of server.clients) socket.terminate();
      await Promise.all(closed);
      server.close();
    },
  };
}

/** A socket that says none is of a process with the others that say none. */
function readInstanceId(headers: IncomingHttpHeaders): string {
  const said = headers['x-ur-instanceid'];
  return typeof said === 'string' ? said.toLowerCase() : '';
}

function toLine(socket: WebSocket, connection: Duplex): Line {
  const write = (bytes: Buffer): void => {
    // A line that was ended meanwhile takes nothing more.
    if (connection.writable) connection.write(bytes);
  };
  const writer = createMessageWriter({ write, hides: false });
  return {
    send(bytes) {
      if (socket.readyState === socket.OPEN) writer.send(bytes);
    },
    end: () => socket.terminate(),
    bufferedBytes: () => socket.bufferedAmount + writer.gatheredBytes(),
  };
}

function refuse(socket: Duplex, status: string, text: string): void {
  const head = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain\r\n`;
  socket.end(`${head}Content-Length: ${text.length}\r\n\r\n${text}`);
}
