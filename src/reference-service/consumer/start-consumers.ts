import { join } from 'node:path';
import { sleep } from '../../lib/sleep.ts';
import { exec } from '../../system/exec.ts';
import { acquireLock } from '../../system/lock.ts';
import { SandboxError } from '../errors.ts';
import { consume, type RunningConsumers } from './consume.ts';
import { type ConsumerAddresses, openConsumerDevice } from './consumer-device.ts';
import type { Manner } from './habits.ts';
import { type ConsumerIdentity, openConsumerDirectory } from './identities.ts';
import type { SealingMode } from './sealing.ts';

export interface StartConsumersOptions {
  /** The directory of the service's database. */
  readonly data: string;
  /** The TUN device to make. */
  readonly name: string;
  readonly count: number;
  readonly manner: Manner;
  readonly sealing: SealingMode;
  /** The provider's client id; by default the first one that is connected. */
  readonly provider?: string | undefined;
  readonly network?: string | undefined;
  readonly service?: string | undefined;
}

/** Consumers with their device; `close` removes the device, once they have ended. */
export interface StartedConsumers {
  readonly consumers: RunningConsumers;
  readonly identities: readonly ConsumerIdentity[];
  /** One for each identity. */
  readonly addresses: readonly ConsumerAddresses[];
  readonly provider: string;
  close(): Promise<void>;
}

const pollMs = 200;

/**
 * Waits for a provider, and connects consumers to it through a device that it makes. Undefined
 * where the signal was aborted meanwhile.
 * @throws usage-invalid, already-running, tunnel-failed, state-unreadable, command-failed,
 * missing-program
 */
export async function startConsumers(
  options: StartConsumersOptions,
  signal: AbortSignal,
): Promise<StartedConsumers | undefined> {
  const { serviceUrl, identities, provider } = await enrol(options, signal);
  if (provider === undefined) return undefined;
  // Two of them would be the same clients, and each would get what is for the other.
  const lockFile = join(options.data, `consumers-${identities[0]?.networkId}.lock`);
  const lock = await acquireLock(lockFile, 'consumer command of this network');
  const device = await openConsumerDevice(exec, options).catch(async (error) => {
    await lock[Symbol.asyncDispose]();
    throw error;
  });
  const close = async () => {
    await device.close();
    await lock[Symbol.asyncDispose]();
  };
  try {
    const consumers = await consume(
      { ...options, serviceUrl, providerId: provider, identities, write: device.write },
      signal,
    );
    device.start((number, packet) => consumers.send(number, [packet]));
    const { addresses } = device;
    if (await consumers.connected(signal))
      return { consumers, identities, addresses, provider, close };
    await consumers.ended;
  } catch (error) {
    await close();
    throw error;
  }
  await close();
  return undefined;
}

async function enrol(options: StartConsumersOptions, signal: AbortSignal) {
  const directory = await openConsumerDirectory(options.data);
  try {
    const serviceUrl = options.service ?? directory.serviceUrl;
    if (serviceUrl === undefined)
      throw new SandboxError(
        'usage-invalid',
        `no service has run on ${options.data} yet: start one, or name another with --service`,
      );
    const identities = await directory.enrol({ network: undefined, ...options });
    const wanted = { networkId: identities[0]?.networkId ?? '', named: options.provider };
    let provider = directory.findProvider(wanted);
    while (provider === undefined && (await sleep(pollMs, signal)))
      provider = directory.findProvider(wanted);
    return { serviceUrl, identities, provider };
  } finally {
    directory.close();
  }
}
