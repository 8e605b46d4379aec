import { connect, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { WebSocket } from 'ws';

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
  readonly onMessage: (bytes: Buffer) => void;
  /** Once, whether it opened or not. */
  readonly onClose: () => void;
}

/** Below 2, the platform connects but never measures. */
const transportVersion = '2';
/** Larger ones than the wire allows are refused by the wire, and do not end the socket. */
const mostPayload = 64 * 1024;
const handshakeTimeout = 15_000;

export function openPlatformSocket(options: PlatformSocketOptions): PlatformSocket {
  let line: Socket | undefined;
  const makeLine = (to: LineOptions): Socket => {
    line = openLine(to, { isSecure: options.url.startsWith('wss:') });
    return line;
  };
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
  /** What is sent in one turn of the event loop goes to the kernel in one call. */
  let isGathering = false;
  const gather = (): void => {
    if (isGathering) return;
    isGathering = true;
    line?.cork();
    process.nextTick(() => {
      isGathering = false;
      line?.uncork();
    });
  };
  socket.binaryType = 'nodebuffer';
  socket.on('open', options.onOpen);
  socket.on('message', (bytes, isBinary) => {
    if (isBinary) options.onMessage(bytes as Buffer);
  });
  socket.on('close', options.onClose);
  // A close follows each error, and is what is acted on.
  socket.on('error', () => undefined);
  return {
    send(bytes) {
      if (socket.readyState !== WebSocket.OPEN) return;
      gather();
      socket.send(bytes);
    },
    close: () => socket.terminate(),
    bufferedBytes: () => socket.bufferedAmount,
  };
}

type LineOptions = TcpNetConnectOpts & { readonly path?: string };

/** The connection that ws would make itself; as we make it, we can gather what is written to it. */
function openLine(
  { path: _, ...to }: LineOptions,
  { isSecure }: { readonly isSecure: boolean },
): Socket {
  const host = to.host ?? '';
  return isSecure ? connectTls({ ...to, servername: isIP(host) === 0 ? host : '' }) : connect(to);
}
