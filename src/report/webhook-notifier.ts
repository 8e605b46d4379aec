import { createHmac, randomUUID } from 'node:crypto';
import type { Facts } from '../health/facts.ts';
import { judgePhase } from '../health/phase.ts';
import { messageOf, TributaryError } from '../lib/errors.ts';
import { toPlainJson } from '../lib/plain-text.ts';
import type { Secret } from '../lib/secret.ts';
import { readRetryAfterSeconds } from '../service/retry-after.ts';
import { createTransport } from '../service/transport.ts';
import type { Notifier, Outcome, Pace } from './notifier.ts';
import { createPhaseChanges, type PhaseChange } from './phase-change.ts';

export interface WebhookParts {
  readonly url: Secret;
  /** PEM; undefined: the authorities that Node knows. */
  readonly certificateAuthority?: string | undefined;
  readonly secret: Secret | undefined;
  readonly facts: () => Facts;
  readonly now: () => Date;
  readonly pace?: Partial<Pace>;
  /** How long a phase has to last before it is sent. */
  readonly settleMs?: number;
}

const usualPace: Pace = { lookMs: 1_000, capacity: 20, maxTries: 12, retry: { baseMs: 2_000, maxMs: 600_000 } };
const limits = { connectMs: 10_000, headersMs: 15_000, bodyMs: 15_000 };

/** Sends each change of the phase that lasts to the owner's address. */
export function createWebhookNotifier(parts: WebhookParts): Notifier<{ readonly id: string; readonly body: string }> {
  const { secret, facts, now, settleMs = 5_000 } = parts;
  const url = new URL(parts.url.reveal());
  const transport = createTransport(url.origin, limits, () => parts.certificateAuthority);
  const noticeChange = createPhaseChanges(settleMs);
  return {
    name: 'webhook',
    host: url.host,
    pace: { ...usualPace, ...parts.pace },
    look() {
      const [current, at] = [facts(), now()];
      const change = noticeChange({ report: judgePhase(current, at), at, nowMs: performance.now() });
      // The id is the same for every try.
      return change && { id: randomUUID(), body: renderWebhookBody(change, current) };
    },
    async deliver({ id, body }, signal) {
      const nowMs = now().getTime();
      // Of this try: a receiver can refuse an old one that is played again.
      const timestamp = String(Math.floor(nowMs / 1000));
      const headers = {
        'content-type': 'application/json',
        'user-agent': `tributary/${facts().version}`,
        'x-tributary-delivery': id,
        'x-tributary-timestamp': timestamp,
        ...(secret && { 'x-tributary-signature': signWebhook(body, timestamp, secret) }),
      };
      const path = `${url.pathname}${url.search}`;
      try {
        const answer = await transport.open({ method: 'POST', path, headers, body, bodyLimitBytes: 0 }, signal);
        answer.discard();
        const retryAfterSeconds = readRetryAfterSeconds(answer.headers['retry-after'], nowMs);
        return judge(answer.status, (retryAfterSeconds ?? 0) * 1000);
      } catch (error) {
        if (!(error instanceof TributaryError)) throw error;
        // The error's own message names the path.
        return { kind: 'failed', reason: messageOf(error.cause) };
      }
    },
  };
}

function judge(status: number, retryAfterMs: number): Outcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  const reason = `it answered ${status}`;
  const isPassing = status >= 500 || [408, 425, 429].includes(status);
  return isPassing ? { kind: 'failed', reason, retryAfterMs } : { kind: 'refused', reason };
}

/** What a webhook is sent, version 1. Fields are added, never changed; what is not known is null. */
function renderWebhookBody({ at, from, to }: PhaseChange, { registration }: Facts): string {
  const [reason] = to.reasons;
  return toPlainJson({
    version: 1,
    at: at.toISOString(),
    from: from ?? null,
    to: to.phase,
    reason: reason?.code ?? null,
    message: reason?.message ?? null,
    action: reason?.action ?? null,
    clientId: registration?.clientId ?? null,
    description: registration?.description ?? null,
  });
}

/** Proves to the receiver that body and timestamp (Unix seconds) are the agent's: HMAC-SHA256 of both, joined by a full stop. */
function signWebhook(body: string, timestamp: string, secret: Secret): string {
  return `sha256=${createHmac('sha256', secret.reveal()).update(`${timestamp}.${body}`).digest('hex')}`;
}
