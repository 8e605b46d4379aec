import { connect, type MqttClient } from 'mqtt';
import { messageOf } from '../lib/errors.ts';
import { hostPortOfUrl } from '../lib/host-port.ts';
import type { Secret } from '../lib/secret.ts';
import type { MqttMessage, MqttTopics } from './home-assistant.ts';

/** A broker, and how to sign in to it. */
export interface MqttBroker {
  readonly url: string;
  readonly username: string | undefined;
  readonly password: Secret | undefined;
  /** PEM; undefined for the authorities that Node knows. */
  readonly certificateAuthority: string | undefined;
}

export interface MqttSessionOptions {
  readonly broker: MqttBroker;
  readonly clientId: string;
  readonly topics: MqttTopics;
  /**
   * Called with texts published to the topic of the mode. A retained text is left out, because it
   * is an old command.
   */
  readonly onCommand: ((text: string) => void) | undefined;
  readonly signal: AbortSignal;
}

const connectMs = 15_000;
const keepaliveSeconds = 60;
/** No broker that we need sends more than this for one message. */
const largestPacketBytes = 256 * 1024;
const longestCommand = 100;

/**
 * Opens one connection, which never reconnects. The broker's certificate is always checked.
 * @throws Error that says why it failed
 */
export async function openMqttSession(options: MqttSessionOptions) {
  const { topics, onCommand, signal } = options;
  const client = connect(toClientOptions(options));
  const opened = Promise.withResolvers<void>();
  let end: string | undefined;
  const finish = (why: string) => {
    end ??= why;
    client.end(true);
    signal.removeEventListener('abort', onAbort);
    opened.reject(new Error(end));
  };
  const onAbort = () => finish('the agent stops');
  signal.addEventListener('abort', onAbort, { once: true });
  client.on('error', (error) => finish(messageOf(error)));
  client.on('close', () => finish('the broker closed the connection'));
  limitPackets(client, () => finish('the broker sent too much'));
  client.on('connect', () => {
    if (onCommand !== undefined) client.subscribe(topics.mode, { qos: 1 }, () => undefined);
    opened.resolve();
  });
  client.on('message', (topic, payload, { retain }) => {
    if (topic === topics.mode && !retain && payload.length <= longestCommand)
      onCommand?.(payload.toString('utf8'));
  });
  if (signal.aborted) onAbort();
  await opened.promise;
  return {
    /**
     * Publishes a retained message without waiting. What was not acknowledged is published again by
     * the next session.
     */
    publish: ({ topic, payload }: MqttMessage) =>
      void client.publish(topic, payload, { qos: 1, retain: true }, () => undefined),
    /** Why the session ended; undefined while it lasts. */
    ended: () => end,
    /** Ends the connection without a goodbye, so that the broker publishes the last will. */
    close: () => finish('closed'),
  };
}

function toClientOptions({ broker, clientId, topics }: MqttSessionOptions) {
  const { username, password, certificateAuthority } = broker;
  return {
    // The address is given in parts, because the package would take a whole one apart with a
    // function of Node's that prints a warning.
    protocol: broker.url.startsWith('mqtts:') ? 'mqtts' : 'mqtt',
    ...hostPortOfUrl(broker.url),
    // A second connection with one id ends the first, so each device has its own id.
    clientId: `tributary-${clientId.slice(0, 8)}`,
    clean: true,
    protocolVersion: 4,
    keepalive: keepaliveSeconds,
    connectTimeout: connectMs,
    // The caller reconnects, with its own delays.
    reconnectPeriod: 0,
    rejectUnauthorized: true,
    will: { topic: topics.availability, payload: Buffer.from('offline'), qos: 1, retain: true },
    ...(username === undefined ? {} : { username }),
    // The protocol allows no password without a user name.
    ...(username === undefined || password === undefined ? {} : { password: password.reveal() }),
    ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
  } as const;
}

function limitPackets(client: MqttClient, onTooMuch: () => void): void {
  let unreadBytes = 0;
  client.stream.on('data', (chunk: Buffer) => {
    unreadBytes += chunk.length;
    if (unreadBytes > largestPacketBytes) onTooMuch();
  });
  client.on('packetreceive', () => {
    unreadBytes = 0;
  });
}
