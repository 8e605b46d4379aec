import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isAbort, type TributaryError } from '../../src/errors/codes.ts';
import { Secret } from '../../src/lib/secret.ts';
import { type Attempt, createServiceClient } from '../../src/service/client.ts';
import type { Unread } from '../../src/service/unread.ts';
import {
  type Behaviour,
  inTurn,
  reset,
  sendEndlessly,
  sendHtml,
  sendJson,
  sendText,
  stallInBody,
  startNastyService,
  truncate,
} from './nasty-service.ts';
import { startAndLogIn } from './reference-caller.ts';

const token = new Secret('eyJhbGciOiJIUzI1NiJ9.eyJuZXR3b3JrX2lkIjoibiJ9.c2lnbmF0dXJl');

async function start(behave: Behaviour) {
  const service = await startNastyService(behave);
  const attempts: Attempt['outcome'][] = [];
  const client = createServiceClient({
    baseUrl: service.baseUrl,
    allowInsecureHttp: false,
    random: () => 0,
    fetchLimits: { bodyMs: 1000 },
    onAttempt: ({ outcome }) => attempts.push(outcome),
  });
  onTestFinished(async () => {
    await client.close();
    await service[Symbol.asyncDispose]();
  });
  const controller = new AbortController();
  const told: Unread[] = [];
  const clients = client.stream('clients', undefined, {
    token,
    signal: controller.signal,
    onUnread: (unread) => told.push(unread),
  });
  return { service, client, attempts, clients, controller, told };
}

/** What came of a stream: its items' ids, and what ended it. */
async function readAll(stream: AsyncIterable<{ readonly clientId: string | undefined }>) {
  const ids: (string | undefined)[] = [];
  try {
    for await (const { clientId } of stream) ids.push(clientId);
    return { ids, error: undefined };
  } catch (error) {
    return { ids, error: error as TributaryError };
  }
}

/** Every item of a stream that ends well. */
async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** Writes pieces, no faster than they are taken. */
async function writeAll(
  response: ServerResponse,
  pieces: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  const closed = once(response, 'close');
  response.writeHead(200, { 'content-type': 'application/json' });
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) {
      await Promise.race([new Promise((resolve) => response.once('drain', resolve)), closed]);
    }
  }
  response.end();
}

function* generateClients(count: number): Generator<string> {
  yield '{"clients": [';
  for (let index = 0; index < count; index += 1) {
    const client = {
      client_id: `client-${index}`,
      description: 'd'.repeat(300),
      connections: [{ client_id: 'x' }],
    };
    yield `${index === 0 ? '' : ','}${JSON.stringify(client)}`;
  }
  yield ']}';
}

describe('a stream', () => {
  it('hands out the first item before the last was sent', async () => {
    const { promise: wasSeen, resolve: see } = Promise.withResolvers<void>();
    async function* generate() {
      yield '{"clients": [{"client_id": "a", "unknown": 1}, ';
      await wasSeen;
      yield '{"client_id": "b"}]}';
    }
    const { clients } = await start((_, response) => writeAll(response, generate()));
    const ids: (string | undefined)[] = [];
    for await (const { clientId, connections } of clients) {
      ids.push(clientId);
      expect(connections).toEqual([]);
      see();
    }
    expect(ids).toEqual(['a', 'b']);
  });

  it('of fifty thousand clients takes no more memory than of a thousand', async () => {
    const { clients } = await start((_, response) => writeAll(response, generateClients(50_000)));
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const heapBytes: number[] = [];
    let count = 0;
    for await (const client of clients) {
      expect(client.clientId).toBe(`client-${count}`);
      count += 1;
      if (count % 5000 !== 1000) continue;
      collect();
      heapBytes.push(process.memoryUsage().heapUsed);
    }
    expect(count).toBe(50_000);
    expect(heapBytes).toHaveLength(10);
    const [first = 0, ...later] = heapBytes;
    // The whole answer is larger than 15 MB, its items more.
    expect(Math.max(...later) - first).toBeLessThan(3 * 1024 ** 2);
  });

  it('gives what a call gives', async () => {
    const { service, token: text, register } = await startAndLogIn();
    await register();
    await register({ description: 'attic' });
    const client = createServiceClient({ baseUrl: service.baseUrl, allowInsecureHttp: false });
    onTestFinished(() => client.close());
    const options = { token: new Secret(text), signal: new AbortController().signal };
    const { clients } = await client.call('clients', undefined, options);
    expect(clients).toHaveLength(2);
    expect(await collect(client.stream('clients', undefined, options))).toEqual(clients);
  });

  it.each([
    ['a list that is null', { clients: null }],
    ['a list that is not there', {}],
    ['an empty list', { clients: [], error: null }],
  ])('of %s has no items', async (_, body) => {
    const { clients } = await start(sendJson(body));
    expect(await readAll(clients)).toEqual({ ids: [], error: undefined });
  });

  it('sends the token and the request, and checks both first', async () => {
    const { service, client } = await start(sendJson({ client_ids: ['a', 'b'] }));
    const { signal } = new AbortController();
    const ids = await collect(client.stream('findProviders', { count: 2 }, { token, signal }));
    expect(ids).toEqual(['a', 'b']);
    expect(service.seen[0]).toMatchObject({
      body: { count: 2 },
      headers: { authorization: `Bearer ${token.reveal()}` },
    });
    const tooMuch = client.stream('findProviders', { count: 1.5 }, { token, signal });
    await expect(collect(tooMuch)).rejects.toMatchObject({ code: 'usage-invalid' });
    await expect(collect(client.stream('wallets', undefined, { signal }))).rejects.toMatchObject({
      code: 'signed-out',
    });
    expect(service.seen).toHaveLength(1);
  });

  it('that nobody reads to its end is ended', async () => {
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    const { clients } = await start((_, response) => {
      response.on('close', close);
      return writeAll(response, generateClients(1_000_000));
    });
    for await (const { clientId } of clients) {
      expect(clientId).toBe('client-0');
      break;
    }
    await closed;
  });
});

