import { connect, type MqttClient } from 'mqtt';
import { messageOf } from '../lib/errors.ts';
import type { Secret } from '../lib/secret.ts';
import type { MqttMessage } from './home-assistant.ts';

/** One connection to the broker, from its beginning to its end; there is no second one in it. */
export interface MqttSession {
  /** Retained, and acknowledged by the broker where the connection lasts; never waits. */
  publish(message: MqttMessage): void;
  /** Why it ended; undefined while it lasts. */
  ended(): string | undefined;
  /** Ends it without a word, upon which the broker itself publishes the last will. */
  close(): void;
}

export interface MqttSessionOptions {
  readonly url: string;
  /** How the broker knows this connection; a second one of the same id ends the first. */
  readonly sessionId: string;
  readonly username: string | undefined;
  readonly password: Secret | undefined;
  /** PEM; undefined: the authorities that Node knows. */
  readonly certificateAuthority: string | undefined;
  readonly lastWill: MqttMessage;
  /** A topic to hear, and who hears it; what was retained there is nobody's wish of now, and left out. */
  readonly listen: { readonly topic: string; readonly onText: (text: string) => void } | undefined;
  readonly signal: AbortSignal;
}

const connectMs = 15_000;
const keepaliveSeconds = 60;
/** More than this for one message is no broker of ours. */
const largestPacketBytes = 256 * 1024;
const longestText = 100;

/** Connects and signs in; where that fails, why. The certificate is always checked. */
export async function openMqttSession(
  options: MqttSessionOptions,
): Promise<MqttSession | { readonly failure: string }> {
  try {
    return await openOn(connect(toClientOptions(options)), options);
  } catch (error) {
    // A certificate that is none is found out here; the device provides all the same.
    return { failure: messageOf(error) };
  }
}

function openOn(client: MqttClient, options: MqttSessionOptions): Promise<MqttSession | { readonly failure: string }> {
  let end: string | undefined;
  let open: () => void = () => undefined;
  const finish = (why: string) => {
    end ??= why;
    client.end(true);
    options.signal.removeEventListener('abort', onAbort);
    open();
  };
  const onAbort = () => finish('the agent stops');
  options.signal.addEventListener('abort', onAbort, { once: true });
  client.on('error', (error) => finish(messageOf(error)));
  client.on('close', () => finish('the broker closed the connection'));
  if (options.listen !== undefined) listenTo(client, options.listen);
  limitPackets(client, () => finish('the broker sent too much'));
  const session: MqttSession = {
    publish: ({ topic, payload }) => {
      // What was not acknowledged is published anew by the next session.
      client.publish(topic, payload, { qos: 1, retain: true }, () => undefined);
    },
    ended: () => end,
    close: () => finish('closed'),
  };
  return new Promise((resolve) => {
    open = () => resolve(end === undefined ? session : { failure: end });
    client.on('connect', open);
    if (options.signal.aborted) onAbort();
  });
}

function toClientOptions(options: MqttSessionOptions) {
  const { username, password, certificateAuthority, lastWill, sessionId } = options;
  const { protocol, hostname, port } = new URL(options.url);
  return {
    // In parts: the package takes a whole address apart with a function of Node's that warns of itself.
    protocol: protocol === 'mqtts:' ? 'mqtts' : 'mqtt',
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(port === '' ? {} : { port: Number(port) }),
    clientId: sessionId,
    clean: true,
    protocolVersion: 4,
    keepalive: keepaliveSeconds,
    connectTimeout: connectMs,
    // Trying again is the loop's, with its own delays.
    reconnectPeriod: 0,
    rejectUnauthorized: true,
    will: { topic: lastWill.topic, payload: Buffer.from(lastWill.payload), qos: 1, retain: true },
    ...(username === undefined ? {} : { username }),
    // The protocol knows no password without a name.
    ...(username === undefined || password === undefined ? {} : { password: password.reveal() }),
    ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
  } as const;
}

function listenTo(client: MqttClient, { topic, onText }: NonNullable<MqttSessionOptions['listen']>): void {
  client.on('connect', () => {
    client.subscribe(topic, { qos: 1 }, () => undefined);
  });
  client.on('message', (on, payload, { retain }) => {
    if (on === topic && !retain && payload.length <= longestText) onText(payload.toString('utf8'));
  });
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
