import { connect, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { WebSocket } from 'ws';
import { clockRateHeader, readClockRate, readClockRateMessage } from './clock-rate.ts';
import { createMessageWriter } from './message-writer.ts';
import type { WireMeter } from './wire-meter.ts';

/** An open or opening socket; every callback of one socket comes in order, `onClose` last. */
export interface PlatformSocket {
  send(bytes: Buffer): void;
  close(): void;
  /** Bytes that were handed over and that the line has not taken yet. */
  bufferedBytes(): number;
}

export interface PlatformSocketOptions {
  readonly url: string;
  readonly token: string;
  /** One for all sockets of a process, as a UUID. */
  readonly instanceId: string;
  readonly appVersion: string;
  readonly onOpen: () => void;
  /**
   * How many of the platform's seconds pass in one from now on: before it opens, and whenever that
   * changes.
   */
  readonly onClockRate?: (rate: number) => void;
  readonly onMessage: (bytes: Buffer) => void;
  /** Once, whether it opened or not. */
  readonly onClose: (end: SocketEnd) => void;
  /** Certificates in PEM form that are trusted in place of Node's own. */
  readonly authority?: string | undefined;
  readonly meter?: WireMeter | undefined;
  /** By default the system's own. */
  readonly lookup?: LookupFunction | undefined;
}

/** Why a socket is closed. */
export type SocketEnd =
  /** It was open, and either side ended it. */
  | { readonly kind: 'closed' }
  /** The platform answered the request to open it with this HTTP status. */
  | { readonly kind: 'refused'; readonly status: number }
  /** It never opened. */
  | { readonly kind: 'failed'; readonly error: Error };

/** Below 2, the platform connects but never measures. */
const transportVersion = '2';
/** Larger ones than the wire allows are refused by the wire, and do not end the socket. */
const mostPayload = 64 * 1024;
const handshakeTimeout = 15_000;
/**
 * Each address of a name but the last has so long (ms) before the next one gets its turn. Node's
 * own quarter of a second gives up a good one on a slow line, or after one lost packet: the system
 * sends the second after one second.
 */
const addressTurn = 2500;

export function openPlatformSocket(options: PlatformSocketOptions): PlatformSocket {
  let line: Socket | undefined;
  const makeLine = (to: LineOptions): Socket => {
    const isSecure = options.url.startsWith('wss:');
    line = openLine(
      { ...to, autoSelectFamilyAttemptTimeout: addressTurn, lookup: options.lookup },
      { isSecure, authority: options.authority },
    );
    options.meter?.watch(line);
    return line;
  };
  let end: SocketEnd = { kind: 'failed', error: new Error('no answer') };
  const socket = new WebSocket(options.url, {
    createConnection: makeLine as typeof connect,
    perMessageDeflate: false,
    maxPayload: mostPayload,
    handshakeTimeout,
    headers: {
      Authorization: `Bearer ${options.token}`,
      'X-UR-AppVersion': options.appVersion,
      'X-UR-InstanceId': options.instanceId,
      'X-UR-TransportVersion': transportVersion,
    },
  });
  const write = (bytes: Buffer): void => {
    // A line that was ended meanwhile takes nothing more.
    if (line?.writable) line.write(bytes);
  };
  const writer = createMessageWriter({ write, hides: true });
  socket.binaryType = 'nodebuffer';
  let clockRate = 1;
  socket.on('upgrade', ({ headers }) => {
    clockRate = readClockRate(options.url, headers[clockRateHeader]);
  });
  socket.on('open', () => {
    end = { kind: 'closed' };
    options.onClockRate?.(clockRate);
    options.onOpen();
  });
  socket.on('message', (bytes, isBinary) => {
    if (!isBinary) return;
    const rate = readClockRateMessage(options.url, bytes as Buffer);
    if (rate === undefined) options.onMessage(bytes as Buffer);
    else options.onClockRate?.(rate);
  });
  socket.on('unexpected-response', (_, { statusCode: status = 0 }) => {
    end = { kind: 'refused', status };
    socket.terminate();
  });
  // A close follows each error, and is what is acted on.
  socket.on('error', (error) => {
    if (end.kind === 'failed') end = { kind: 'failed', error };
  });
  socket.on('close', () => options.onClose(end));
  return {
    send(bytes) {
      if (socket.readyState === WebSocket.OPEN) writer.send(bytes);
    },
    close: () => socket.terminate(),
    bufferedBytes: () => socket.bufferedAmount + writer.gatheredBytes(),
  };
}

type LineOptions = TcpNetConnectOpts & { readonly path?: string };

/** The connection that ws would make itself; as we make it, we can gather what is written to it. */
function openLine(
  { path: _, ...to }: LineOptions,
  of: { readonly isSecure: boolean; readonly authority: string | undefined },
): Socket {
  if (!of.isSecure) return connect(to);
  const host = to.host ?? '';
  const servername = isIP(host) === 0 ? host : '';
  // Said aloud, because a variable of the environment could switch it off.
  const trust = { rejectUnauthorized: true, ...(of.authority && { ca: of.authority }) };
  return connectTls({ ...to, servername, ...trust });
}
