import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Facts } from '../../../src/health/facts.ts';
import { judgePhase } from '../../../src/health/phase.ts';
import { messageOf } from '../../../src/lib/errors.ts';
import { toPlainLines } from '../../../src/lib/plain-text.ts';
import { renderDiscovery } from '../../../src/report/home-assistant.ts';
import { createLogger } from '../../../src/report/logger.ts';
import { readMqttState } from '../../../src/report/mqtt-state.ts';
import { webhookFormats } from '../../../src/report/webhook-body.ts';
import { judgeAnswer } from '../../../src/service/judge.ts';
import { type OperationName, operations } from '../../../src/service/operations.ts';
import { createJsonAnswer } from '../../../src/status/answers.ts';
import { buildStatusDocument } from '../../../src/status/document.ts';
import { createPastReader } from '../../../src/status/page/past.ts';
import { renderPage } from '../../../src/status/page/render-page.ts';
import { buildView } from '../../../src/status/page/view.ts';
import { renderStatus } from '../../../src/status/text.ts';
import { ago, now, providingFacts } from '../../../tools/docs/sample-facts.ts';
import { makeSource } from '../../../tools/docs/sample-source.ts';
import { arbitraryFacts } from '../health/arbitrary-facts.ts';

/** Of each kind that moves a cursor, turns the writing, cannot be seen, or breaks a line. */
const nasty =
  'a\u0000\u0007\b\u001b[2J\u007f\u0085\u009b2J\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202e\u2066\ufeff\u{e0041}\ud800b';
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** What the client says of such an answer of this operation. */
function complain(name: OperationName, status: number, body: unknown): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = { status, headers: { 'content-type': 'application/json' }, text };
  try {
    judgeAnswer({ name, answer, secrets: [], nowMs: 0, unread: undefined } as never);
    return '';
  } catch (error) {
    return messageOf(error);
  }
}

const answers: readonly (readonly [string, number, unknown])[] = [
  ['a refusal', 200, { error: { message: nasty } }],
  ['a refusal that is a text', 200, { error: nasty }],
  ['a text', 400, nasty],
  ['a failure', 500, nasty],
  ['no list', 200, { [nasty]: nasty, clients: nasty, providers: nasty }],
];

/** A device of which every text that comes from a service is this one. */
function tell(message: string): Facts {
  const problem = { code: 'registration-incomplete', message, since: ago(60) } as const;
  return {
    ...providingFacts,
    registration: { clientId: message, description: message },
    registrationProblem: problem,
    service: { ...providingFacts.service, isReachable: false, lastError: { ...problem } },
  } as unknown as Facts;
}

const asset = (name: string) => ({ href: `/page.${name}`, integrity: name });
const assets = {
  style: asset('css'),
  script: asset('js'),
  icon: asset('svg'),
  manifest: asset('webmanifest'),
  nameIcon: () => '/page.svg',
};

/** Everything that shows these facts, by what it is. */
const presenters: Readonly<Record<string, (facts: Facts) => string | Promise<string>>> = {
  // What a command writes passes `toPlainLines`, and its text `renderStatus`.
  terminal: (facts) =>
    toPlainLines(JSON.stringify(renderStatus(buildStatusDocument(facts, now), now))),
  'the document': (facts) => createJsonAnswer(200, buildStatusDocument(facts, now)).body,
  'the page': async (facts) => {
    const source = makeSource(facts);
    const readPast = createPastReader(source, () => 0);
    return renderPage(buildView(source, await readPast()), assets);
  },
  MQTT: (facts) => {
    const discovery = { topic: 't', discoveryPrefix: 'd', allowControl: true, facts: () => facts };
    const state = readMqttState({ facts, now, speed: undefined, todayBytes: undefined });
    const shown = renderDiscovery(discovery, facts.registration?.clientId ?? '');
    return [...shown.map(({ payload }) => payload), createJsonAnswer(200, state).body].join('\n');
  },
  'a webhook': (facts) => {
    const { reasons, phase } = judgePhase(facts, now);
    const { description, clientId } = facts.registration ?? {};
    const [{ code, message, action } = {} as Partial<(typeof reasons)[number]>] = reasons;
    const notice = { at: now, from: undefined, to: phase, clientId, description, reason: code };
    const whole = { ...notice, event: 'phase', message, action } as const;
    return Object.values(webhookFormats)
      .map((render) => render(whole, '/hook').body)
      .join('\n');
  },
  'the log': (facts) => {
    let written = '';
    for (const format of ['json', 'text'] as const) {
      const destination = { write: (text: string) => (written += text) };
      const log = createLogger({ level: 'info', format }, { isTty: false, destination });
      const message = facts.registration?.description ?? '';
      log.warn({ [message]: message, error: new Error(message) }, message);
    }
    return written;
  },
};

const names = Object.keys(operations) as OperationName[];

describe.each(Object.entries(presenters))('%s', (_, present) => {
  test.each(answers)('shows no sign that cannot be seen of %s', async (_, status, body) => {
    const said = new Set(names.map((name) => complain(name, status, body)));
    for (const message of [nasty, ...said]) {
      const shown = await present(tell(message));
      expect(shown.length).toBeGreaterThan(10);
      expect(shown.replaceAll('\n', ' ').match(unseen), shown).toBeNull();
    }
  });
});

describe.each(Object.entries(presenters))('%s, whatever the facts are,', (_, present) => {
  test('shows no sign that cannot be seen', async () => {
    const law = fc.asyncProperty(arbitraryFacts, async (facts) => {
      const shown = await present(facts);
      expect(shown.replaceAll('\n', ' ').match(unseen), shown).toBeNull();
    });
    await fc.assert(law, { numRuns: 40 });
  });
});

test('every operation says something of an answer that is a failure', () => {
  expect(names.filter((name) => !complain(name, 400, nasty).includes('a'))).toEqual([]);
});
