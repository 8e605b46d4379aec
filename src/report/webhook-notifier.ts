import { createHmac, randomUUID } from 'node:crypto';
import { messageOf, TributaryError } from '../errors/codes.ts';
import type { Facts } from '../health/facts.ts';
import { judgePhase } from '../health/phase.ts';
import type { Names } from '../lib/connect-in-turn.ts';
import type { Secret } from '../lib/secret.ts';
import { readRetryAfterSeconds } from '../service/retry-after.ts';
import { createTransport } from '../service/transport.ts';
import type { Notifier, Outcome, Pace } from './notifier.ts';
import { type WebhookFormat, webhookFormats } from './webhook-body.ts';
import { createPhaseChanges, findMilestone, type Told, toNotice } from './webhook-news.ts';

export interface WebhookParts {
  readonly url: Secret;
  /** PEM; undefined for the authorities that Node knows. */
  readonly certificateAuthority?: string | undefined;
  /** By default the system's own. */
  readonly names?: Names | undefined;
  readonly secret: Secret | undefined;
  readonly facts: () => Facts;
  readonly now: () => Date;
  readonly pace?: Partial<Pace>;
  /** `json` by default. */
  readonly format?: WebhookFormat;
  /**
   * The milestones that an earlier run told, and where this run keeps its own. A milestone that
   * could not be kept may be told again.
   */
  readonly told?: Told | undefined;
  readonly keepTold?: (told: Told) => Promise<void>;
  /** How long a phase has to last before it is sent, in ms. */
  readonly settleMs?: number;
}

const usualPace: Pace = {
  lookMs: 1_000,
  capacity: 20,
  maxTries: 12,
  retry: { baseMs: 2_000, maxMs: 600_000 },
};
const limits = { connectMs: 10_000, headersMs: 15_000, bodyMs: 15_000 };

interface Message {
  readonly id: string;
  readonly path: string;
  readonly body: string;
  readonly told: Told | undefined;
}

/** Sends each lasting change of the phase, and each milestone, to the owner's address. */
export function createWebhookNotifier(parts: WebhookParts): Notifier<Message> {
  const { secret, facts, now, format = 'json', settleMs = 5_000 } = parts;
  let { told } = parts;
  const url = new URL(parts.url.reveal());
  const transport = createTransport(url.origin, limits, {
    certificateAuthority: () => parts.certificateAuthority,
    names: parts.names,
  });
  const noticeChange = createPhaseChanges(settleMs);
  return {
    name: 'webhook',
    host: url.host,
    pace: { ...usualPace, ...parts.pace },
    look() {
      const [current, at] = [facts(), now()];
      const report = judgePhase(current, at);
      const change = noticeChange(report, at, performance.now());
      const milestone = change === undefined ? findMilestone(current, told) : undefined;
      if (change === undefined && milestone === undefined) return undefined;
      told = milestone?.told ?? told;
      const notice = toNotice(change ?? { at, from: report.phase, to: report }, milestone, current);
      // Every try has this id, by which a receiver recognizes a repetition.
      return {
        id: randomUUID(),
        told: milestone?.told,
        ...webhookFormats[format](notice, url.pathname + url.search),
      };
    },
    async deliver({ id, path, body, told: toldNow }, signal) {
      const nowMs = now().getTime();
      // Each try has a time of its own, so that a receiver can refuse an old call that is replayed.
      const timestamp = String(Math.floor(nowMs / 1000));
      const headers = {
        'content-type': 'application/json',
        'user-agent': `tributary/${facts().version}`,
        'x-tributary-delivery': id,
        'x-tributary-timestamp': timestamp,
        ...(secret &&
          format === 'json' && { 'x-tributary-signature': signWebhook(body, timestamp, secret) }),
      };
      try {
        const answer = await transport.open(
          { method: 'POST', path, headers, body, bodyLimitBytes: 0 },
          signal,
        );
        answer.discard();
        const retryAfterSeconds = readRetryAfterSeconds(answer.headers['retry-after'], nowMs);
        const outcome = judge(answer.status, (retryAfterSeconds ?? 0) * 1000);
        if (toldNow !== undefined && outcome.kind === 'delivered') await parts.keepTold?.(toldNow);
        return outcome;
      } catch (error) {
        if (!(error instanceof TributaryError)) throw error;
        // The error's own message would name the path, which is secret.
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

/**
 * Proves to the receiver that body and timestamp (Unix seconds) come from the agent: HMAC-SHA256 of
 * both, joined by a full stop.
 */
function signWebhook(body: string, timestamp: string, secret: Secret): string {
  return `sha256=${createHmac('sha256', secret.reveal()).update(`${timestamp}.${body}`).digest('hex')}`;
}
