import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runLoop } from '../../src/agent/run-loop.ts';
import { createNotifierLoops } from '../../src/agent/tell/notifier-loops.ts';
import { openNotifiers } from '../../src/agent/tell/notifiers.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Facts } from '../../src/health/facts.ts';
import { systemNames } from '../../src/lib/connect-in-turn.ts';
import { Secret } from '../../src/lib/secret.ts';
import { createLogger } from '../../src/report/logger.ts';
import type { Pace } from '../../src/report/notifier.ts';
import type { WebhookFormat } from '../../src/report/webhook-body.ts';
import type { Told } from '../../src/report/webhook-news.ts';
import { createWebhookNotifier } from '../../src/report/webhook-notifier.ts';
import { ago, createFacts } from '../../tools/docs/sample-facts.ts';
import { readBlocks } from '../pages.ts';
import { waitUntil } from '../patience.ts';
import { makeCertificate, startTlsService } from './certificates.ts';
import { runLoops, uncommanded } from './uncommanded.ts';

interface Received {
  readonly path: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
  readonly atMs: number;
}

/**
 * A receiver that answers with these statuses, one after another, and with 204 from then on; `held`
 * answers 503, but later.
 */
async function startReceiver(
  statuses: readonly (number | 'nothing' | 'held')[] = [],
  headers = {},
) {
  const received: Received[] = [];
  const held = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString('utf8');
    const status = statuses[received.length] ?? 204;
    received.push({
      path: request.url ?? '',
      headers: request.headers,
      body,
      atMs: performance.now(),
    });
    if (status === 'held') await held.promise;
    if (status === 'nothing') request.socket.destroy();
    else response.writeHead(status === 'held' ? 503 : status, headers).end('x'.repeat(100_000));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    received,
    answerHeld: held.resolve,
    url: `http://127.0.0.1:${port}/hook/path-secret-4711?key=query-secret-0815`,
  };
}

/** An agent's facts, and the loops that watch them. */
interface Changes {
  readonly secret?: Secret;
  readonly pace?: Partial<Pace>;
  readonly certificateAuthority?: string;
  readonly format?: WebhookFormat;
  readonly told?: Told | undefined;
  readonly keepTold?: (told: Told) => Promise<void>;
}

function startAgent(url: string, { secret, pace, certificateAuthority, ...more }: Changes = {}) {
  const state: { facts: Facts; noticed: number } = { facts: providing, noticed: 0 };
  const log: string[] = [];
  const stop = new AbortController();
  const notifier = createWebhookNotifier({
    url: new Secret(url),
    certificateAuthority,
    secret,
    facts: () => state.facts,
    now: () => new Date(),
    pace: { lookMs: 5, retry: { baseMs: 1, maxMs: 5 }, ...pace },
    settleMs: 20,
    told: everythingTold,
    ...more,
  });
  const look = () => {
    const message = notifier.look();
    if (message !== undefined) state.noticed += 1;
    return message;
  };
  const destination = { write: (text: string) => log.push(text) };
  const logger = createLogger({ level: 'trace', format: 'json' }, { isTty: false, destination });
  const loops = createNotifierLoops({ ...notifier, look }, logger);
  const running = loops.map((loop) => runLoop(loop, stop.signal));
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
  });
  return {
    state,
    log,
    stop,
    running,
    /** Resolves when the change has been noticed, sent or not. */
    async change(facts: Facts) {
      const { noticed } = state;
      state.facts = facts;
      await waitUntil(() => expect(state.noticed).toBe(noticed + 1));
    },
  };
}

// A handshake in the future counts as fresh: the clock here is the real one.
const providing = createFacts({ tunnel: { lastHandshakeAt: new Date(Date.now() + 1e9) } });
const silent = createFacts({ tunnel: { lastHandshakeAt: ago(1e9) } });
const idle = createFacts({ provide: { effective: 'none' } }, providing);
/** What happens once has happened. */
const everythingTold: Told = {
  periodStart: providing.usage.periodStart?.toISOString(),
  capPercent: 100,
  isPayoutTold: true,
};
const bodies = (received: readonly Received[]) => received.map(({ body }) => JSON.parse(body));

