import * as z from 'zod';
import { type LabNetwork, serviceNetwork } from './network.ts';
import type { LabCommand, LabProcess } from './processes.ts';

const ready = z.object({
  interface: z.string(),
  provider: z.string(),
  consumers: z.array(z.object({ ipv4: z.string() })),
});

export interface ConsumerParts {
  readonly network: Pick<LabNetwork, 'on' | 'run'>;
  readonly start: (argv: LabCommand['argv']) => LabProcess;
  /** The built program. */
  readonly program: string;
  /** The lab's own; the service keeps its data in it. */
  readonly directory: string;
  /** The service's address. */
  readonly baseUrl: string;
  /** How many clients of the service it is; one by default. */
  readonly count?: number | undefined;
}

/** A consumer that uses the device by the network's own protocol. */
export interface LabConsumer {
  /**
   * Resolves when it has found its provider, and everything that its host sends to the Internet
   * goes there. It never does otherwise: without a provider the host has no way. Each of the
   * addresses is another client of the service.
   */
  readonly isReady: Promise<{ readonly provider: string; readonly addresses: readonly string[] }>;
  /** Ends it, once its last contracts are reported. */
  stop(): Promise<void>;
  /** What each network used and earned, as JSON. */
  readMoney(): Promise<string>;
}

/** Starts the consumer, which looks for a provider of the service. */
export async function startConsumer(parts: ConsumerParts): Promise<LabConsumer> {
  const { network, start, program, directory, baseUrl, count = 1 } = parts;
  const ip = (...args: readonly string[]) => network.run('consumer', 'ip', ...args);
  // The service is reached as before, and nothing else.
  await ip('route', 'delete', 'default');
  await ip('route', 'add', serviceNetwork.prefix, 'via', serviceNetwork.router);
  const data = ['--data', `${directory}/service`, '--service', baseUrl];
  const options = ['--json', '--count', String(count), ...data];
  const running = start(
    network.on('consumer', process.execPath, program, 'sandbox', 'consumer', ...options),
  );
  const find = async () => {
    const line = await running.waitForLine((text) => text.startsWith('{'), waitMs);
    const { interface: device, provider, consumers } = ready.parse(JSON.parse(line));
    await ip('route', 'add', 'default', 'dev', device);
    return { provider, addresses: consumers.map(({ ipv4 }) => ipv4) };
  };
  const isReady = find();
  // Who never asks is not told why there was none.
  isReady.catch(() => undefined);
  return {
    isReady,
    async stop() {
      running.kill('SIGTERM');
      await running.exited;
    },
    readMoney: () =>
      network.run(
        'proxy',
        process.execPath,
        program,
        'sandbox',
        'money',
        '--json',
        ...data.slice(0, 2),
      ),
  };
}

/** So long (ms) a provider is waited for. */
const waitMs = 60_000;
