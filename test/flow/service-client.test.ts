import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasCode, isAbort, type TributaryError } from '../../src/errors/codes.ts';
import { Secret } from '../../src/lib/secret.ts';
import {
  type Attempt,
  createServiceClient,
  type ServiceClientOptions,
} from '../../src/service/client.ts';
import {
  type Behaviour,
  inTurn,
  reset,
  sendBytes,
  sendEndlessly,
  sendHtml,
  sendJson,
  sendText,
  stall,
  stallInBody,
  startNastyService,
  truncate,
} from './nasty-service.ts';

const token = new Secret('eyJhbGciOiJIUzI1NiJ9.eyJuZXR3b3JrX2lkIjoibiJ9.c2lnbmF0dXJl');
const fine = sendJson({ clients: null });
/** An answer as it is sent, with this among its headers. */
const plain = (headers: string) =>
  `HTTP/1.1 200 OK\r\n${headers}content-length: 14\r\n\r\n{"clients":[]}`;

async function start(behave: Behaviour, options: Partial<ServiceClientOptions> = {}) {
  const service = await startNastyService(behave);
  const attempts: Attempt[] = [];
  const client = createServiceClient({
    baseUrl: service.baseUrl,
    allowInsecureHttp: false,
    random: () => 0,
    onAttempt: (attempt) => attempts.push(attempt),
    ...options,
  });
  onTestFinished(async () => {
    await client.close();
    await service[Symbol.asyncDispose]();
  });
  const { signal } = new AbortController();
  const callClients = () => client.call('clients', undefined, { token, signal });
  const createClient = () => client.call('authClient', { description: 'shed' }, { token, signal });
  return { service, client, attempts, callClients, createClient, signal };
}

async function failureOf(call: Promise<unknown>): Promise<TributaryError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Error);
  return error as TributaryError;
}

describe('a call', () => {
  it('tells the time of the service, of each answer that names one', async () => {
    const dates: number[] = [];
    const at = Date.UTC(2031, 0, 2, 3, 4, 5);
    const withoutDate: Behaviour = (request, response) => {
      response.sendDate = false;
      return fine(request, response);
    };
    const { callClients, createClient } = await start(
      inTurn(
        sendJson({ error: { message: 'no' } }, 401, { date: new Date(at).toUTCString() }),
        sendJson({ clients: null }, 200, { date: new Date(at + 1000).toUTCString() }),
        sendJson({ clients: null }, 200, { date: 'yesterday' }),
        withoutDate,
      ),
      { onDate: (ms) => void dates.push(ms) },
    );
    await failureOf(createClient());
    for (let times = 0; times < 3; times += 1) await callClients();
    expect(dates).toEqual([at, at + 1000]);
  });

  it('sends the token, the wire names, and asks for no compression', async () => {
    const { service, createClient } = await start(
      sendJson({ by_client_jwt: 'a.b.c', error: null }),
    );
    const answer = await createClient();
    expect(answer.byClientJwt?.reveal()).toBe('a.b.c');
    const [request] = service.seen;
    expect(request?.body).toEqual({ description: 'shed' });
    expect(request?.headers.authorization).toBe(`Bearer ${token.reveal()}`);
    expect(request?.headers['accept-encoding']).toBeUndefined();
  });

  it('sends no token to an operation that shows none', async () => {
    const { service, client, signal } = await start(sendJson({ by_jwt: 'a.b.c' }));
    await client.call('codeLogin', { authCode: new Secret('-code') }, { token, signal });
    expect(service.seen[0]?.headers.authorization).toBeUndefined();
    expect(service.seen[0]?.body).toEqual({ auth_code: '-code' });
  });

  it('keeps the path of the base URL', async () => {
    const { service } = await start(fine);
    const client = createServiceClient({
      baseUrl: `${service.baseUrl}/api/v1/`,
      allowInsecureHttp: false,
    });
    onTestFinished(() => client.close());
    await client.call('clients', undefined, { token, signal: new AbortController().signal });
    expect(service.seen[0]?.path).toBe('/api/v1/network/clients');
  });

  it('takes only what it needs: neither a signal nor a word on TLS', async () => {
    const { service } = await start(fine);
    const client = createServiceClient({ baseUrl: service.baseUrl });
    onTestFinished(() => client.close());
    await client.call('clients', undefined, { token });
    await client.call('findLocations', { query: 'berlin' });
    expect(service.seen.map(({ path }) => path)).toEqual([
      '/network/clients',
      '/network/find-locations',
    ]);
  });

  it('refuses an operation that is not in the interface', async () => {
    const { service, client, signal } = await start(fine);
    const unknown = client.call('clientz' as 'clients', undefined, { token, signal });
    expect(await failureOf(unknown)).toMatchObject({
      code: 'usage-invalid',
      message: expect.stringContaining('clientz'),
    });
    expect(service.seen).toEqual([]);
  });

  it('without a token where one is needed goes nowhere', async () => {
    const { service, client, signal } = await start(fine);
    expect(await failureOf(client.call('clients', undefined, { signal }))).toMatchObject({
      code: 'signed-out',
    });
    expect(service.seen).toHaveLength(0);
  });

  it('with a token that would break the header goes nowhere, and does not show it', async () => {
    const { service, client, signal } = await start(fine);
    const bad = new Secret('abc\r\nx-other: 1');
    const error = await failureOf(client.call('clients', undefined, { token: bad, signal }));
    expect(error.code).toBe('not-authorized');
    expect(error.message).not.toContain('x-other');
    expect(service.seen).toHaveLength(0);
  });

  it('whose secrets come back in the answer shows none of them', async () => {
    const echo: Behaviour = (request, response) =>
      sendText(
        `bad code ${request.body.auth_code}, bad token ${request.headers.authorization}`,
        400,
      )(request, response);
    const { client, signal } = await start(echo);
    const codeCall = client.call('codeLogin', { authCode: new Secret('hunter2') }, { signal });
    expect((await failureOf(codeCall)).message).toContain('bad code [secret]');
    const tokenCall = client.call('clients', undefined, {
      token: new Secret('opaque-token'),
      signal,
    });
    expect((await failureOf(tokenCall)).message).toContain('bad token Bearer [secret]');
  });

  it('that does not fit the interface goes nowhere', async () => {
    const { service, client, signal } = await start(fine);
    const call = client.call('setProvide', { clientId: 'c', provideMode: 1.5 }, { token, signal });
    expect(await failureOf(call)).toMatchObject({ code: 'usage-invalid' });
    expect(service.seen).toHaveLength(0);
  });
});

