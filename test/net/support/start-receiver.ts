import type { Lab } from '../../../tools/lab/lab.ts';
import type { HostName } from '../../../tools/lab/network.ts';
import { type LabProcess, startProcess } from '../../../tools/lab/processes.ts';

/**
 * Waits for connections and says "heard" for each connection over which bytes arrive: a probe sends
 * none.
 */
const program = `
  const [address, port] = process.argv.slice(1);
  require('node:net')
    .createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => {
        console.log('heard');
        socket.destroy();
      });
    })
    .listen(Number(port), address, () => console.log('listening'));
`;

/**
 * A server on a host of the lab that prints a line when it receives something. The caller ends it.
 */
export async function startReceiver(
  lab: Lab,
  host: HostName,
  address: string,
  port: number,
): Promise<LabProcess> {
  const argv = lab.network.on(host, process.execPath, '-e', program, address, String(port));
  const receiver = startProcess({ argv });
  await receiver.waitForLine((line) => line === 'listening');
  return receiver;
}