const item = '{"client_id": "a"}';
const body = (text: string): Behaviour =>
  sendText(text, 200, { 'content-type': 'application/json' });

describe('a wrong answer', () => {
  it.each<readonly [string, Behaviour, readonly string[], string]>([
    // what, answer, items before it, code
    ['a reset', reset, [], 'service-unreachable'],
    ['an answer that breaks off', truncate, [], 'answer-truncated'],
    ['an answer that stops coming', stallInBody, [], 'service-unreachable'],
    ['half a JSON text', body(`{"clients": [${item}, {"client_id": "b`), ['a'], 'answer-truncated'],
    ['a list without its end', body(`{"clients": [${item}`), ['a'], 'answer-truncated'],
    ['a portal page', sendHtml(200), [], 'answer-not-json'],
    ['a portal page that is called JSON', body('<!doctype html><p>Sign in'), [], 'answer-not-json'],
    ['a portal page that says 401', sendHtml(401), [], 'answer-not-json'],
    [
      'a redirect',
      sendText('', 302, { location: 'http://portal.example/x?session=1' }),
      [],
      'answer-redirected',
    ],
    ['a 401', sendText('Not authorized.', 401), [], 'not-authorized'],
    ['a 401 as JSON', sendJson({ error: { message: 'no' } }, 401), [], 'not-authorized'],
    ['a 404', sendText('404 page not found', 404), [], 'operation-not-served'],
    ['a 429 page', sendHtml(429), [], 'rate-limited'],
    ['a 500', sendText('Error.', 500), [], 'service-failed'],
    ['nothing at all', body(''), [], 'answer-not-json'],
    ['a list alone', body(`[${item}]`), [], 'answer-invalid'],
    ['a word in the list', body(`{"clients": [${item}, nothing`), ['a'], 'answer-not-json'],
    ['something behind the end', body(`{"clients": [${item}]}{}`), ['a'], 'answer-not-json'],
    [
      'an error before the list',
      body(`{"error": {"message": "no"}, "clients": [${item}]}`),
      [],
      'service-refused',
    ],
    [
      'an error behind the list',
      body(`{"clients": [${item}], "error": {"message": "no"}}`),
      ['a'],
      'service-refused',
    ],
    ['an error that is a text', body('{"clients": null, "error": "no"}'), [], 'service-refused'],
    ['an error of the token', body('{"error": "invalid token"}'), [], 'not-authorized'],
    ['a number in the place of the list', body('{"clients": 7}'), [], 'answer-invalid'],
    [
      'an object in the place of the list',
      body(`{"clients": {"x": ${item}}}`),
      [],
      'answer-invalid',
    ],
  ])('%s has its code', async (_, behave, ids, code) => {
    const { service, clients, attempts } = await start(behave);
    expect(await readAll(clients)).toMatchObject({ ids, error: { code } });
    expect(attempts).toHaveLength(service.seen.length);
  });

  it('that gives the token back shows none of it', async () => {
    const { client } = await start((request, response) =>
      sendJson({ clients: [], error: { message: `bad ${request.headers.authorization}` } })(
        request,
        response,
      ),
    );
    const opaque = new Secret('opaque-token');
    const stream = client.stream('clients', undefined, {
      token: opaque,
      signal: new AbortController().signal,
    });
    expect((await readAll(stream)).error?.message).toContain('bad Bearer [secret]');
  });

  it('to the opening is forgotten once a good one comes', async () => {
    const { clients, attempts } = await start(
      inTurn(reset, sendText('down', 503), body(`{"clients": [${item}]}`)),
    );
    expect(await readAll(clients)).toEqual({ ids: ['a'], error: undefined });
    expect(attempts).toEqual(['service-unreachable', 'service-failed', 'ok']);
  });

  it('behind the first item is not asked again: the item would come twice', async () => {
    const { service, clients } = await start(body(`{"clients": [${item}`));
    await readAll(clients);
    expect(service.seen).toHaveLength(1);
  });
});

