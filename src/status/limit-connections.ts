import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { parsePrefix, toNetwork } from '../lib/addresses.ts';

/** How many connections may be open at once, of all callers. */
export const mostConnections = 128;

/**
 * Lets every new connection in, so that probes are answered. Beyond `mostOfCaller` or the limit for
 * all callers, an idle one is closed.
 */
export function limitConnections(server: Server, mostOfCaller: number): void {
  // The open connections with their callers, in the order of their last requests; a new one counts
  // from its beginning.
  const open = new Map<Socket, string>();
  server.on('connection', (socket: Socket) => {
    const caller = nameCaller(socket.remoteAddress);
    const given = chooseToClose(open, caller, mostOfCaller);
    // Closing takes a moment in which more may come, so the connection no longer counts from here
    // on.
    if (given !== undefined) open.delete(given);
    given?.destroy();
    open.set(socket, caller);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage) => {
    const caller = open.get(socket);
    if (caller === undefined) return;
    open.delete(socket);
    open.set(socket, caller);
  });
}

/**
 * The connection that has been without a request for longest: of this caller, or of the caller with
 * the most. undefined while there is room.
 */
function chooseToClose(
  open: ReadonlyMap<Socket, string>,
  caller: string,
  mostOfCaller: number,
): Socket | undefined {
  const byCaller = Map.groupBy(open.keys(), (socket) => open.get(socket));
  const own = byCaller.get(caller) ?? [];
  if (own.length >= mostOfCaller) return own[0];
  if (open.size < mostConnections) return undefined;
  return [...byCaller.values()].reduce((largest, other) =>
    other.length > largest.length ? other : largest,
  )[0];
}

/**
 * A name for the caller: an IPv4 address, or the /64 of an IPv6 address, since one neighbour may
 * use all of it; '' for the socket.
 */
export function nameCaller(address: string | undefined): string {
  const bare = (address ?? '').replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '');
  const prefix = parsePrefix(bare);
  return prefix?.family === 6 ? toNetwork({ ...prefix, length: 64 }) : bare;
}
