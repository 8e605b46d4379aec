import { createHmac } from 'node:crypto';
import type { Facts } from '../health/facts.ts';
import { toPlainJson } from '../lib/plain-text.ts';
import type { Secret } from '../lib/secret.ts';
import type { PhaseChange } from './phase-change.ts';

/** What a webhook is sent, version 1. Fields are added, never changed; what is not known is null. */
export function renderWebhookBody({ at, from, to }: PhaseChange, { registration }: Facts): string {
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
export function signWebhook(body: string, timestamp: string, secret: Secret): string {
  return `sha256=${createHmac('sha256', secret.reveal()).update(`${timestamp}.${body}`).digest('hex')}`;
}