describe('an item that cannot be read', () => {
  it.each([
    ['a number as its description', '{"client_id": "b", "description": 7}', ['a', 'b', 'c']],
    ['a number', '7', ['a', 'c']],
    ['nothing', 'null', ['a', 'c']],
  ])('(%s) hides no other, and is told', async (_, strange, ids) => {
    const { told, client, clients } = await start(
      body(`{"clients": [${item}, ${strange}, {"client_id": "c"}]}`),
    );
    expect(await readAll(clients)).toEqual({ ids, error: undefined });
    expect(told).toMatchObject([{ count: 1, message: expect.stringMatching(/clients\.1/) }]);
    const answer = await client.call('clients', undefined, { token });
    expect(answer.clients.map(({ clientId }) => clientId)).toEqual(ids);
  });
});

describe('an answer of any length', () => {
  const long = (bytes: number) => `{"client_id": "long", "description": "${'d'.repeat(bytes)}"}`;

  it('is taken, one MiB an item', async () => {
    const items = Array.from({ length: 8 }, () => long(1024 ** 2 - 100));
    const { clients } = await start(body(`{"clients": [${items}]}`));
    expect((await readAll(clients)).ids).toHaveLength(8);
  });

  it('is taken without an item that is longer, which is told', async () => {
    const { told, clients } = await start(
      body(`{"clients": [${item}, ${long(2 * 1024 ** 2)}, {"client_id": "b"}]}`),
    );
    expect(await readAll(clients)).toEqual({ ids: ['a', 'b'], error: undefined });
    expect(told).toMatchObject([
      { count: 1, message: expect.stringContaining('clients.1: larger') },
    ]);
  });

  it('is not taken where its error is longer', async () => {
    const message = 'x'.repeat(2 * 1024 ** 2);
    const { clients } = await start(body(`{"clients": [], "error": {"message": "${message}"}}`));
    expect((await readAll(clients)).error).toMatchObject({ code: 'answer-too-large' });
  });

  it('is not read for ever where nothing comes', async () => {
    let bytes = 0;
    const endless = sendEndlessly((sent) => {
      bytes += sent;
    });
    const { clients } = await start(endless);
    expect(await readAll(clients)).toMatchObject({ ids: [], error: { code: 'answer-too-large' } });
    expect(bytes).toBeLessThan(64 * 1024 ** 2);
  });
});

describe('an abort', () => {
  it('before the first item sends nothing', async () => {
    const { service, clients, controller } = await start(body('{}'));
    controller.abort(new Error('the owner has other plans'));
    expect(isAbort((await readAll(clients)).error)).toBe(true);
    expect(service.seen).toHaveLength(0);
  });

  it('ends the stream at once, and is not an error of the service', async () => {
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    const { clients, controller, attempts } = await start((_, response) => {
      response.on('close', close);
      return writeAll(response, generateClients(1_000_000));
    });
    let count = 0;
    const read = (async () => {
      for await (const _ of clients) {
        count += 1;
        if (count === 3) controller.abort(new Error('the owner has other plans'));
      }
    })();
    const error = await read.catch((thrown: unknown) => thrown);
    expect(isAbort(error)).toBe(true);
    expect(count).toBe(3);
    expect(attempts).toEqual(['ok']);
    await closed;
  });

  it('ends a wait for more', async () => {
    const { clients, controller } = await start((_, response) => {
      response.writeHead(200).write(`{"clients": [${item}, `);
      response.on('close', () => undefined);
    });
    const ids: (string | undefined)[] = [];
    const read = (async () => {
      for await (const { clientId } of clients) {
        ids.push(clientId);
        setImmediate(() => controller.abort());
      }
    })();
    expect(isAbort(await read.catch((thrown: unknown) => thrown))).toBe(true);
    expect(ids).toEqual(['a']);
  });
});
