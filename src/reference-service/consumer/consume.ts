import { randomBytes, randomUUID } from 'node:crypto';
import { createControlClient } from '../../connect/control/control-client.ts';
import { loadIdentity, makeIdentity, toPublication } from '../../connect/sealed/identity.ts';
import { createTlsClient } from '../../connect/sealed/tls-client.ts';
import { createIdSource, fromUuid } from '../../connect/wire/id.ts';
import { provideModes } from '../../connect/wire/message-types.ts';
import { sleep } from '../../lib/sleep.ts';
import { SandboxError } from '../errors.ts';
import { type ConsumerCounters, createConsumer } from './consumer.ts';
import type { Manner } from './habits.ts';
import type { ConsumerIdentity } from './identities.ts';
import { createPostControl } from './post-control.ts';
import { type RunningConsumer, runConsumer } from './run-consumer.ts';
import { createConsumerSealing, type SealingMode } from './sealing.ts';

/** Consumers that run, each by its number. */
export interface RunningConsumers {
  /** Resolves when each has its socket; false where the signal was aborted before. */
  connected(signal: AbortSignal): Promise<boolean>;
  send(consumer: number, packets: readonly Buffer[]): void;
  counters(): readonly ConsumerCounters[];
  /** How many of them seal what they send. */
  sealing(): number;
  /** Resolves when all have ended and reported. */
  readonly ended: Promise<unknown>;
}

export interface ConsumeOptions {
  readonly serviceUrl: string;
  readonly providerId: string;
  readonly identities: readonly ConsumerIdentity[];
  readonly manner: Manner;
  /** By default, nothing is sealed. */
  readonly sealing?: SealingMode;
  /** Takes what comes back. */
  readonly write: (packets: readonly Buffer[]) => void;
}

/**
 * Has these clients use one provider, each by a socket, a secret and contracts of its own, until
 * the signal is aborted.
 * @throws tunnel-failed where a client's secret cannot be published
 */
export async function consume(
  options: ConsumeOptions,
  signal: AbortSignal,
): Promise<RunningConsumers> {
  const ids = createIdSource({ randomBytes });
  const now = (): number => Math.floor(performance.timeOrigin + performance.now());
  const providerId = fromUuid(options.providerId);
  const instanceId = randomUUID();

  async function start({ clientId, token }: ConsumerIdentity) {
    let rate = 1;
    const post = createPostControl({
      serviceUrl: options.serviceUrl,
      token,
      onClockRate: (told) => {
        rate = told;
      },
    });
    const control = createControlClient(post);
    // It lives as long as this process: contracts to an earlier one are of no use to it.
    const streamSecret = randomBytes(32);
    const published = await control.provide(
      [{ mode: provideModes.stream, secret: streamSecret }],
      signal,
    );
    if (published.kind === 'failed')
      throw new SandboxError('tunnel-failed', `publishing a secret: ${published.message}`, {
        action: 'Check that the sandbox runs on this directory, and what it prints.',
      });
    const ownId = fromUuid(clientId);
    const identity = loadIdentity(makeIdentity(randomBytes));
    const { sealing: mode = 'off' } = options;
    if (mode !== 'off') await control.publishIdentity(toPublication(identity), signal);
    const sealing = createConsumerSealing({
      mode,
      identity,
      openHandshake: createTlsClient(identity),
      newId: () => ids.next(Date.now()),
      randomBytes,
      onNews: () => running.send([]),
    });
    const consumer = createConsumer({
      sealing,
      id: ownId,
      providerId,
      streamSecret,
      newId: () => ids.next(Date.now()),
      manner: options.manner,
      randomBytes,
      rate,
    });
    const running: RunningConsumer = runConsumer(
      {
        ownId,
        providerId,
        consumer,
        url: options.serviceUrl.replace(/^http/, 'ws'),
        token,
        instanceId,
        control,
        write: options.write,
        now,
        random: Math.random,
      },
      signal,
    );
    return { consumer, sealing, running };
  }

  const started = await Promise.all(options.identities.map(start));
  return {
    connected: (until) =>
      waitForAll(
        started.map(({ running }) => running),
        until,
      ),
    send: (number, packets) => started[number]?.running.send(packets),
    counters: () => started.map(({ consumer }) => consumer.counters()),
    sealing: () => started.filter(({ sealing }) => sealing.isSealing()).length,
    ended: Promise.all(started.map(({ running }) => running.ended)),
  };
}

const pollMs = 20;

async function waitForAll(
  consumers: readonly RunningConsumer[],
  signal: AbortSignal,
): Promise<boolean> {
  while (consumers.some((one) => !one.isConnected()))
    if (!(await sleep(pollMs, signal))) return false;
  return true;
}
