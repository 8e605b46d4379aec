import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The header of a request has to be there this long (ms) after the connection began. */
const headerMs = 5_000;
/** The rest of a request has to be there this long (ms) after its header. */
const bodyMs = 10_000;
/** A next request has to begin, and its header has to be there, this long (ms) after an answer. */
const nextMs = 10_000;

/**
 * Closes connections whose requests do not come to their end. Timers run only while something is
 * connected. An answer may take as long as it needs.
 */
export function limitPatience(server: Server): void {
  const ends = new WeakMap<Socket, NodeJS.Timeout>();
  const wait = (socket: Socket, ms: number, isDone = () => false) => {
    clearTimeout(ends.get(socket));
    if (socket.destroyed) return;
    const end = () => {
      if (!isDone()) socket.destroy();
    };
    ends.set(socket, setTimeout(end, ms).unref());
  };
  server.on('connection', (socket: Socket) => {
    wait(socket, headerMs);
    socket.once('close', () => clearTimeout(ends.get(socket)));
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    wait(socket, bodyMs, () => request.complete);
    response.once('close', () => wait(socket, nextMs));
  });
}
