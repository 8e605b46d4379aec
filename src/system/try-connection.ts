import { connect } from 'node:net';

/** True where something answers there by TCP, within the time (ms). */
export function tryConnection(address: string, port: number, patienceMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: patienceMs });
    for (const event of ['connect', 'timeout', 'error']) {
      socket.once(event, () => {
        socket.destroy();
        resolve(event === 'connect');
      });
    }
  });
}
