import type { Socket } from 'node:net';

/** Counts what goes through the sockets to the platform, in both directions. */
export interface WireMeter {
  watch(socket: Socket): void;
  /** What WebSocket and its handshake make of it; TLS, TCP and IP are not in it. */
  bytes(): number;
}

export function createWireMeter(): WireMeter {
  const open = new Set<Socket>();
  let ended = 0;
  const count = ({ bytesRead, bytesWritten }: Socket): number => bytesRead + bytesWritten;
  return {
    watch(socket) {
      open.add(socket);
      socket.once('close', () => {
        open.delete(socket);
        ended += count(socket);
      });
    },
    bytes() {
      let sum = ended;
      for (const socket of open) sum += count(socket);
      return sum;
    },
  };
}
