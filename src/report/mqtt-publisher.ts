import { toPlainJson } from '../lib/plain-text.ts';
import { measureGrowth } from './byte-window.ts';
import { type Discovery, nameTopics, renderDiscovery } from './home-assistant.ts';
import type { MqttSession } from './mqtt-session.ts';
import { hasUrgentChange, type MqttState, type Rates, readMqttState, type StateInput } from './mqtt-state.ts';

/** What is published, and where. */
export interface Publication extends Discovery {
  /** Reads the counters again. */
  readonly refresh: () => Promise<void>;
  /** Forwarded since midnight; undefined without a ledger. */
  readonly todayBytes: () => Promise<number | undefined>;
  readonly now: () => Date;
  /** How often figures are published, in ms. */
  readonly figuresMs?: number;
}

export type MqttPublisher = ReturnType<typeof createMqttPublisher>;

/** Publishes one device over one session. */
export function createMqttPublisher(publication: Publication, clientId: string, session: MqttSession) {
  const { facts, now, figuresMs = 30_000 } = publication;
  const topics = nameTopics(publication.topic, clientId);
  let published: MqttState | undefined;
  let reading: Reading | undefined;
  let figures: Pick<StateInput, 'rates' | 'todayBytes'> = { rates: undefined, todayBytes: undefined };
  const areFiguresDue = () => reading === undefined || performance.now() - reading.atMs >= figuresMs;
  const readState = () => readMqttState({ facts: facts(), now: now(), ...figures });
  const readFigures = async () => {
    await publication.refresh();
    const next = { atMs: performance.now(), bytes: facts().gateway.forwardedBytes };
    figures = { rates: reading && measureRates(reading, next), todayBytes: await publication.todayBytes() };
    reading = next;
  };
  return {
    clientId,
    session,
    /** True when figures are due, or a word of the state is another than was published. */
    isDue: () => areFiguresDue() || hasUrgentChange(published, readState()),
    /** Publishes the state; discovery goes before the first. */
    async publish() {
      const isFirst = published === undefined;
      if (isFirst) for (const message of renderDiscovery(publication, clientId)) session.publish(message);
      if (areFiguresDue()) await readFigures();
      published = readState();
      session.publish({ topic: topics.state, payload: toPlainJson(published) });
      // Only now is there something to show.
      if (isFirst) session.publish({ topic: topics.availability, payload: 'online' });
    },
  };
}

/** The counters at an instant in monotonic ms; undefined before they were first read. */
interface Reading {
  readonly atMs: number;
  readonly bytes: Rates | undefined;
}

/** What passed between two readings, per second; undefined for two of the same instant. */
export function measureRates(before: Reading, after: Reading): Rates | undefined {
  const seconds = (after.atMs - before.atMs) / 1000;
  if (seconds <= 0 || before.bytes === undefined || after.bytes === undefined) return undefined;
  return {
    up: measureGrowth(before.bytes.up, after.bytes.up) / seconds,
    down: measureGrowth(before.bytes.down, after.bytes.down) / seconds,
  };
}
