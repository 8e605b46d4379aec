import type { Server } from 'node:http';

/** Ends a server with every connection, also the ones that wait for an answer. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
