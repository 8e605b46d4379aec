import { computeSpeeds, readTraffic, type TrafficReading } from '../health/speeds.ts';
import type { Names } from '../lib/connect-in-turn.ts';
import { messageOf } from '../lib/errors.ts';
import { toPlainJson } from '../lib/plain-text.ts';
import { type ProvideMode, provideModes } from '../service/profiles.ts';
import { type Discovery, nameTopics, renderDiscovery } from './home-assistant.ts';
import type { Logger } from './logger.ts';
import { type MqttBroker, openMqttSession } from './mqtt-session.ts';
import {
  commandWords,
  hasUrgentChange,
  type MqttState,
  readMqttState,
  type StateInput,
} from './mqtt-state.ts';
import type { Notifier, Pace } from './notifier.ts';

/** What is published, and to which broker. */
export interface MqttParts extends Discovery {
  readonly broker: MqttBroker;
  /** By default the system's own. */
  readonly names?: Names | undefined;
  readonly refresh: () => Promise<void>;
  /** Bytes forwarded since midnight; undefined without a ledger. */
  readonly todayBytes: () => Promise<number | undefined>;
  readonly now: () => Date;
  readonly figuresMs?: number;
  /**
   * Sets the mode by hand, for a time in seconds or until it is cleared; undefined clears it. It is
   * called only where control is allowed.
   */
  readonly setMode: (mode: ProvideMode | undefined, forSeconds?: number) => Promise<void>;
  readonly log: Logger;
  readonly pace?: Partial<Pace>;
}

/**
 * Only the newest state counts, so one message waits, and is read when it is sent. It is never
 * given up.
 */
const usualPace: Pace = {
  capacity: 1,
  maxTries: Infinity,
  lookMs: 1_000,
  retry: { baseMs: 5_000, maxMs: 300_000 },
};
const pauseSeconds = 3600;

/**
 * Publishes the state to a broker as it changes. Each message is the id of the device whose state
 * has to be published.
 */
export function createMqttNotifier(parts: MqttParts): Notifier<string> {
  let publisher: Awaited<ReturnType<typeof openPublisher>> | undefined;
  let wasRefused = false;
  return {
    name: 'mqtt',
    host: new URL(parts.broker.url).host,
    pace: { ...usualPace, ...parts.pace },
    look() {
      const clientId = parts.facts().registration?.clientId;
      if (publisher !== undefined && publisher.clientId !== clientId) {
        publisher.session.close();
        publisher = undefined;
      }
      const isUpToDate = publisher?.session.ended() === undefined && publisher?.isDue() === false;
      return isUpToDate ? undefined : clientId;
    },
    async deliver(due, signal) {
      // The device may have been registered under another id while the message waited.
      const clientId = parts.facts().registration?.clientId ?? due;
      const reason = publisher?.session.ended();
      if (reason !== undefined) {
        publisher = undefined;
        return { kind: 'lost', reason };
      }
      try {
        publisher ??= await openPublisher(parts, clientId, signal);
      } catch (error) {
        return { kind: 'failed', reason: messageOf(error) };
      }
      const isRefused = parts.allowControl && !publisher.session.isListening;
      if (isRefused && !wasRefused) warnOfRefusal(parts, clientId);
      wasRefused = isRefused;
      await publisher.publish();
      // What the broker did not take is not delivered: a broker can refuse a message only by ending
      // the connection, and one that does so each time is asked ever more seldom.
      await publisher.session.settled();
      const untaken = publisher.session.ended();
      if (untaken === undefined) return { kind: 'delivered' };
      publisher = undefined;
      return { kind: 'lost', reason: untaken };
    },
  };
}

/** Everything else works without it, so it is no failed delivery. */
function warnOfRefusal({ topic, broker, log }: MqttParts, clientId: string): void {
  const refused = { topic: nameTopics(topic, clientId).mode, username: broker.username };
  log.warn(
    refused,
    'the broker lets this user read no commands, so Home Assistant shows the device without switch and buttons; let it read that topic',
  );
}

/**
 * Publishes one device over one session.
 * @throws Error that says why the session could not be opened
 */
async function openPublisher(parts: MqttParts, clientId: string, signal: AbortSignal) {
  const { broker, names, facts, now, figuresMs = 30_000 } = parts;
  const topics = nameTopics(parts.topic, clientId);
  const onCommand = parts.allowControl ? (text: string) => takeCommand(text, parts) : undefined;
  const session = await openMqttSession({ broker, clientId, topics, onCommand, names, signal });
  // Without commands from the broker, a button would do nothing.
  const discovery = { ...parts, allowControl: session.isListening };
  let published: MqttState | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reading: TrafficReading | undefined;
  let figures: Pick<StateInput, 'speed' | 'todayBytes'> = {
    speed: undefined,
    todayBytes: undefined,
  };
  const areFiguresDue = () => performance.now() - readAtMs >= figuresMs;
  const readState = () => readMqttState({ facts: facts(), now: now(), ...figures });
  const readFigures = async () => {
    await parts.refresh();
    readAtMs = performance.now();
    const next = readTraffic(facts(), readAtMs);
    const speed = reading && next && computeSpeeds([reading, next])[0];
    figures = { speed, todayBytes: await parts.todayBytes() };
    reading = next;
  };
  return {
    clientId,
    session,
    isDue: () => areFiguresDue() || hasUrgentChange(published, readState()),
    /** Publishes the state, and before the first one the entities for discovery. */
    async publish() {
      const isFirst = published === undefined;
      if (isFirst)
        for (const message of renderDiscovery(discovery, clientId)) session.publish(message);
      if (areFiguresDue()) await readFigures();
      published = readState();
      session.publish({ topic: topics.state, payload: toPlainJson(published) });
      // The device becomes available only now, because before this it had no state to show.
      if (isFirst) session.publish({ topic: topics.availability, payload: 'online' });
    },
  };
}

/**
 * Obeys a text that was published to the topic of the mode: a mode, or one of the other command
 * words.
 */
function takeCommand(text: string, { setMode, log }: MqttParts): void {
  const { automatic, pause } = commandWords;
  const isPause = text === pause;
  const mode = isPause ? 'none' : provideModes.find((known) => known === text);
  if (mode === undefined && text !== automatic) {
    log.warn(
      { allowed: [automatic, pause, ...provideModes] },
      'ignoring an unknown command from the broker',
    );
    return;
  }
  log.info({ mode: text }, 'the broker asked for a mode');
  setMode(mode, isPause ? pauseSeconds : undefined).catch((error: unknown) =>
    log.error({ reason: messageOf(error) }, 'setting the mode failed'),
  );
}