describe('a wrong answer', () => {
  const wrong: readonly (readonly [string, Behaviour, string])[] = [
    ['a reset', reset, 'service-unreachable'],
    ['an answer that breaks off', truncate, 'answer-truncated'],
    [
      'half a JSON text',
      (_, response) => void response.end('{"clients": [{"client_id": "a'),
      'answer-truncated',
    ],
    ['a portal page', sendHtml(200), 'answer-not-json'],
    ['a portal page that says 401', sendHtml(401), 'answer-not-json'],
    [
      'a redirect',
      sendText('', 302, { location: 'http://portal.example/x?session=1' }),
      'answer-redirected',
    ],
    ['a 401', sendText('Not authorized.', 401), 'not-authorized'],
    ['a 404', sendText('404 page not found', 404), 'operation-not-served'],
    ['a 429 page', sendHtml(429), 'rate-limited'],
    ['a 500', sendText('Error. Please email help.', 500), 'service-failed'],
    ['an error in a 200', sendJson({ clients: null, error: { message: 'no' } }), 'service-refused'],
    ['another shape', sendJson({ clients: 7 }), 'answer-invalid'],
    ['nothing at all', sendText('', 200), 'answer-not-json'],
    // It answers a header that is never sent, and undici ends the connection for it.
    [
      'a 100 that nobody asked for',
      (request, response) => {
        response.writeContinue();
        return fine(request, response);
      },
      'service-unreachable',
    ],
    ['a folded header', sendBytes(plain('x-note: a\r\n b\r\n')), 'service-unreachable'],
    ['a line that ends in LF alone', sendBytes(plain('x-note: a\n')), 'service-unreachable'],
    ['HTTP/2 alone', sendBytes(Buffer.from('000000040000000000', 'hex')), 'service-unreachable'],
  ];

  it.each(wrong)('%s has its code, after at most three tries', async (_, behave, code) => {
    const { service, attempts, callClients } = await start(behave);
    const error = await failureOf(callClients());
    expect(error).toMatchObject({ code });
    expect(error.message).not.toContain(token.reveal());
    expect(service.seen.length).toBeLessThanOrEqual(3);
    expect(attempts.map((attempt) => attempt.outcome)).toEqual(service.seen.map(() => code));
  });

  it.each(wrong)(
    '%s to a create is not asked again: it may have had an effect',
    async (_, behave) => {
      const { service, createClient } = await start(behave);
      await createClient().catch(() => undefined);
      expect(service.seen).toHaveLength(1);
    },
  );

  it('is not one that is as plain as this', async () => {
    const { callClients } = await start(sendBytes(plain('x-note: a\r\n')));
    expect(await callClients()).toMatchObject({ clients: [] });
  });

  it('is not one that comes after hints', async () => {
    const { callClients } = await start((request, response) => {
      response.writeEarlyHints({ link: '</x>; rel=preload' });
      response.writeProcessing();
      return fine(request, response);
    });
    expect(await callClients()).toMatchObject({ clients: [] });
  });

  it('is not reported once a good one comes', async () => {
    const { service, attempts, callClients } = await start(
      inTurn(reset, sendText('down', 503), fine),
    );
    expect(await callClients()).toMatchObject({ clients: [] });
    expect(service.seen).toHaveLength(3);
    expect(attempts.map((attempt) => attempt.outcome)).toEqual([
      'service-unreachable',
      'service-failed',
      'ok',
    ]);
  });

  it('that redirects names the host it points to, and nothing more of the address', async () => {
    const { callClients } = await start(
      sendText('', 307, { location: 'https://portal.example/a?session=42' }),
    );
    const error = await failureOf(callClients());
    expect(error.message).toContain('portal.example');
    expect(error.message).not.toContain('session');
  });
});

