import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { answerSocks, createHttpProxy } from '../../src/reference-service/proxy-protocols.ts';

/** A client that takes nothing before `take`, and a place that says its page and closes. */
function openPair() {
  const taken: Buffer[] = [];
  const waiting: (() => void)[] = [];
  let takes = false;
  const client = new Duplex({
    read: () => undefined,
    write(chunk, _, done) {
      taken.push(chunk);
      if (takes) done();
      else waiting.push(done);
    },
  });
  const remote = new Duplex({
    allowHalfOpen: false,
    read: () => undefined,
    write: (_, __, done) => done(),
  });
  remote.push('the whole page');
  remote.push(null);
  const door = {
    admit: () => 'kitchen',
    reach: () => Promise.resolve(remote),
    hold: () => undefined,
  };
  const take = () => {
    takes = true;
    for (const done of waiting.splice(0)) done();
  };
  return { client, remote, door, take, text: () => Buffer.concat(taken).toString() };
}

type Pair = ReturnType<typeof openPair>;

const ask = {
  CONNECT({ door, client }: Pair) {
    const headers = { 'proxy-authorization': 'Bearer token' };
    const incoming = { headers, url: 'page.example:80' } as IncomingMessage;
    createHttpProxy(door).emit('connect', incoming, client, Buffer.alloc(0));
  },
  SOCKS({ door, client }: Pair) {
    client.push(Buffer.from([5, 1, 2, 1, 1, 97, 1, 98, 5, 1, 0, 1, 192, 0, 2, 1, 0, 80]));
    return answerSocks(door, client);
  },
};

test.each(['CONNECT', 'SOCKS'] as const)(
  'by %s a slow client is brought all that the place said before it closed',
  async (protocol) => {
    const pair = openPair();
    const closed = once(pair.remote, 'close');
    ask[protocol](pair);
    await closed;
    pair.take();
    await once(pair.client, 'close');
    expect(pair.text()).toMatch(/the whole page$/);
  },
);

test('what a client said before it closed is brought to a slow place', async () => {
  const pair = openPair();
  // The two are the other way round: the slow end is the place.
  const door = { ...pair.door, reach: () => Promise.resolve(pair.client) };
  ask.CONNECT({ ...pair, door, client: pair.remote });
  await once(pair.remote, 'close');
  pair.take();
  await once(pair.client, 'close');
  expect(pair.text()).toBe('the whole page');
});
