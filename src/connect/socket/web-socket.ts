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
  const socket = new WebSocket(options.url, {
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
      if (socket.readyState === WebSocket.OPEN) socket.send(bytes);
    },
    close: () => socket.terminate(),
    bufferedBytes: () => socket.bufferedAmount,
  };
}
