import { expect, onTestFinished } from 'vitest';
import { consume, type RunningConsumers } from '../../../src/reference-service/consumer/consume.ts';
import type { Manner } from '../../../src/reference-service/consumer/habits.ts';
import { openConsumerDirectory } from '../../../src/reference-service/consumer/identities.ts';
import type { SealingMode } from '../../../src/reference-service/consumer/sealing.ts';
import type { ProviderWorld, RegisteredClient } from './provider-world.ts';

interface ConsumerWorld {
  readonly consumers: RunningConsumers;
  /** What came back to all of them. */
  readonly received: readonly Buffer[];
  /** Ends them, with their last reports. */
  end(): Promise<void>;
}

/** So many consumers on this provider, until the test is over. */
export async function startConsumers(
  world: ProviderWorld,
  provider: RegisteredClient,
  of: {
    readonly count: number;
    readonly manner?: Manner;
    readonly sealing?: SealingMode;
    /** By another way than the service's own address. */
    readonly serviceUrl?: string;
    /** By default, one of their own. */
    readonly network?: string;
  },
): Promise<ConsumerWorld> {
  const { count, manner = 'plain', sealing = 'off', serviceUrl = world.service.baseUrl } = of;
  const directory = await openConsumerDirectory(world.directory);
  const identities = await directory.enrol({ count, network: of.network });
  directory.close();
  const stop = new AbortController();
  const received: Buffer[] = [];
  const consumers = await consume(
    {
      serviceUrl,
      providerId: provider.clientId,
      identities,
      manner,
      sealing,
      write: (packets) => void received.push(...packets),
    },
    stop.signal,
  );
  const end = async (): Promise<void> => {
    stop.abort();
    await consumers.ended;
  };
  onTestFinished(end);
  expect(await consumers.connected(stop.signal)).toBe(true);
  return { consumers, received, end };
}
