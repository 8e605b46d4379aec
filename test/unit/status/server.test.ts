import { createHook } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { dirname } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { TributaryError } from '../../../src/errors/codes.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { buildStatusDocument } from '../../../src/status/document.ts';
import { bodyLimitBytes } from '../../../src/status/handler.ts';
import type { ReadHistory } from '../../../src/status/source.ts';
import {
  ago,
  createFacts,
  freshFacts,
  now,
  providingFacts,
} from '../../../tools/docs/sample-facts.ts';
import { createHistoryRow } from './sample-past.ts';
import { ask, createStatusFixture, pageOf, type StatusFixture } from './status-fixture.ts';

async function startPage(fixture: StatusFixture): Promise<string> {
  await fixture.start();
  return pageOf(fixture.server);
}

describe('the page', () => {
  test('serves the status, the metrics and itself, never to be stored', async () => {
    await using fixture = await createStatusFixture();
    const page = await startPage(fixture);
    const status = await ask(page, '/status.json');
    expect(JSON.parse(status.text)).toEqual(buildStatusDocument(providingFacts, now));
    expect(status.headers['cache-control']).toBe('no-store');
    expect(status.headers['access-control-allow-origin']).toBeUndefined();
    expect(status.headers['tributary-version']).toBeUndefined();
    expect((await ask(fixture.socketPath, '/livez')).headers['tributary-version']).toBe(
      providingFacts.version,
    );
    expect((await ask(page, '/metrics?x=1')).text).toBe('tributary_gateway_open 1\n');
    expect((await ask(page, '/')).text).toContain('Sharing with everyone');
  });

  test.each([
    { change: {}, status: 200, says: 'providing' },
    { change: { provide: { effective: 'none' } }, status: 200, says: 'idle' },
    {
      change: { tunnel: { lastHandshakeAt: ago(900) } },
      status: 503,
      says: 'connecting: no-handshake: ',
    },
  ] as const)('is ready with $status when $says', async ({ change, status, says }) => {
    await using fixture = await createStatusFixture();
    const page = await startPage(fixture);
    fixture.state.facts = createFacts(change);
    const readiness = await ask(page, '/readyz');
    expect(readiness.status).toBe(status);
    expect(readiness.text).toContain(says);
  });

  test.each(['/', '/status.json', '/livez', '/readyz'])(
    'answers %s with 500 where its code throws, counts it, and goes on',
    async (path) => {
      await using fixture = await createStatusFixture();
      const page = await startPage(fixture);
      const { facts } = fixture.state;
      const throwing = () => {
        throw new TypeError('a bug');
      };
      Object.defineProperty(fixture.state, 'facts', { configurable: true, get: throwing });
      expect((await ask(page, path)).status).toBe(500);
      expect(fixture.state.failures).toHaveLength(1);
      Object.defineProperty(fixture.state, 'facts', { value: facts, writable: true });
      expect((await ask(page, '/readyz')).status).toBe(200);
    },
  );

  test('is alive while the loops go round, also where nothing works yet', async () => {
    await using fixture = await createStatusFixture();
    const page = await startPage(fixture);
    fixture.state.facts = freshFacts;
    expect((await ask(page, '/livez')).status).toBe(200);
    fixture.state.stalledLoops = ['keep-alive'];
    expect(await ask(page, '/livez')).toMatchObject({ status: 503, text: 'stalled: keep-alive\n' });
  });

  test('is not alive while it stops for too long, and for no other trouble', async () => {
    await using fixture = await createStatusFixture();
    const page = await startPage(fixture);
    fixture.state.isHealthy = false;
    expect((await ask(page, '/livez')).status).toBe(200);
    fixture.state.facts = createFacts({ stoppingSince: ago(100) });
    expect((await ask(page, '/livez')).status).toBe(503);
    fixture.state.isHealthy = true;
    expect((await ask(page, '/livez')).status).toBe(200);
  });

  test('loads its script, its style and its sign from here, as they were made', async () => {
    await using fixture = await createStatusFixture();
    const page = await startPage(fixture);
    const { text } = await ask(page, '/');
    expect(text).not.toMatch(/(src|href)="(?!\/)/);
    for (const [path, type] of [
      ['/page.js', 'text/javascript'],
      ['/page.css', 'text/css'],
    ] as const) {
      const [, address = '', integrity] =
        new RegExp(`"(${path}\\?v=[\\w-]+)" integrity="([^"]*)"`).exec(text) ?? [];
      const asset = await ask(page, address);
      expect(asset.headers['content-type']).toContain(type);
      expect(integrity).toBe(`sha256-${createHash('sha256').update(asset.text).digest('base64')}`);
      expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      // A name that says nothing of a version, or another one, must not keep what is there now.
      for (const other of [path, `${path}?v=other`]) {
        expect((await ask(page, other)).headers['cache-control']).toBe('no-store');
      }
    }
    expect((await ask(page, '/page.svg')).headers['content-type']).toBe('image/svg+xml');
    expect((await ask(page, '/page.svg?tone=bad')).text).toContain('#c5281c');
    expect((await ask(page, '/page.svg?tone=constructor')).text).toContain('#0b6e8f');
    const manifest = JSON.parse((await ask(page, '/page.webmanifest')).text);
    for (const { src } of manifest.icons) expect((await ask(page, src)).status).toBe(200);
  });

  test('is compressed for browsers that can read that', async () => {
    await using fixture = await createStatusFixture();
    const page = await startPage(fixture);
    const plain = await ask(page, '/');
    for (const path of ['/', '/page.css', '/page.js']) {
      const packed = await ask(page, path, { headers: { 'Accept-Encoding': 'br, gzip;q=0.8' } });
      expect([path, packed.headers['content-encoding'], packed.headers.vary]).toEqual([
        path,
        'gzip',
        'Accept-Encoding',
      ]);
      expect(Number(packed.headers['content-length'])).toBeLessThan(12_000);
      const unpacked = gunzipSync(packed.bytes).toString();
      if (path === '/') expect(unpacked).toBe(plain.text);
    }
    for (const encoding of ['identity', 'gzip;q=0', 'gzip; q=0.0, br']) {
      const { headers } = await ask(page, '/', { headers: { 'Accept-Encoding': encoding } });
      expect([encoding, headers['content-encoding']]).toEqual([encoding, undefined]);
    }
  });

  test('hands out parts of itself, those that are asked for and are there', async () => {
    await using fixture = await createStatusFixture();
    const { text } = await ask(await startPage(fixture), '/?parts=numbers,constructor,events');
    expect([...text.matchAll(/id="live-(\w+)"/g)].map(([, name]) => name)).toEqual([
      'numbers',
      'events',
    ]);
  });

  test('allows nothing inline, nothing from elsewhere and no frame around it', async () => {
    await using fixture = await createStatusFixture();
    const { headers } = await ask(await startPage(fixture), '/');
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy.join()).not.toMatch(/unsafe|\*|http|data:/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  test('tells what was shared by the hour and by the day', async () => {
    const row = createHistoryRow(Date.parse('2026-03-14T11:00:00Z'), {
      providingSeconds: 3600,
      upBytes: 5,
      downBytes: 3,
      refusedPackets: 1,
      peakBytesPerSecond: 2,
      serviceBytes: 8,
    });
    const questions: unknown[] = [];
    const history: ReadHistory = (question) => {
      questions.push(question);
      return [row];
    };
    await using fixture = await createStatusFixture(undefined, { history });
    const page = await startPage(fixture);
    const answer = await ask(page, '/history.json?unit=hour&since=2026-03-14T10:00:00Z');
    const { startMs: _startMs, servicePayoutUsdc: _payout, ...counted } = row;
    expect(JSON.parse(answer.text)).toEqual({
      version: 1,
      unit: 'hour',
      since: '2026-03-14T10:00:00.000Z',
      kept: true,
      rows: [{ start: '2026-03-14T11:00:00.000Z', ...counted, serviceOnlineSeconds: null }],
    });
    expect(questions).toEqual([{ unit: 'hour', sinceMs: Date.parse('2026-03-14T10:00:00Z') }]);
  });

  test.each([
    'unit=week',
    'since=yesterday',
    'unit=hour&since=2020-01-01T00:00:00Z',
    'unit=day&since=1990-01-01T00:00:00Z',
  ])('does not tell of %s', async (query) => {
    await using fixture = await createStatusFixture();
    const refused = await ask(await startPage(fixture), `/history.json?${query}`);
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 'usage-invalid' } });
  });

  test('says that no ledger is kept', async () => {
    await using fixture = await createStatusFixture();
    const answer = await ask(await startPage(fixture), '/history.json');
    expect(JSON.parse(answer.text)).toMatchObject({ unit: 'hour', kept: false, rows: [] });
  });

  test('sets the mode only for a request with its token', async () => {
    const pageToken = new Secret('a-token-of-twenty-four-letters');
    await using fixture = await createStatusFixture(undefined, { pageToken });
    const page = await startPage(fixture);
    const order = (headers: Readonly<Record<string, string>>) =>
      ask(page, '/provide', { method: 'POST', body: '{"mode":"none","forSeconds":60}', headers });
    const json = { 'Content-Type': 'application/json' };
    expect((await order(json)).status).toBe(401);
    expect((await order({ ...json, Authorization: 'Bearer wrong' })).status).toBe(401);
    const authorization = { ...json, Authorization: `Bearer ${pageToken.reveal()}` };
    expect((await order({ ...authorization, Origin: 'http://evil.example' })).status).toBe(403);
    expect(fixture.state.commands).toEqual([]);
    const done = await order(authorization);
    expect(JSON.parse(done.text)).toMatchObject({ override: { mode: 'none' }, effective: 'none' });
    expect(done.headers['access-control-allow-origin']).toBeUndefined();
    expect(fixture.state.commands).toEqual([['none', 60]]);
    expect((await ask(page, '/provide', { method: 'OPTIONS' })).status).toBe(405);
  });

  test('lists and changes settings for the token alone, and for no other site', async () => {
    await using fixture = await createStatusFixture(undefined, {
      pageToken: new Secret('a-token-of-twenty-four-letters'),
    });
    await fixture.start();
    const changes: unknown[] = [];
    fixture.state.changeSetting = async (change) => void changes.push(change);
    const change = { key: 'provide.cap.bytes', text: '500 GB' };
    const order = (more: Readonly<Record<string, string>>, body: unknown = { change }) =>
      ask(pageOf(fixture.server), '/settings', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json', ...more },
      });
    const known = { Authorization: 'Bearer a-token-of-twenty-four-letters' };
    expect((await order({})).status).toBe(401);
    expect((await order({}, {})).text).not.toContain('provide.mode');
    expect((await order({ ...known, Origin: 'http://evil.example' })).status).toBe(403);
    expect((await order({ ...known, 'Content-Type': 'text/plain' })).status).toBe(415);
    expect(changes).toEqual([]);
    expect((await order(known, { change: { key: change.key } })).status).toBe(400);
    expect(changes).toEqual([]);
    const { status, text } = await order(known);
    expect([status, JSON.parse(text).settings.length]).toEqual([200, 4]);
    expect(changes).toEqual([change]);
  });

  test('tells the log and restarts for the token alone, where somebody starts it again', async () => {
    const restarts: unknown[] = [];
    const started = Promise.withResolvers<void>();
    const logLines = () => [{ at: new Date('2026-05-04T12:00:05Z'), text: 'info  tunnel is up' }];
    for (const restart of [undefined, () => void restarts.push(started.resolve())]) {
      await using fixture = await createStatusFixture(undefined, {
        pageToken: new Secret('a-token-of-twenty-four-letters'),
        logLines,
      });
      fixture.state.restart = restart;
      await fixture.start();
      const order = (path: string, token: string) =>
        ask(pageOf(fixture.server), path, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        });
      for (const path of ['/log', '/restart'])
        expect((await order(path, 'another')).status).toBe(401);
      const known = 'a-token-of-twenty-four-letters';
      expect(JSON.parse((await order('/log', known)).text)).toEqual({
        lines: [expect.stringMatching(/^\d\d:00:05 info {2}tunnel is up$/)],
        canRestart: restart !== undefined,
      });
      const { status, text } = await order('/restart', known);
      if (restart === undefined)
        expect([status, text]).toEqual([422, expect.stringContaining('nobody')]);
      else await started.promise;
    }
    expect(restarts).toHaveLength(1);
  });

  test.each([
    '/provide',
    '/settings',
    '/log',
    '/restart',
    '/reload',
    '/self-test',
    '/health',
    '/configuration',
  ])('has no %s', async (path) => {
    await using fixture = await createStatusFixture();
    const page = await startPage(fixture);
    expect((await ask(page, path, { method: 'POST', body: '{"mode":"public"}' })).status).toBe(404);
    expect(fixture.state.commands).toEqual([]);
  });

  test('only reads', async () => {
    await using fixture = await createStatusFixture();
    const page = await startPage(fixture);
    expect(await ask(page, '/status.json', { method: 'POST' })).toMatchObject({
      status: 405,
      headers: { allow: 'GET' },
    });
    expect(await ask(page, '/status.json', { method: 'HEAD' })).toMatchObject({
      status: 200,
      text: '',
    });
  });

  test('answers no name that a stranger may have pointed at it, whatever is asked', async () => {
    await using fixture = await createStatusFixture(undefined, {
      pageToken: new Secret('token of the page'),
    });
    const page = await startPage(fixture);
    const headers = {
      'Content-Type': 'application/json',
      Authorization: 'Bearer token of the page',
    };
    const order = { method: 'POST', body: '{"mode":"none"}', headers, host: 'evil.example:9469' };
    expect((await ask(page, '/provide', order)).status).toBe(421);
    expect(fixture.state.commands).toEqual([]);
    for (const path of ['/', '/status.json', '/metrics', '/livez', '/history.json']) {
      const refused = await ask(page, path, { host: 'evil.example:9469' });
      expect(refused).toMatchObject({
        status: 421,
        text: expect.stringContaining('status.allowed_hosts'),
      });
    }
  });

  test('refuses a request with two hosts, whichever of them it knows', async () => {
    await using fixture = await createStatusFixture();
    const [host = '', port] = (await startPage(fixture)).split(':');
    for (const names of [
      ['localhost', 'evil.example'],
      ['evil.example', 'localhost'],
      ['localhost', 'localhost'],
    ]) {
      const socket = connect(Number(port), host);
      const lines = names.map((name) => `Host: ${name}`);
      socket.end(['GET /status.json HTTP/1.1', ...lines, 'Connection: close', '', ''].join('\r\n'));
      const answer = Buffer.concat(await socket.toArray()).toString();
      expect(answer.split('\r\n')[0]).toBe('HTTP/1.1 400 Bad Request');
    }
  });

  test('refuses a stranger before it has read what the stranger sends', async () => {
    await using fixture = await createStatusFixture();
    const [host = '', port] = (await startPage(fixture)).split(':');
    const socket = connect(Number(port), host);
    const head = ['POST /provide HTTP/1.1', 'Host: evil.example', 'Content-Length: 100', '', ''];
    socket.write(head.join('\r\n'));
    const [answer] = await once(socket, 'data');
    expect(String(answer).split('\r\n')[0]).toBe('HTTP/1.1 421 Misdirected Request');
    socket.destroy();
  });

  test.each([
    'raspberrypi.local:9469',
    'tributary:9469',
    'kitchen.example.org:9469',
    'proxy.example.net',
  ])('answers by the name %s', async (host) => {
    await using fixture = await createStatusFixture();
    const page = await startPage(fixture);
    expect((await ask(page, '/status.json', { host })).status).toBe(200);
    expect((await ask(page, '/status.json', { host: page })).status).toBe(200);
  });

  test('survives bytes that are no request', async () => {
    await using fixture = await createStatusFixture();
    const page = await startPage(fixture);
    const [host, port] = page.split(':');
    const client = connect(Number(port), host);
    client.end('\u0000\u0001 nonsense\r\n\r\n');
    client.resume();
    await once(client, 'close');
    expect((await ask(page, '/livez')).status).toBe(200);
  });

  test('goes without an address that is in use, and says so', async () => {
    await using holder = await createStatusFixture();
    const taken = Number((await startPage(holder)).split(':')[1]);
    await using fixture = await createStatusFixture({ host: '127.0.0.1', port: taken });
    await fixture.start();
    expect(fixture.server.pageAddress()).toBeUndefined();
    expect(fixture.state.pageProblems.map(({ code }) => code)).toEqual(['configuration-invalid']);
    expect(fixture.state.pageProblems[0]?.message).toContain(`127.0.0.1:${taken}`);
    expect((await ask(fixture.socketPath, '/livez')).status).toBe(200);
  });

  test('listens as soon as its address is free, and says once that it is not', async () => {
    const holder = await createStatusFixture();
    const taken = Number((await startPage(holder)).split(':')[1]);
    await using fixture = await createStatusFixture({ host: '127.0.0.1', port: taken });
    expect(await fixture.server.keepOpen()).toEqual(['socket']);
    expect(await fixture.server.keepOpen()).toEqual([]);
    expect(fixture.state.pageProblems).toHaveLength(1);
    await holder[Symbol.asyncDispose]();
    expect(await fixture.server.keepOpen()).toEqual(['page']);
    expect((await ask(`127.0.0.1:${taken}`, '/livez')).status).toBe(200);
  });

  test('is off where none is wanted', async () => {
    await using fixture = await createStatusFixture('no-page');
    await fixture.start();
    expect(await ask(fixture.socketPath, '/status.json')).toMatchObject({ status: 200 });
    expect(fixture.server.pageAddress()).toBeUndefined();
    expect(fixture.state.pageProblems).toEqual([]);
  });
});

