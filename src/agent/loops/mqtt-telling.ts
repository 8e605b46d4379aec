import type { Facts } from '../../health/facts.ts';
import { phases, toPhase } from '../../health/phase.ts';
import { messageOf } from '../../lib/errors.ts';
import { sleep } from '../../lib/sleep.ts';
import { automatic, toDiscovery, toTopics } from '../../report/home-assistant.ts';
import type { Logger } from '../../report/logger.ts';
import type { MqttSession } from '../../report/mqtt-session.ts';
import { type CounterReading, isOtherState, type MqttState, toMqttState, toRates } from '../../report/mqtt-state.ts';
import { type ProvideMode, provideModes } from '../../service/profiles.ts';

/** Sets the mode by hand; undefined takes it back. */
export type ModeControl = (mode: ProvideMode | undefined) => Promise<void>;

/** What is told, and where. */
export interface Telling {
  readonly topic: string;
  readonly discoveryPrefix: string;
  /** undefined: nobody may set the mode from the broker. */
  readonly control: ModeControl | undefined;
  readonly facts: () => Facts;
  /** Reads the counters anew. */
  readonly refresh: () => Promise<void>;
  /** Forwarded since midnight; undefined where nobody counts it. */
  readonly todayBytes: () => Promise<number | undefined>;
  readonly now: () => Date;
  /** In ms: how often the state is looked at, and how often figures are published. */
  readonly pace?: { readonly lookMs: number; readonly figuresMs: number };
}

const defaultPace = { lookMs: 1_000, figuresMs: 30_000 };

/** Publishes discovery, then the state as it changes, until the session ends, the device is another one or the signal aborts. */
export async function tell(
  telling: Telling,
  clientId: string,
  session: MqttSession,
  signal: AbortSignal,
): Promise<void> {
  const { facts, pace = defaultPace } = telling;
  const topics = toTopics(telling.topic, clientId);
  const next = createStates(telling, pace.figuresMs);
  for (const message of toDiscovery(toDiscoveryInput(telling, clientId))) session.publish(message);
  let isAnnounced = false;
  while (!signal.aborted && session.ended() === undefined && facts().registration?.clientId === clientId) {
    const state = await next();
    if (state !== undefined) session.publish({ topic: topics.state, payload: JSON.stringify(state) });
    // Only now is there something to show.
    if (!isAnnounced) session.publish({ topic: topics.availability, payload: 'online' });
    isAnnounced = true;
    await sleep(pace.lookMs, signal);
  }
}

/** What somebody wrote to the topic of the mode: a mode, or the word for none by hand. */
export function takeOrder(text: string, control: ModeControl, log: Logger): void {
  const mode = provideModes.find((known) => known === text);
  if (mode === undefined && text !== automatic) {
    log.warn({ allowed: [automatic, ...provideModes] }, 'ignoring an unknown mode from the broker');
    return;
  }
  log.info({ mode: text }, 'the broker asked for a mode');
  control(mode).catch((error: unknown) => log.error({ reason: messageOf(error) }, 'setting the mode failed'));
}

function toDiscoveryInput({ facts, topic, discoveryPrefix, control }: Telling, clientId: string) {
  const { registration, version } = facts();
  return {
    clientId,
    name: registration?.description ?? 'Tributary',
    version,
    phases,
    discoveryPrefix,
    topics: toTopics(topic, clientId),
    allowControl: control !== undefined,
  };
}

/** The next state worth publishing, undefined where there is none: figures by the clock, words when they change. */
function createStates(telling: Telling, figuresMs: number): () => Promise<MqttState | undefined> {
  const { facts, refresh, now } = telling;
  let published: MqttState | undefined;
  let reading: CounterReading | undefined;
  let rates: ReturnType<typeof toRates>;
  let todayBytes: number | undefined;
  return async () => {
    const isDue = reading === undefined || performance.now() - reading.atMs >= figuresMs;
    if (isDue) {
      await refresh();
      const bytes = facts().gateway.forwardedBytes;
      const after = bytes && { atMs: performance.now(), bytes };
      rates = reading && after && toRates(reading, after);
      reading = after;
      todayBytes = await telling.todayBytes();
    }
    const current = facts();
    const state = toMqttState({ facts: current, report: toPhase(current, now()), now: now(), rates, todayBytes });
    if (!isDue && !isOtherState(published, state)) return undefined;
    published = state;
    return state;
  };
}
