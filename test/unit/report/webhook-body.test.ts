import { describe, expect, test } from 'vitest';
import {
  type Notice,
  type WebhookFormat,
  webhookFormats,
} from '../../../src/report/webhook-body.ts';

const blocked: Notice = {
  event: 'phase',
  at: new Date('2026-03-14T12:00:00Z'),
  from: 'providing',
  to: 'signed-out',
  reason: 'signed-out',
  message: 'No network JWT.',
  action: 'Sign in: tributary login',
  clientId: 'client-1',
  description: 'kitchen',
};
const capped: Notice = {
  ...blocked,
  event: 'cap-80',
  from: 'providing',
  to: 'providing',
  reason: undefined,
  message: 'Nearly.',
  action: undefined,
};
const hostile = '@everyone <!channel> <@U1> [a](https://evil.example) *b* & `c`\u202e\n# d';

const render = (notice: Notice, format: WebhookFormat, path = '/hook?key=1') => {
  const { body, ...rest } = webhookFormats[format](notice, path);
  return { ...rest, body: JSON.parse(body) };
};

describe('what is sent', () => {
  test('to ntfy goes to its root, with the topic of the address, and is urgent where the owner has to act', () => {
    expect(render(blocked, 'ntfy', '/my%20topic?auth=abc')).toEqual({
      path: '/?auth=abc',
      body: {
        topic: 'my topic',
        title: 'kitchen is signed out',
        message: 'No network JWT.\nSign in: tributary login',
        priority: 4,
      },
    });
    expect(render(capped, 'ntfy', '/topic/').body).toEqual({
      topic: 'topic',
      title: 'kitchen',
      message: 'Nearly.',
      priority: 3,
    });
  });

  test('to Gotify is a title, a message and a priority', () => {
    expect(render(blocked, 'gotify', '/message?token=A1')).toEqual({
      path: '/message?token=A1',
      body: {
        title: 'kitchen is signed out',
        message: 'No network JWT.\nSign in: tributary login',
        priority: 8,
      },
    });
    const silent = { ...blocked, to: 'idle', message: undefined, action: undefined } as const;
    expect(render(silent, 'gotify').body).toEqual({
      title: 'kitchen is idle',
      message: 'kitchen is idle',
      priority: 5,
    });
  });

  test('to Discord mentions nobody, and shows a text as it is', () => {
    const { body } = render({ ...blocked, message: hostile }, 'discord');
    expect(body.allowed_mentions).toEqual({ parse: [] });
    const lines = body.content.split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe('kitchen is signed out');
    expect(lines[1]).toBe(
      '\\@everyone \\<!channel\\> \\<\\@U1\\> \\[a\\]\\(https\\://evil.example\\) \\*b\\* & \\`c\\`? \\# d',
    );
  });

  test('to Slack calls nobody and has no links of its own', () => {
    const { body } = render({ ...blocked, message: hostile }, 'slack');
    expect(body).toEqual({
      text: 'kitchen is signed out\n@everyone &lt;!channel&gt; &lt;@U1&gt; [a](https://evil.example) *b* &amp; `c`? # d\nSign in: tributary login',
      mrkdwn: false,
    });
  });

  test.each(['discord', 'ntfy', 'slack', 'gotify'] as const)(
    'to %s is no longer than the receiver accepts',
    (format) => {
      const long = '<'.repeat(5000);
      const { body } = webhookFormats[format](
        { ...blocked, message: long, action: long, description: long },
        '/topic',
      );
      // Discord: 2000 characters of content; ntfy: 4096 bytes of message.
      const { content = '', message = '' } = JSON.parse(body);
      expect(content.length).toBeLessThanOrEqual(2000);
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096);
    },
  );

  test('to programs has null for what is not known, and says what it is about', () => {
    expect(render({ ...capped, clientId: undefined, from: undefined }, 'json')).toEqual({
      path: '/hook?key=1',
      body: {
        version: 1,
        at: '2026-03-14T12:00:00.000Z',
        from: null,
        to: 'providing',
        reason: null,
        message: 'Nearly.',
        action: null,
        clientId: null,
        description: 'kitchen',
        event: 'cap-80',
      },
    });
  });
});