describe('the socket', () => {
  test("is the owner's alone", async () => {
    await using fixture = await createStatusFixture();
    await fixture.start();
    expect((await stat(fixture.socketPath)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(fixture.socketPath))).mode & 0o777).toBe(0o700);
  });

  test('has readers beside it where its folder lets a group in, who give no orders', async () => {
    await using fixture = await createStatusFixture('no-page');
    const readers = `${fixture.socketPath}.read`;
    await fixture.start();
    await expect(stat(readers)).rejects.toMatchObject({ code: 'ENOENT' });
    await chmod(dirname(fixture.socketPath), 0o710);
    await fixture.start();
    expect((await stat(readers)).mode & 0o777).toBe(0o660);
    expect((await stat(fixture.socketPath)).mode & 0o777).toBe(0o600);
    for (const path of ['/status.json', '/health', '/metrics', '/history.json'])
      expect([path, (await ask(readers, path)).status]).toEqual([path, 200]);
    for (const path of ['/provide', '/reload', '/self-test', '/settings', '/restart', '/log']) {
      const body = '{"mode":"none"}';
      expect([path, (await ask(readers, path, { method: 'POST', body })).status]).toEqual([
        path,
        404,
      ]);
    }
    expect(fixture.state.commands).toEqual([]);
    await fixture.server.close();
    await expect(stat(readers)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('sets a mode for a while and takes it back', async () => {
    await using fixture = await createStatusFixture();
    await fixture.start();
    const set = await ask(fixture.socketPath, '/provide', {
      method: 'POST',
      body: '{"mode":"friends","forSeconds":60}',
    });
    expect(JSON.parse(set.text)).toMatchObject({
      override: { mode: 'friends' },
      effective: 'friends',
    });
    const limited = '{"mode":"public","limitBitsPerSecond":10000000}';
    expect(
      (await ask(fixture.socketPath, '/provide', { method: 'POST', body: limited })).status,
    ).toBe(200);
    const cleared = await ask(fixture.socketPath, '/provide', {
      method: 'POST',
      body: '{"mode":null}',
    });
    expect(JSON.parse(cleared.text)).toMatchObject({ override: null });
    expect(fixture.state.commands).toEqual([
      ['friends', 60],
      ['public', undefined, 10_000_000],
      ['cleared', undefined],
    ]);
  });

  test.each([
    { body: '', claim: 'nothing' },
    { body: '{', claim: 'half a document' },
    { body: '[]', claim: 'a list' },
    { body: '{}', claim: 'no mode' },
    { body: '{"mode":4}', claim: 'a number' },
    { body: '{"mode":"Public"}', claim: 'an unknown mode' },
    { body: '{"mode":"public","forSeconds":0}', claim: 'no time at all' },
    { body: '{"mode":"public","forSeconds":1e300}', claim: 'more time than there is' },
    { body: '{"mode":"public","forSeconds":99999999}', claim: 'years' },
    { body: '{"mode":"public","for":"2h"}', claim: 'an unknown key' },
    { body: '{"mode":"public","limitBitsPerSecond":0}', claim: 'a limit of zero' },
    { body: '{"mode":"public","limitBitsPerSecond":63999}', claim: 'a limit below the least' },
    {
      body: '{"mode":"public","limitBitsPerSecond":100000000001}',
      claim: 'a limit beyond all lines',
    },
    { body: '{"mode":"public","limitBitsPerSecond":"10 Mbit"}', claim: 'a limit as text' },
  ])('refuses $claim and changes nothing', async ({ body }) => {
    await using fixture = await createStatusFixture();
    await fixture.start();
    const refused = await ask(fixture.socketPath, '/provide', { method: 'POST', body });
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: 'usage-invalid' } });
    expect(fixture.state.commands).toEqual([]);
  });

  test('refuses a body over its limit and goes on', async () => {
    await using fixture = await createStatusFixture();
    await fixture.start();
    const body = JSON.stringify({ mode: 'public', padding: 'x'.repeat(bodyLimitBytes) });
    expect((await ask(fixture.socketPath, '/provide', { method: 'POST', body })).status).toBe(413);
    expect((await ask(fixture.socketPath, '/livez')).status).toBe(200);
  });

  test('hands on why a reload was refused, and hides what a bug says', async () => {
    await using fixture = await createStatusFixture();
    await fixture.start();
    fixture.state.reload = () =>
      Promise.reject(new TributaryError('configuration-invalid', 'provide.mode: no'));
    const refused = await ask(fixture.socketPath, '/reload', { method: 'POST' });
    expect(refused.status).toBe(422);
    expect(JSON.parse(refused.text)).toMatchObject({
      error: {
        code: 'configuration-invalid',
        message: 'provide.mode: no',
        action: expect.stringContaining('config check'),
      },
    });
    fixture.state.reload = () => Promise.reject(new Error('key AAAA'));
    const bug = await ask(fixture.socketPath, '/reload', { method: 'POST' });
    expect(bug.status).toBe(500);
    expect(bug.text).not.toContain('AAAA');
    const gone = Object.assign(new Error('AAAA'), { code: 'MODULE_NOT_FOUND' });
    fixture.state.reload = () => Promise.reject(gone);
    const partial = await ask(fixture.socketPath, '/reload', { method: 'POST' });
    expect([partial.status, partial.text]).toEqual([
      500,
      expect.stringContaining('Start the agent again'),
    ]);
    expect(partial.text).not.toContain('AAAA');
  });

  test.each(['the file', 'its folder'])('is opened again where %s was removed', async (what) => {
    await using fixture = await createStatusFixture('no-page');
    await fixture.start();
    const [asked, reloads] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    fixture.state.reload = () => {
      asked.resolve();
      return reloads.promise;
    };
    const waiting = ask(fixture.socketPath, '/reload', { method: 'POST' });
    await asked.promise;
    await rm(what === 'the file' ? fixture.socketPath : dirname(fixture.socketPath), {
      recursive: true,
    });
    expect(await fixture.server.keepOpen()).toEqual(['socket']);
    expect(await fixture.server.keepOpen()).toEqual([]);
    expect((await ask(fixture.socketPath, '/livez')).status).toBe(200);
    expect((await stat(fixture.socketPath)).mode & 0o777).toBe(0o600);
    reloads.resolve();
    expect((await waiting).status).toBe(200);
  });

  test('is found to be there without any other thread, each of which would wake the process', async () => {
    await using fixture = await createStatusFixture('no-page');
    await fixture.start();
    const asked: string[] = [];
    const hook = createHook({
      init(_id, type) {
        if (type.startsWith('FS') || type === 'FILEHANDLE') asked.push(type);
      },
    }).enable();
    expect(await fixture.server.keepOpen()).toEqual([]);
    hook.disable();
    expect(asked).toEqual([]);
  });

  test('is left to another agent that took its place', async () => {
    await using fixture = await createStatusFixture('no-page');
    await fixture.start();
    await rm(fixture.socketPath);
    const other = createServer().listen(fixture.socketPath);
    await once(other, 'listening');
    await expect(fixture.server.keepOpen()).rejects.toMatchObject({ code: 'already-running' });
    other.close();
  });

  test('that a dead process left behind is replaced', async () => {
    await using fixture = await createStatusFixture('no-page');
    await leaveStaleSocket(fixture.socketPath);
    await fixture.start();
    expect((await ask(fixture.socketPath, '/livez')).status).toBe(200);
  });

  test('that another agent answers on is left to it', async () => {
    await using fixture = await createStatusFixture('no-page');
    await mkdir(dirname(fixture.socketPath), { recursive: true });
    const other = createServer((client) => client.destroy()).listen(fixture.socketPath);
    await once(other, 'listening');
    await expect(fixture.start()).rejects.toMatchObject({ code: 'already-running' });
    expect((await stat(fixture.socketPath)).isSocket()).toBe(true);
    other.close();
  });

  test('does not replace a file that is no socket', async () => {
    await using fixture = await createStatusFixture('no-page');
    await mkdir(dirname(fixture.socketPath), { recursive: true });
    await writeFile(fixture.socketPath, 'keep me');
    await expect(fixture.start()).rejects.toMatchObject({ code: 'state-unwritable' });
    expect((await stat(fixture.socketPath)).size).toBe(7);
  });

  test('is gone after closing', async () => {
    await using fixture = await createStatusFixture();
    await fixture.start();
    await fixture.server.close();
    await expect(stat(fixture.socketPath)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

/**
 * A bound socket without a process, as kill -9 leaves it: bound here under another name, so that
 * closing misses it.
 */
async function leaveStaleSocket(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const server = createServer().listen(`${path}.before`);
  await once(server, 'listening');
  await rename(`${path}.before`, path);
  server.close();
  await once(server, 'close');
}
