import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lab } from '../../tools/lab/lab.ts';
import { addresses } from '../../tools/lab/network.ts';
import type { LabCommand, LabProcess } from '../../tools/lab/processes.ts';

const port = 1883;

/** A Mosquitto on the NAS, and what a reader there gets of the device. */
export interface Broker {
  /** Messages that the reader got: those that were kept for it do not count. */
  readonly delivered: number;
  /** As a power cut would, for so many seconds. */
  hangUp(seconds: number): Promise<void>;
  /** It keeps its connections, and neither takes nor sends anything. */
  stall(seconds: number): Promise<void>;
}

const read = `
const client = require('mqtt').connect('mqtt://${addresses.nas}:${port}', { reconnectPeriod: 200, connectTimeout: 2000, keepalive: 5 });
client.on('error', () => undefined).on('connect', () => client.subscribe('tributary/#', () => console.log('listening')));
client.on('message', (topic, payload, { retain }) => console.log(retain ? 'kept' : 'delivered', topic));
`;

/** @throws LabError where it does not start */
export async function startBroker({
  lab: { network, directory },
  start,
}: {
  readonly lab: Lab;
  readonly start: (command: LabCommand) => LabProcess;
}): Promise<Broker> {
  const config = join(directory, 'mosquitto.conf');
  const lines = [`listener ${port} ${addresses.nas}`, 'allow_anonymous true', 'user root'];
  await writeFile(config, `${lines.join('\n')}\n`);
  const run = async () => {
    const running = start({ argv: network.on('nas', 'mosquitto', '-c', config) });
    await running.waitForLine((line) => line.includes('running'));
    return running;
  };
  let mosquitto = await run();
  const broker = {
    delivered: 0,
    async hangUp(seconds: number) {
      mosquitto.kill('SIGKILL');
      await mosquitto.exited;
      await sleep(seconds * 1000);
      mosquitto = await run();
    },
    async stall(seconds: number) {
      mosquitto.kill('SIGSTOP');
      await sleep(seconds * 1000);
      mosquitto.kill('SIGCONT');
    },
  };
  const onLine = (line: string) => {
    if (line.startsWith('delivered ')) broker.delivered += 1;
  };
  const reader = start({ argv: network.on('nas', process.execPath, '-e', read), onLine });
  await reader.waitForLine((line) => line === 'listening');
  return broker;
}
