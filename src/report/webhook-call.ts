import { createHmac } from 'node:crypto';
import type { Facts } from '../health/facts.ts';
import type { Secret } from '../lib/secret.ts';
import type { PhaseChange } from './phase-change.ts';

/** What a webhook is sent, version 1. Fields are added, never changed; what is not known is null. */
export function toWebhookBody({ at, from, to }: PhaseChange, { registration }: Facts): string {
  const [reason] = to.reasons;
  return JSON.stringify({
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

export interface WebhookHeadersInput {
  readonly body: string;
  /** Of this try: an old one that is played again can be told by it. */
  readonly at: Date;
  /** The same for every try of one change, so that what came twice can be told. */
  readonly delivery: string;
  readonly version: string;
  /** undefined: not signed. */
  readonly secret: Secret | undefined;
}

/** The signature is HMAC-SHA256, in hex, of the timestamp (Unix seconds), a full stop and the body. */
export function toWebhookHeaders(input: WebhookHeadersInput): Readonly<Record<string, string>> {
  const { body, at, delivery, version, secret } = input;
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const headers = {
    'content-type': 'application/json',
    'user-agent': `tributary/${version}`,
    'x-tributary-delivery': delivery,
    'x-tributary-timestamp': timestamp,
  };
  if (secret === undefined) return headers;
  const signature = createHmac('sha256', secret.reveal()).update(`${timestamp}.${body}`).digest('hex');
  return { ...headers, 'x-tributary-signature': `sha256=${signature}` };
}