describe('a webhook', () => {
  test('is called with each change that lasts: from, to, why and what to do', async () => {
    const { received, url } = await startReceiver();
    const { state } = startAgent(url);
    state.facts = silent;
    await waitUntil(() => expect(received).toHaveLength(1));
    state.facts = idle;
    await waitUntil(() => expect(received).toHaveLength(2));
    expect(bodies(received)).toEqual([
      {
        version: 1,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        from: null,
        to: 'connecting',
        reason: 'no-handshake',
        message: expect.stringContaining('does not answer'),
        action: expect.stringContaining('UDP'),
        clientId: '3f8a1c9e-0000-4000-8000-00000000abcd',
        description: 'kitchen',
        event: 'phase',
      },
      expect.objectContaining({
        from: 'connecting',
        to: 'idle',
        reason: null,
        message: null,
        action: null,
      }),
    ]);
    expect(received[0]?.path).toBe('/hook/path-secret-4711?key=query-secret-0815');
    expect(received[0]?.headers['content-type']).toBe('application/json');
  });

  test('can be held against its signature, which the time is part of', async () => {
    const { received, url } = await startReceiver();
    startAgent(url, { secret: new Secret('shared') });
    await waitUntil(() => expect(received).toHaveLength(1));
    const { headers, body } = received[0] as Received;
    const timestamp = headers['x-tributary-timestamp'];
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60);
    const expected = createHmac('sha256', 'shared').update(`${timestamp}.${body}`).digest('hex');
    expect(headers['x-tributary-signature']).toBe(`sha256=${expected}`);
    const [, command = ''] = readBlocks('sh', 'docs/monitoring.md');
    const env = { PATH: process.env.PATH, timestamp: String(timestamp), body, secret: 'shared' };
    expect(execFileSync('sh', ['-ec', command], { encoding: 'utf8', env })).toContain(expected);
  });

  test('is not signed for a service that shows messages', async () => {
    const { received, url } = await startReceiver();
    startAgent(url, { secret: new Secret('shared'), format: 'discord' });
    await waitUntil(() => expect(received).toHaveLength(1));
    expect(received[0]?.headers).not.toHaveProperty('x-tributary-signature');
    expect(JSON.parse(received[0]?.body ?? '').allowed_mentions).toEqual({ parse: [] });
  });

  test('goes to the root of an ntfy server, with the topic of the address', async () => {
    const { received, url } = await startReceiver();
    startAgent(url, { format: 'ntfy' });
    await waitUntil(() => expect(received).toHaveLength(1));
    expect(received[0]?.path).toBe('/?key=query-secret-0815');
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      topic: 'path-secret-4711',
      title: 'kitchen is providing',
    });
  });

  test('is not signed without a secret', async () => {
    const { received, url } = await startReceiver();
    startAgent(url);
    await waitUntil(() => expect(received).toHaveLength(1));
    expect(received[0]?.headers).not.toHaveProperty('x-tributary-signature');
  });

  test('is tried again until it is taken, as the same delivery, and the next change waits its turn', async () => {
    const { received, url } = await startReceiver([503, 'nothing', 429]);
    const { state } = startAgent(url);
    state.facts = silent;
    await waitUntil(() => expect(received.length).toBeGreaterThan(0));
    state.facts = idle;
    await waitUntil(() => expect(received).toHaveLength(5));
    expect(bodies(received).map(({ to }) => to)).toEqual([...Array(4).fill('connecting'), 'idle']);
    const deliveries = received.map(({ headers }) => headers['x-tributary-delivery']);
    expect(new Set(deliveries.slice(0, 4)).size).toBe(1);
    expect(new Set(deliveries).size).toBe(2);
  });

  test('that is behind is sent the newest changes, and the one under way, which is never dropped', async () => {
    const { received, url, answerHeld } = await startReceiver(['held']);
    const agent = startAgent(url, { pace: { capacity: 3 } });
    await waitUntil(() => expect(received).toHaveLength(1));
    for (const facts of [silent, idle, silent, idle, providing]) await agent.change(facts);
    expect(received).toHaveLength(1);
    answerHeld();
    await waitUntil(() => expect(received).toHaveLength(4));
    await agent.change(idle);
    await waitUntil(() => expect(received).toHaveLength(5));
    expect(bodies(received).map(({ from, to }) => `${from} → ${to}`)).toEqual([
      'null → providing',
      'null → providing',
      'connecting → idle',
      'idle → providing',
      'providing → idle',
    ]);
  });

  test('that asks for time gets it, even if another change comes meanwhile', async () => {
    const { received, url } = await startReceiver([503], { 'retry-after': '1' });
    const agent = startAgent(url, { pace: { retry: { baseMs: 1, maxMs: 60_000 } } });
    await waitUntil(() => expect(received).toHaveLength(1));
    await agent.change(idle);
    await waitUntil(() => expect(received).toHaveLength(3));
    const [first, second] = received as [Received, Received];
    expect(second.atMs - first.atMs).toBeGreaterThanOrEqual(950);
    expect(bodies(received).map(({ to }) => to)).toEqual(['providing', 'providing', 'idle']);
  });

  test.each([400, 302, 410])(
    'that answers %i is not asked again, and not followed',
    async (status) => {
      const { received, url } = await startReceiver([status], { location: '/elsewhere' });
      const { state, log } = startAgent(url);
      await waitUntil(() => expect(log.join('')).toContain(`it answered ${status}`));
      state.facts = silent;
      await waitUntil(() => expect(received).toHaveLength(2));
      expect(received[1]?.path).toBe('/hook/path-secret-4711?key=query-secret-0815');
      expect(bodies(received).map(({ to }) => to)).toEqual(['providing', 'connecting']);
    },
  );

  test('that never takes a change is given up on, and hears of the next one', async () => {
    const { received, url } = await startReceiver(Array(12).fill(500));
    const { state, log } = startAgent(url);
    await waitUntil(() => expect(log.join('')).toContain('webhook delivery failed'));
    expect(received).toHaveLength(12);
    state.facts = silent;
    await waitUntil(() => expect(received).toHaveLength(13));
  });

  test('keeps its address out of the log, which says what is wrong once', async () => {
    const { log } = startAgent('http://127.0.0.1:1/hook/path-secret-4711?key=query-secret-0815');
    await waitUntil(() => expect(log.join('')).toContain('webhook delivery failed'));
    expect(log.join('')).toContain('ECONNREFUSED');
    expect(log.join('')).not.toMatch(/4711|0815/);
    expect(log).toHaveLength(2);
  });

  test('is called over TLS where its own certificate vouches for it', async () => {
    const own = makeCertificate();
    const { baseUrl, asked } = await startTlsService(own);
    startAgent(baseUrl, { certificateAuthority: own.certificate });
    await waitUntil(() => expect(asked).toHaveLength(1));
  });

  test('that does not answer at all keeps nobody from stopping', async () => {
    const server = createServer(() => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const asked = once(server, 'request');
    const { port } = server.address() as AddressInfo;
    const { stop, running } = startAgent(`http://127.0.0.1:${port}/`);
    await asked;
    stop.abort();
    await Promise.all(running);
  });
});

