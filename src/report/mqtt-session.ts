import type { Names } from '../lib/connect-in-turn.ts';
import { messageOf } from '../lib/errors.ts';
import type { Secret } from '../lib/secret.ts';
import type { MqttMessage, MqttTopics } from './home-assistant.ts';
import { createOwedAnswers } from './mqtt-answers.ts';
import { type BrokerAddress, connectToBroker } from './mqtt-connection.ts';
import {
  type BrokerAnswer,
  type BrokerPacket,
  createPacketReader,
  encodeAnswer,
  encodeGreeting,
  encodeMessage,
  encodePing,
  encodeSubscription,
  type MqttGreeting,
  type ReceivedMessage,
} from './mqtt-packets.ts';

/** A broker, and how to sign in to it. */
export interface MqttBroker extends BrokerAddress {
  readonly username: string | undefined;
  readonly password: Secret | undefined;
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
  /** By default the system's own. */
  readonly names?: Names | undefined;
  readonly signal: AbortSignal;
}

/** One connection, which never reconnects. None of its functions throws once it has ended. */
export interface MqttSession {
  /** Publishes a message that the broker keeps; nothing once the session has ended. */
  readonly publish: (message: MqttMessage) => void;
  /** Whether the broker sends commands: false without `onCommand`, and where it refused that. */
  readonly isListening: boolean;
  /** Resolves when the broker has taken all that was published, or when the session has ended. */
  readonly settled: () => Promise<void>;
  /** Why the session ended; undefined while it lasts. */
  readonly ended: () => string | undefined;
  /** Ends the connection without a goodbye, so that the broker publishes the last will. */
  readonly close: () => void;
}

/** How long the broker may take to let us in once it is reached (ms). */
const greetingMs = 15_000;
/** An answer that does not come for so long will not come: as long as a broker may be silent. */
const answerMs = 60_000;
const keepaliveSeconds = 60;
const longestCommand = 100;

/** Chapter 3.2.2.3 of the standard. */
const refusals: Readonly<Record<number, string>> = {
  1: 'Unacceptable protocol version',
  2: 'Identifier rejected',
  3: 'Server unavailable',
  4: 'Bad user name or password',
  5: 'Not authorized',
};

/**
 * Opens one connection, and waits for the broker's word on the subscription, if there is one. The
 * broker's certificate is always checked.
 * @throws Error that says why it failed
 */
export async function openMqttSession(options: MqttSessionOptions): Promise<MqttSession> {
  const { broker, topics, onCommand, signal } = options;
  const greeting = encodeGreeting(toGreeting(options));
  const socket = (await connectToBroker(broker, options.names, signal)).setNoDelay(true);
  const opened = Promise.withResolvers<Pick<MqttSession, 'isListening'>>();
  const owed = createOwedAnswers(answerMs, () => finish('the broker does not answer'));
  let isOpen = false;
  let end: string | undefined;

  const finish = (why: string) => {
    if (end !== undefined) return;
    end = why;
    clearTimeout(connectTimer);
    clearInterval(pingTimer);
    signal.removeEventListener('abort', onAbort);
    socket.destroy();
    owed.forgive();
    opened.reject(new Error(why));
  };
  const hangUp = () => {
    const untaken = owed.oldest();
    const hint =
      untaken === undefined
        ? ''
        : ` and did not take ${untaken}; check that this user is allowed to do that`;
    finish(`the broker closed the connection${hint}`);
  };
  const ask = (what: string, encode: (id: number) => Buffer) => {
    if (end !== undefined) return undefined;
    const id = owed.add(what);
    socket.write(encode(id));
    return id;
  };
  let subscriptionId: number | undefined;
  const takeGreeting = (code: number) => {
    if (code !== 0) {
      finish(`the broker refused the connection: ${refusals[code] ?? `code ${code}`}`);
      return;
    }
    isOpen = true;
    clearTimeout(connectTimer);
    if (onCommand === undefined) {
      opened.resolve({ isListening: false });
      return;
    }
    subscriptionId = ask(`a subscription to ${topics.mode}`, (id) =>
      encodeSubscription(topics.mode, id),
    );
  };
  const takeAnswer = ({ id, isRefusal }: BrokerAnswer) => {
    owed.settle(id);
    if (id === subscriptionId) opened.resolve({ isListening: !isRefusal });
  };
  const takeMessage = ({ topic, payload, isRetained, id }: ReceivedMessage) => {
    if (id !== undefined) socket.write(encodeAnswer(id));
    if (topic === topics.mode && !isRetained && payload.length <= longestCommand)
      onCommand?.(payload.toString('utf8'));
  };
  const take = (packet: BrokerPacket) => {
    if (end !== undefined) return;
    if (isOpen === (packet.kind === 'greeting')) {
      finish('the broker answers out of turn');
      return;
    }
    switch (packet.kind) {
      case 'greeting':
        takeGreeting(packet.code);
        break;
      case 'message':
        takeMessage(packet);
        break;
      case 'answer':
        takeAnswer(packet);
        break;
      case 'pong':
        owed.settle('ping');
        break;
    }
  };
  const read = createPacketReader();
  const connectTimer = setTimeout(() => finish('the broker does not answer'), greetingMs);
  const pingTimer = setInterval(() => {
    if (!isOpen) return;
    owed.addPing();
    socket.write(encodePing());
  }, keepaliveSeconds * 1000);
  const onAbort = () => finish('the agent stops');
  signal.addEventListener('abort', onAbort, { once: true });
  socket.write(greeting);
  socket.on('error', (error) => finish(messageOf(error)));
  socket.on('end', hangUp);
  socket.on('close', hangUp);
  socket.on('data', (bytes) => {
    try {
      for (const packet of read(bytes)) take(packet);
    } catch (error) {
      finish(messageOf(error));
    }
  });
  if (signal.aborted) onAbort();
  const { isListening } = await opened.promise;
  return {
    isListening,
    publish({ topic, payload }) {
      ask(`a message to ${topic}`, (id) => encodeMessage(topic, payload, id));
    },
    settled: owed.settled,
    ended: () => end,
    close: () => finish('closed'),
  };
}

function toGreeting({ broker, clientId, topics }: MqttSessionOptions): MqttGreeting {
  return {
    // A second connection with one id ends the first, so each device has its own id.
    clientId: `tributary-${clientId.slice(0, 8)}`,
    keepaliveSeconds,
    username: broker.username,
    password: broker.password?.reveal(),
    will: { topic: topics.availability, payload: 'offline' },
  };
}
