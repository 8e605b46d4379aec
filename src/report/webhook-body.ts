import type { Phase } from '../health/phase.ts';
import { isOwnersTurn } from '../health/phase-traits.ts';
import { toPlainJson, toPlainText } from '../lib/plain-text.ts';

type Known = 'reason' | 'message' | 'action' | 'clientId' | 'description';

/** One call of the webhook; unknown values are undefined. */
export interface Notice extends Readonly<Record<Known, string | undefined>> {
  readonly event: 'phase' | 'cap-80' | 'cap-100' | 'first-payout';
  readonly at: Date;
  /** The former phase; undefined for the first phase that was noticed since the agent started. */
  readonly from: Phase | undefined;
  readonly to: Phase;
}

export type WebhookFormat = keyof typeof webhookFormats;

/** No receiver cuts a shorter text, even if each character is escaped. */
const mostCharacters = 300;

/**
 * The body to send, and the path of the address that it is sent to, as each receiver's
 * documentation asks: ntfy "Publish as JSON", Discord "Execute Webhook" and "Allowed Mentions",
 * Slack "Sending messages using incoming webhooks" and "Formatting text", Gotify "POST /message".
 * The bodies contain texts of the service, so these may neither call people by name nor form links
 * or markup.
 */
export const webhookFormats = {
  /** Version 1. Fields may be added but never change; unknown values are null. */
  json: (notice: Notice, path: string) => {
    const { at, from, to, reason, message, action, clientId, description, event } = notice;
    const known = { reason, message, action, clientId, description };
    const rest = Object.fromEntries(
      Object.entries(known).map(([name, value]) => [name, value ?? null]),
    );
    return {
      path,
      body: toPlainJson({
        version: 1,
        at: at.toISOString(),
        from: from ?? null,
        to,
        ...rest,
        event,
      }),
    };
  },
  ntfy: (notice: Notice, path: string) => {
    const [own = '', query = ''] = path.split(/(?=\?)/);
    const topic = decodeURIComponent(own.split('/').findLast((part) => part !== '') ?? '');
    const priority = isUrgent(notice) ? 4 : 3;
    return {
      path: `/${query}`,
      body: toPlainJson({ topic, ...toTitleAndMessage(notice), priority }),
    };
  },
  discord: (notice: Notice, path: string) => {
    const content = joinText(notice, (text) => text.replace(/[\\*_~`|<>[\]()#@:-]/g, '\\$&'));
    return { path, body: toPlainJson({ content, allowed_mentions: { parse: [] } }) };
  },
  slack: (notice: Notice, path: string) => {
    const hide = (text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    return { path, body: toPlainJson({ text: joinText(notice, hide), mrkdwn: false }) };
  },
  gotify: (notice: Notice, path: string) => {
    return {
      path,
      body: toPlainJson({ ...toTitleAndMessage(notice), priority: isUrgent(notice) ? 8 : 5 }),
    };
  },
} as const;

function isUrgent({ event, to }: Notice): boolean {
  return event === 'phase' && isOwnersTurn(to);
}

function toTitleAndMessage(notice: Notice) {
  const [title = '', ...rest] = listLines(notice);
  return { title, message: rest.join('\n') || title };
}

function joinText(notice: Notice, hide: (text: string) => string): string {
  return listLines(notice).map(hide).join('\n');
}

function listLines({ event, to, message, action, description }: Notice): readonly string[] {
  const name = description ?? 'This device';
  const title = event === 'phase' ? `${name} is ${to.replace('-', ' ')}` : name;
  return [title, message, action]
    .filter((text) => text !== undefined)
    .map((text) => toPlainText(text.slice(0, mostCharacters)));
}