describe('a deadline', () => {
  it.each([
    ['headers', stall],
    ['the body', stallInBody],
  ] as const)('on %s ends a silent exchange', async (_, behave) => {
    const fetchLimits = { headersMs: 100, bodyMs: 100 };
    const { createClient } = await start(behave, { fetchLimits });
    expect(await failureOf(createClient())).toMatchObject({
      code: 'service-unreachable',
      maybeSent: true,
    });
  });

  it('on the whole call ends an answer that trickles', async () => {
    const trickle: Behaviour = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(timer));
    };
    const { attempts, callClients } = await start(trickle, { fetchLimits: { callMs: 150 } });
    expect(await failureOf(callClients())).toMatchObject({
      code: 'service-unreachable',
      maybeSent: true,
    });
    expect(attempts.at(-1)?.outcome).toBe('service-unreachable');
  });

  it('on the connection leaves no doubt that nothing was sent', async () => {
    // A listener that takes the connection and never speaks TLS.
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const client = createServiceClient({
      baseUrl: `https://127.0.0.1:${port}`,
      allowInsecureHttp: false,
      random: () => 0,
      fetchLimits: { connectMs: 100 },
    });
    onTestFinished(async () => {
      await client.close();
      silent.close();
    });
    const call = client.call('clients', undefined, { token, signal: new AbortController().signal });
    expect(await failureOf(call)).toMatchObject({ code: 'service-unreachable', maybeSent: false });
  });
});

describe('an answer that is too large', () => {
  const fetchLimits = { bodyBytes: 100_000 };

  it('is refused by its length before it is read', async () => {
    const { createClient } = await start(
      (_, response) => void response.writeHead(200, { 'content-length': '100001' }).write('{'),
      { fetchLimits },
    );
    expect(await failureOf(createClient())).toMatchObject({
      code: 'answer-too-large',
      maybeSent: true,
    });
  });

  it('is not read to its end', async () => {
    let bytes = 0;
    const endless = sendEndlessly((sent) => {
      bytes += sent;
    });
    const { createClient } = await start(endless, { fetchLimits });
    expect(await failureOf(createClient())).toMatchObject({ code: 'answer-too-large' });
    // What the kernel's buffers took is more than what was read, but not without end.
    expect(bytes).toBeLessThan(64 * 1024 ** 2);
  });

  it('may be larger where it is a list', async () => {
    const padded = sendText(`{"clients": []${' '.repeat(500_000)}}`, 200);
    const { callClients, createClient } = await start(padded, { fetchLimits });
    expect(await callClients()).toMatchObject({ clients: [] });
    expect(await failureOf(createClient())).toMatchObject({ code: 'answer-too-large' });
  });
});

describe('what was surely never sent', () => {
  it('is tried again even for a create', async () => {
    const { service } = await start(fine);
    await service[Symbol.asyncDispose]();
    const attempts: Attempt[] = [];
    const client = createServiceClient({
      baseUrl: service.baseUrl,
      allowInsecureHttp: false,
      random: () => 0,
      onAttempt: (attempt) => attempts.push(attempt),
    });
    onTestFinished(() => client.close());
    const call = client.call('authClient', {}, { token, signal: new AbortController().signal });
    expect(await failureOf(call)).toMatchObject({ code: 'service-unreachable', maybeSent: false });
    expect(attempts).toHaveLength(3);
  });
});

describe('a server that speaks no TLS', () => {
  it('never gets the token', async () => {
    const { service } = await start(fine);
    const client = createServiceClient({
      baseUrl: service.baseUrl.replace('http:', 'https:'),
      allowInsecureHttp: true,
      random: () => 0,
    });
    onTestFinished(() => client.close());
    const call = client.call('authClient', {}, { token, signal: new AbortController().signal });
    expect(await failureOf(call)).toMatchObject({ code: 'service-unreachable', maybeSent: false });
    expect(service.seen).toHaveLength(0);
  });
});

describe('an abort', () => {
  it('ends a call under way, and is not an error of the service', async () => {
    const controller = new AbortController();
    const { client, attempts } = await start(() => controller.abort());
    const error = await failureOf(
      client.call('clients', undefined, { token, signal: controller.signal }),
    );
    expect(isAbort(error)).toBe(true);
    expect(hasCode(error, 'service-unreachable')).toBe(false);
    expect(attempts).toHaveLength(0);
  });

  it('before a call sends nothing', async () => {
    const { service, client } = await start(fine);
    const error = await failureOf(
      client.call('clients', undefined, { token, signal: AbortSignal.abort('gone') }),
    );
    expect(isAbort(error)).toBe(true);
    expect(service.seen).toHaveLength(0);
  });

  it('ends a wait between two tries', async () => {
    const controller = new AbortController();
    const { client, service } = await start(sendText('slow down', 429, { 'retry-after': '9' }), {
      onAttempt: () => controller.abort(),
    });
    const error = await failureOf(
      client.call('clients', undefined, { token, signal: controller.signal }),
    );
    expect(isAbort(error)).toBe(true);
    expect(service.seen).toHaveLength(1);
  });
});
