import { createServer } from 'node:http';
import { type AddressInfo, createServer as createLine, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { PostOutcome } from '../../../src/connect/control/http-exchange.ts';
import { createHttpPost } from '../../../src/connect/control/http-post.ts';

const never = new AbortController().signal;

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

function postTo(port: number, token: () => string | undefined = () => 'good') {
  const outcomes: PostOutcome[] = [];
  const url = `http://127.0.0.1:${port}/connect/control`;
  const onOutcome = (outcome: PostOutcome) => void outcomes.push(outcome);
  return { post: createHttpPost({ url, token, onOutcome }), outcomes };
}

test('an answer is given with its status, and the token and the text are sent', async () => {
  const seen: unknown[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { method, url, headers } = request;
    seen.push([
      method,
      url,
      headers.authorization,
      headers['content-type'],
      `${Buffer.concat(parts)}`,
    ]);
    response.writeHead(402).end('ä'.repeat(3));
  });
  const { post, outcomes } = postTo(await listen(server));
  expect(await post('{"pack":"ä"}', never)).toEqual({
    kind: 'answered',
    status: 402,
    text: 'äää',
  });
  expect(seen).toEqual([
    ['POST', '/connect/control', 'Bearer good', 'application/json', '{"pack":"ä"}'],
  ]);
  expect(outcomes).toEqual([{ kind: 'answered', status: 402 }]);
  server.closeAllConnections();
});

test('where no connection was made, nothing was sent', async () => {
  const { post, outcomes } = postTo(9);
  expect(await post('{}', never)).toMatchObject({ kind: 'not-sent' });
  expect(outcomes).toMatchObject([{ kind: 'failed', error: { code: 'ECONNREFUSED' } }]);
  const secure = createHttpPost({
    url: `https://127.0.0.1:${await listen(createServer())}/`,
    token: () => 'good',
    onOutcome: () => undefined,
  });
  expect(await secure('{}', never)).toMatchObject({ kind: 'not-sent' });
});

test('what is broken off after that may have been carried out', async () => {
  const ends = createLine((socket) => socket.once('data', () => socket.destroy()));
  expect(await postTo(await listen(ends)).post('{}', never)).toMatchObject({ kind: 'lost' });
  const halves = createLine((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')),
  );
  expect(await postTo(await listen(halves)).post('{}', never)).toMatchObject({ kind: 'lost' });
});

test('an answer without end is broken off', async () => {
  const server = createServer((_, response) => {
    const more = (): void => {
      if (!response.destroyed) response.write(Buffer.alloc(65_536), more);
    };
    more();
  });
  const answer = await postTo(await listen(server)).post('{}', never);
  expect(answer).toEqual({ kind: 'lost', message: 'the answer is too long' });
  server.closeAllConnections();
});

test('what is given up says nothing of the service, and without a token nothing is asked', async () => {
  const stop = new AbortController();
  const server = createServer(() => stop.abort());
  const { post, outcomes } = postTo(await listen(server));
  expect(await post('{}', stop.signal)).toMatchObject({ kind: 'lost' });
  expect(await post('{}', stop.signal)).toMatchObject({ kind: 'not-sent' });
  const without = postTo(9, () => undefined);
  expect(await without.post('{}', never)).toMatchObject({ kind: 'not-sent' });
  expect([...outcomes, ...without.outcomes]).toEqual([]);
  server.closeAllConnections();
});

test('one that waits for a connection when it is given up was not sent', async () => {
  const stop = new AbortController();
  let asked = 0;
  const server = createServer(() => {
    asked++;
    if (asked === 16) stop.abort();
  });
  const { post } = postTo(await listen(server));
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('{}', stop.signal)));
  expect(answers.filter(({ kind }) => kind === 'lost')).toHaveLength(16);
  expect(answers.filter(({ kind }) => kind === 'not-sent')).toHaveLength(4);
  server.closeAllConnections();
});