describe('what happens once', () => {
  const atCap = (bytes: number) => createFacts({ usage: { bytes } }, providing);
  /**
   * The loops of a configured agent in this state directory, and what they were answered so far.
   */
  async function startConfigured(directory: string, url: string, facts: Facts) {
    const lines: string[] = [];
    const loops = await openNotifiers({
      loaded: await loadConfig({
        environment: {
          TRIBUTARY_SERVICE_BASE_URL: 'https://service.example',
          TRIBUTARY_REPORT_WEBHOOK_URL: url,
          TRIBUTARY_STATE_DIR: directory,
        },
      }),
      facts: () => facts,
      ...uncommanded,
      names: systemNames,
      history: undefined,
      log: createLogger(
        { level: 'trace', format: 'json' },
        { isTty: false, destination: { write: (line: string) => lines.push(line) } },
      ),
      now: () => new Date(),
    });
    return { lines, end: runLoops(loops) };
  }
  const eventsOf = (received: readonly Received[]) => bodies(received).map(({ event }) => event);
  const waitForEvents = (received: readonly Received[], events: readonly string[]) =>
    waitUntil(() =>
      expect(eventsOf(received).filter((event) => event !== 'phase')).toEqual(events),
    );

  test('in a period or ever is told once, also over restarts', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tributary-told-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const { received, url } = await startReceiver();
    const first = await startConfigured(directory, url, atCap(410e9));
    await waitForEvents(received, ['cap-80', 'first-payout']);
    expect(bodies(received)[0]).toMatchObject({
      from: 'providing',
      to: 'providing',
      reason: null,
      action: null,
    });
    await waitUntil(async () =>
      expect(
        JSON.parse(await readFile(join(directory, 'told.json'), 'utf8')).data.isPayoutTold,
      ).toBe(true),
    );
    await first.end();
    const second = await startConfigured(directory, url, atCap(420e9));
    // The phase comes five seconds after the start: by then the rest would have come.
    await waitUntil(() => expect(eventsOf(received)).toContain('phase'));
    await waitForEvents(received, ['cap-80', 'first-payout']);
    await second.end();
    await startConfigured(directory, url, atCap(500e9));
    await waitForEvents(received, ['cap-80', 'first-payout', 'cap-100']);
  });

  test('is kept as told when the receiver took it', async () => {
    const { received, url } = await startReceiver();
    const kept: Told[] = [];
    startAgent(url, { told: undefined, keepTold: async (told) => void kept.push(told) });
    await waitUntil(() => expect(eventsOf(received)).toEqual(['first-payout', 'phase']));
    expect(kept).toEqual([expect.objectContaining({ isPayoutTold: true })]);
  });

  test('is not kept as told before the receiver took it', async () => {
    const { received, url } = await startReceiver([410]);
    const kept: Told[] = [];
    startAgent(url, { told: undefined, keepTold: async (told) => void kept.push(told) });
    await waitUntil(() => expect(eventsOf(received)).toEqual(['first-payout', 'phase']));
    expect(kept).toEqual([]);
  });
});
