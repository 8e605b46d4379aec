import { connect } from 'node:net';
import { systemCodeOf } from '../lib/errors.ts';

/**
 * What becomes of a connection by TCP: `connect`, `timeout` (after so many ms) or the system's code
 * (`ECONNREFUSED`).
 */
export function tryConnection(host: string, port: number, patienceMs: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: patienceMs });
    const finish = (outcome: string) => {
      // No connection is left to wait for its end on either side; a reset of one that is still
      // being made would wait for it.
      if (socket.connecting) socket.destroy();
      else socket.resetAndDestroy();
      resolve(outcome);
    };
    for (const event of ['connect', 'timeout']) socket.once(event, () => finish(event));
    socket.on('error', (error) => finish(systemCodeOf(error) ?? 'error'));
  });
}
