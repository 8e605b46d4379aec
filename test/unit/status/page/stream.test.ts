import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Secret } from '../../../../src/lib/secret.ts';
import { mostStreams } from '../../../../src/status/page/stream.ts';
import { createFacts, providingFacts } from '../../../../tools/docs/sample-facts.ts';
import { ask, createStatusFixture, pageOf } from '../status-fixture.ts';

const token = 'a-token-of-twenty-four-letters';

async function startPage(refresh = vi.fn(async () => undefined)) {
  const fixture = await createStatusFixture(undefined, { refresh, pageToken: new Secret(token) });
  onTestFinished(() => fixture[Symbol.asyncDispose]());
  await fixture.start();
  return { fixture, refresh, page: pageOf(fixture.server) };
}

/** Opens a stream by hand; `paused` never reads. */
async function listen(page: string, { from = '127.0.0.1', paused = false } = {}) {
  const [host = '', port] = page.split(':');
  const client: Socket = connect({ host, port: Number(port), localAddress: from });
  onTestFinished(() => void client.destroy());
  client.on('error', () => undefined);
  await once(client, 'connect');
  let text = '';
  if (!paused) client.on('data', (chunk) => (text += chunk));
  client.write('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return {
    client,
    headers: () => text.split('\r\n\r\n')[0] ?? '',
    frames: () => [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json)),
  };
}

test('a stream tells everything at first, and then what changed', async () => {
  const { fixture, page, refresh } = await startPage();
  const stream = await listen(page);
  await expect.poll(() => stream.frames().length).toBe(1);
  expect(stream.headers()).toContain('Content-Type: text/event-stream');
  expect(stream.headers()).not.toContain('Content-Length');
  expect(stream.frames()[0]).toMatchObject({
    title: 'Sharing with everyone: kitchen - Tributary',
    now: expect.any(String),
  });
  fixture.state.facts = createFacts({ provide: { effective: 'friends' } }, providingFacts);
  await expect.poll(() => stream.frames().length).toBe(3);
  // The first tick after the beginning has nothing to compare with.
  fixture.state.facts = createFacts({ provide: { effective: 'network' } }, providingFacts);
  await expect.poll(() => stream.frames().length).toBe(4);
  const changed = Object.keys(stream.frames()[3]);
  expect(changed).toEqual(expect.arrayContaining(['title', 'live-state']));
  expect(changed).not.toContain('live-numbers');
  // One look serves every stream, and nobody looks when the last is gone.
  stream.client.destroy();
  await sleep(6_000);
  const looks = refresh.mock.calls.length;
  await sleep(6_000);
  expect(refresh.mock.calls.length).toBe(looks);
});

test('beyond the limit the oldest stream is closed, and the owner still gets in', async () => {
  const { fixture, page } = await startPage();
  const streams: Awaited<ReturnType<typeof listen>>[] = [];
  for (let index = 0; index < mostStreams + 4; index += 1) {
    streams.push(await listen(page, { from: `127.0.3.${(index % 20) + 1}` }));
  }
  await expect
    .poll(() => streams.filter(({ client }) => !client.destroyed && !client.closed).length)
    .toBe(mostStreams);
  expect(streams.slice(0, 4).every(({ client }) => client.destroyed || client.closed)).toBe(true);
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
  const done = await ask(page, '/provide', { method: 'POST', body: '{"mode":"none"}', headers });
  expect(done.status).toBe(200);
  expect(fixture.state.commands).toEqual([['none', undefined]]);
});

test('streams that nobody reads keep neither a probe waiting nor the agent from stopping', async () => {
  const { fixture, page } = await startPage();
  for (let index = 0; index < 40; index += 1)
    await listen(page, { from: `127.0.3.${(index % 20) + 1}`, paused: true });
  expect((await ask(page, '/livez')).status).toBe(200);
  const startedAtMs = performance.now();
  await fixture.server.close();
  // Waiting for them would take a minute: so long a silent connection may stay.
  expect(performance.now() - startedAtMs).toBeLessThan(30_000);
});

test('a stream is no answer to HEAD, and ends where the agent cannot be looked at', async () => {
  const { page } = await startPage(vi.fn(() => Promise.reject(new Error('torn'))));
  expect(await ask(page, '/events', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  const stream = await listen(page);
  await once(stream.client, 'close');
  expect(stream.frames()).toEqual([]);
});

test('strangers’ texts stay text in an event too', async () => {
  const hostile = '<script>alert(1)</script>\u202e\n\ndata: {}';
  const { fixture, page } = await startPage();
  fixture.state.facts = createFacts(
    { registration: { clientId: 'x', description: hostile } },
    providingFacts,
  );
  const stream = await listen(page);
  await expect.poll(() => stream.frames().length).toBe(1);
  expect(stream.frames()).toHaveLength(1);
  expect(stream.frames()[0].title).toContain('<script>alert(1)</script>');
});
