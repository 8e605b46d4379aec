import { type BackoffBounds, computeBackoffMs } from '../../lib/backoff.ts';
import type { Secret } from '../../lib/secret.ts';
import { toTopics } from '../../report/home-assistant.ts';
import type { Logger } from '../../report/logger.ts';
import type { MqttSessionOptions } from '../../report/mqtt-session.ts';
import { createStateLogger } from '../../report/state-logger.ts';
import { type Telling, takeOrder, tell } from './mqtt-telling.ts';

export interface MqttParts extends Telling {
  readonly url: string;
  readonly username: string | undefined;
  readonly password: Secret | undefined;
  /** PEM; undefined: the authorities that Node knows. */
  readonly certificateAuthority: string | undefined;
  readonly log: Logger;
  /** How soon a lost broker is asked again, in ms. */
  readonly retry?: BackoffBounds;
}

const defaultRetry: BackoffBounds = { baseMs: 5_000, maxMs: 300_000 };
const leastRetryMs = 1_000;
const unregisteredMs = 5_000;

/** One tick is one connection to the broker, from discovery to its end; between two there is a growing wait. */
export function createMqttTick(parts: MqttParts): (signal: AbortSignal) => Promise<number> {
  const { facts, log, retry = defaultRetry } = parts;
  const { host } = new URL(parts.url);
  const states = createStateLogger(log);
  const note = (state: string, level: 'info' | 'warn', reason?: string) =>
    states.note({ topic: 'mqtt', state, level, message: 'mqtt', fields: { host, reason } });
  let failures = 0;
  return async (signal) => {
    const clientId = facts().registration?.clientId;
    // Before that there is nothing by which a broker could tell this device from another.
    if (clientId === undefined) return unregisteredMs;
    // Only now: several MB that a start does not wait for.
    const { openMqttSession } = await import('../../report/mqtt-session.ts');
    const session = await openMqttSession(toSessionOptions(parts, clientId, signal));
    if ('failure' in session) {
      note(`failing: ${session.failure}`, 'warn', session.failure);
    } else {
      failures = 0;
      note('connected', 'info');
      await tell(parts, clientId, session, signal);
      if (!signal.aborted) note('lost', 'warn', session.ended());
      session.close();
    }
    failures += 1;
    return Math.max(leastRetryMs, computeBackoffMs(failures, retry));
  };
}

function toSessionOptions(parts: MqttParts, clientId: string, signal: AbortSignal): MqttSessionOptions {
  const { url, username, password, certificateAuthority, topic, control, log } = parts;
  const topics = toTopics(topic, clientId);
  return {
    url,
    sessionId: `tributary-${clientId.slice(0, 8)}`,
    username,
    password,
    certificateAuthority,
    lastWill: { topic: topics.availability, payload: 'offline' },
    listen: control && { topic: topics.mode, onText: (text) => takeOrder(text, control, log) },
    signal,
  };
}
