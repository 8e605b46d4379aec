import { randomUUID } from 'node:crypto';
import type { Facts } from '../../health/facts.ts';
import { toPhase } from '../../health/phase.ts';
import { type BackoffBounds, computeBackoffMs } from '../../lib/backoff.ts';
import { messageOf, TributaryError } from '../../lib/errors.ts';
import type { Secret } from '../../lib/secret.ts';
import { createWakeup } from '../../lib/wakeup.ts';
import type { Logger } from '../../report/logger.ts';
import { notePhase, nothingTold } from '../../report/phase-change.ts';
import { createStateLogger } from '../../report/state-logger.ts';
import { toWebhookBody, toWebhookHeaders } from '../../report/webhook-call.ts';
import { readRetryAfterSeconds } from '../../service/retry-after.ts';
import { createTransport, type Transport } from '../../service/transport.ts';
import type { Loop } from './run-loop.ts';

export interface WebhookParts {
  /** May be a secret by itself: its path is never logged. */
  readonly url: string;
  readonly secret: Secret | undefined;
  readonly facts: () => Facts;
  readonly log: Logger;
  readonly now: () => Date;
  readonly pace?: WebhookPace;
}

/** In ms. */
interface WebhookPace {
  readonly lookMs: number;
  readonly settleMs: number;
  readonly retry: BackoffBounds;
}

interface Delivery {
  readonly id: string;
  readonly body: string;
}

/** What became of a try; `words` never hold the address's path. */
type Outcome =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly words: string }
  | { readonly kind: 'failed'; readonly words: string; readonly retryAfterMs: number };

const defaultPace: WebhookPace = { lookMs: 1_000, settleMs: 5_000, retry: { baseMs: 2_000, maxMs: 600_000 } };
const limits = { connectMs: 10_000, headersMs: 15_000, bodyMs: 15_000 };
const mostTries = 12;
const mostWaiting = 20;
const untilNotifiedMs = 3_600_000;

/** Two loops: one looks at the phase and never waits for the other, which calls the address, one change after another. */
export function createWebhookLoops(parts: WebhookParts): readonly Loop[] {
  const { facts, log, now, pace = defaultPace } = parts;
  const url = new URL(parts.url);
  const transport = createTransport(url.origin, limits);
  const states = createStateLogger(log);
  const waiting: Delivery[] = [];
  const wakeup = createWakeup();
  let memory = nothingTold;
  let tries = 0;

  const look = async () => {
    const current = facts();
    const report = toPhase(current, now());
    const noted = notePhase(memory, { report, at: now(), nowMs: performance.now(), settleMs: pace.settleMs });
    memory = noted.memory;
    if (noted.change !== undefined) {
      waiting.push({ id: randomUUID(), body: toWebhookBody(noted.change, current) });
      // The one under way stays: its tries are counted.
      if (waiting.length > mostWaiting) waiting.splice(1, 1);
      wakeup.notify();
    }
    return pace.lookMs;
  };

  const deliver = async (signal: AbortSignal) => {
    const [next] = waiting;
    if (next === undefined) return untilNotifiedMs;
    const headers = toWebhookHeaders({
      body: next.body,
      at: now(),
      delivery: next.id,
      version: facts().version,
      secret: parts.secret,
    });
    const outcome = await call({ transport, url, body: next.body, headers, nowMs: now().getTime() }, signal);
    tries += 1;
    if (outcome.kind === 'failed' && tries < mostTries) {
      noteTrouble(states, url, outcome.words);
      return Math.max(computeBackoffMs(tries, pace.retry), Math.min(outcome.retryAfterMs, pace.retry.maxMs));
    }
    waiting.shift();
    tries = 0;
    if (outcome.kind === 'taken') states.note({ topic: 'webhook', state: 'taken', level: 'info', message: 'webhook' });
    else log.warn({ host: url.host, reason: outcome.words }, 'webhook delivery failed; the phase change was dropped');
    return 0;
  };

  return [
    { name: 'webhook look', tick: look },
    { name: 'webhook', tick: deliver, wakeup },
  ];
}

interface Call {
  readonly transport: Transport;
  readonly url: URL;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly nowMs: number;
}

async function call({ transport, url, body, headers, nowMs }: Call, signal: AbortSignal): Promise<Outcome> {
  const path = `${url.pathname}${url.search}`;
  try {
    const exchange = { method: 'POST', path, headers, body, bodyLimitBytes: 0 } as const;
    const answer = await transport.open(exchange, signal);
    answer.discard();
    if (answer.status >= 200 && answer.status < 300) return { kind: 'taken' };
    const words = `it answered ${answer.status}`;
    const isPassing = answer.status >= 500 || [408, 425, 429].includes(answer.status);
    if (!isPassing) return { kind: 'refused', words };
    const retryAfterSeconds = readRetryAfterSeconds(answer.headers['retry-after'], nowMs) ?? 0;
    return { kind: 'failed', words, retryAfterMs: retryAfterSeconds * 1000 };
  } catch (error) {
    if (!(error instanceof TributaryError)) throw error;
    // The error's own message names the path.
    return { kind: 'failed', words: messageOf(error.cause), retryAfterMs: 0 };
  }
}

function noteTrouble(states: ReturnType<typeof createStateLogger>, url: URL, words: string): void {
  const fields = { host: url.host, reason: words };
  states.note({ topic: 'webhook', state: `failing: ${words}`, level: 'warn', message: 'webhook', fields });
}
