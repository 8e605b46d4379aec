import { computeSpeeds, readTraffic, type TrafficReading } from '../health/speeds.ts';
import { messageOf } from '../lib/errors.ts';
import { toPlainJson } from '../lib/plain-text.ts';
import { type ProvideMode, provideModes } from '../service/profiles.ts';
import { type Discovery, nameTopics, renderDiscovery } from './home-assistant.ts';
import type { Logger } from './logger.ts';
import type { MqttBroker } from './mqtt-session.ts';
import {
  commandWords,
  hasUrgentChange,
  type MqttState,
  readMqttState,
  type StateInput,
} from './mqtt-state.ts';
import type { Notifier, Pace } from './notifier.ts';

/** What is published, and where. */
export interface MqttParts extends Discovery {
  readonly broker: MqttBroker;
  readonly refresh: () => Promise<void>;
  /** Forwarded since midnight; undefined without a ledger. */
  readonly todayBytes: () => Promise<number | undefined>;
  readonly now: () => Date;
  readonly figuresMs?: number;
  /**
   * Sets the mode by hand, for a time (s) or until it is taken back; undefined takes it back.
   * Called only where control is allowed.
   */
  readonly setMode: (mode: ProvideMode | undefined, forSeconds?: number) => Promise<void>;
  readonly log: Logger;
  readonly pace?: Partial<Pace>;
}

/**
 * Only the newest state counts: one message waits, is read when it is sent, and is never given up.
 */
const usualPace: Pace = {
  capacity: 1,
  maxTries: Infinity,
  lookMs: 1_000,
  retry: { baseMs: 5_000, maxMs: 300_000 },
};
const pauseSeconds = 3600;

/**
 * Publishes the state to a broker as it changes. A message is the id of the device whose state was
 * due.
 */
export function createMqttNotifier(parts: MqttParts): Notifier<string> {
  let publisher: Awaited<ReturnType<typeof openPublisher>> | undefined;
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
      // It may have become another device while the message waited.
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
      await publisher.publish();
      return { kind: 'delivered' };
    },
  };
}

/**
 * Publishes one device over one session.
 * @throws Error that says why the session could not be opened
 */
async function openPublisher(parts: MqttParts, clientId: string, signal: AbortSignal) {
  const { broker, facts, now, figuresMs = 30_000 } = parts;
  const topics = nameTopics(parts.topic, clientId);
  const onCommand = parts.allowControl ? (text: string) => takeCommand(text, parts) : undefined;
  // Only now: several MB that a start does not wait for.
  const { openMqttSession } = await import('./mqtt-session.ts');
  const session = await openMqttSession({ broker, clientId, topics, onCommand, signal });
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
    /** Publishes the state; discovery goes before the first. */
    async publish() {
      const isFirst = published === undefined;
      if (isFirst) for (const message of renderDiscovery(parts, clientId)) session.publish(message);
      if (areFiguresDue()) await readFigures();
      published = readState();
      session.publish({ topic: topics.state, payload: toPlainJson(published) });
      // Before this, there was nothing to show.
      if (isFirst) session.publish({ topic: topics.availability, payload: 'online' });
    },
  };
}

/** What was written to the topic of the mode: a mode, or one of the words beside them. */
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
