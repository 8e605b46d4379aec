import { connect } from 'node:net';
import { systemCodeOf } from '../lib/errors.ts';

/**
 * Tries a TCP connection and closes it. Resolves with `connect`, `timeout` (after so many ms) or
 * the system's code (`ECONNREFUSED`).
 */
export function tryConnection(host: string, port: number, patienceMs: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: patienceMs });
    const finish = (outcome: string) => {
      // A reset leaves no connection to wait for its end on either side. A connection that is still
      // being made is destroyed, because a reset would wait for it.
      if (socket.connecting) socket.destroy();
      else socket.resetAndDestroy();
      resolve(outcome);
    };
    for (const event of ['connect', 'timeout']) socket.once(event, () => finish(event));
    socket.on('error', (error) => finish(systemCodeOf(error) ?? 'error'));
  });
}
