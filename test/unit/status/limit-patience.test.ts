import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { closeServer } from '../../../src/status/close-server.ts';
import { limitPatience } from '../../../src/status/limit-patience.ts';
import { createStatusFixture, pageOf } from './status-fixture.ts';

afterEach(() => void vi.useRealTimers());

/** A client of a server whose clock goes on only when `pass` is called. */
async function createWorld(answer: RequestListener) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const server = createServer({ keepAliveTimeout: 0 }, answer);
  limitPatience(server);
  onTestFinished(() => closeServer(server));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const client = connect({
    host: '127.0.0.1',
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
  });
  onTestFinished(() => void client.destroy());
  await Promise.all([once(server, 'connection'), once(client, 'connect')]);
  let isClosed = false;
  client.once('close', () => {
    isClosed = true;
  });
  client.on('error', () => undefined);
  client.resume();
  return {
    server,
    client,
    isClosed: () => isClosed,
    /** What happens meanwhile is seen by the client. */
    async pass(ms: number) {
      vi.advanceTimersByTime(ms);
      const { promise, resolve } = Promise.withResolvers<void>();
      // A server that closes does so in the next round of events, and says it over the loopback.
      let rounds = 20;
      const next = () => {
        rounds -= 1;
        if (rounds === 0) resolve();
        else setImmediate(next);
      };
      next();
      await promise;
    },
  };
}

const head = 'GET / HTTP/1.1\r\nHost: localhost\r\n';

describe('a connection is closed', () => {
  test.each([
    { what: 'that says nothing', says: undefined },
    { what: 'that never ends its header', says: head },
  ])('$what, after five seconds', async ({ says }) => {
    const world = await createWorld((_, response) => void response.end());
    if (says !== undefined) world.client.write(says);
    await world.pass(4_999);
    expect(world.isClosed()).toBe(false);
    const closed = once(world.client, 'close');
    await world.pass(1);
    await closed;
  });

  test('that never ends its body, after ten seconds', async () => {
    const world = await createWorld(() => undefined);
    const asked = once(world.server, 'request');
    world.client.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{');
    await asked;
    await world.pass(9_999);
    expect(world.isClosed()).toBe(false);
    const closed = once(world.client, 'close');
    await world.pass(1);
    await closed;
  });

  test('that begins another request after an answer and never ends its header', async () => {
    const world = await createWorld((_, response) => void response.end('done'));
    const answered = once(world.client, 'data');
    world.client.write(`${head}\r\n`);
    await answered;
    await world.pass(0);
    world.client.write(head);
    await world.pass(9_999);
    expect(world.isClosed()).toBe(false);
    const closed = once(world.client, 'close');
    await world.pass(1);
    await closed;
  });
});

test('an answer may take as long as it needs', async () => {
  const world = await createWorld((request) => {
    request.resume();
  });
  const asked = once(world.server, 'request');
  world.client.write(`${head}\r\n`);
  await asked;
  await world.pass(3_600_000);
  expect(world.isClosed()).toBe(false);
});

test('without a connection, an open page and socket have no timer that comes again', async () => {
  const eachMs: number[] = [];
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      // Node's own timers are found in no other way.
      const { _repeat: repeat } = resource as { readonly _repeat?: number | null };
      if (type === 'Timeout' && typeof repeat === 'number') eachMs.push(repeat);
    },
  });
  hook.enable();
  onTestFinished(() => {
    hook.disable();
  });
  const fixture = await createStatusFixture();
  onTestFinished(() => fixture[Symbol.asyncDispose]());
  await fixture.start();
  expect(pageOf(fixture.server)).not.toBe('');
  expect(eachMs.filter((ms) => ms < 3_600_000)).toEqual([]);
});
