import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import type { Answer } from '../../src/service/answer.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { judgeAnswer } from '../../src/service/judge.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import { createUnreadTally, type Unread } from '../../src/service/unread.ts';

const token = new Secret('0123456789abcdefghij');
const nowMs = Date.UTC(2026, 0, 1);
const json = { 'content-type': 'application/json' };
const plain = { 'content-type': 'text/plain; charset=utf-8' };
const html = { 'content-type': 'text/html; charset=utf-8' };

function judge(name: OperationName, answer: Partial<Answer>) {
  return judgeAnswer({
    name,
    answer: { status: 200, headers: json, text: '', ...answer },
    secrets: [token],
    nowMs,
  });
}

function failureOf(name: OperationName, answer: Partial<Answer>): ServiceError {
  try {
    judge(name, answer);
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError);
    return error as ServiceError;
  }
  throw new Error('the answer was taken');
}

describe('a wrong answer is a coded error', () => {
  const page = '<!DOCTYPE html><html><body>Sign in</body></html>';
  it.each<[string, OperationName, Partial<Answer>, string, boolean]>([
    // what, operation, answer, code, may have had an effect
    [
      'bad request',
      'clients',
      { status: 400, headers: plain, text: 'bad json' },
      'service-refused',
      false,
    ],
    [
      '401',
      'clients',
      { status: 401, headers: plain, text: 'Not authorized.' },
      'not-authorized',
      false,
    ],
    [
      '401 as JSON',
      'clients',
      { status: 401, text: '{"error": {"message": "no"}}' },
      'not-authorized',
      false,
    ],
    ['401 without a body', 'clients', { status: 401, headers: {} }, 'not-authorized', false],
    [
      '401 as a page',
      'clients',
      { status: 401, headers: html, text: page },
      'answer-not-json',
      true,
    ],
    [
      '401 for a code',
      'codeLogin',
      { status: 401, headers: plain, text: 'no' },
      'auth-code-refused',
      false,
    ],
    [
      '403',
      'clients',
      { status: 403, headers: plain, text: 'Forbidden' },
      'service-refused',
      false,
    ],
    [
      '403 that says so',
      'clients',
      { status: 403, headers: plain, text: 'Expired token' },
      'not-authorized',
      false,
    ],
    [
      '404',
      'setProvide',
      { status: 404, headers: plain, text: '404 page not found' },
      'operation-not-served',
      false,
    ],
    [
      '404 as a page',
      'setProvide',
      { status: 404, headers: html, text: page },
      'answer-not-json',
      true,
    ],
    ['405', 'setProvide', { status: 405, headers: plain, text: '' }, 'operation-not-served', false],
    ['501', 'setProvide', { status: 501, headers: plain, text: '' }, 'operation-not-served', false],
    [
      '501 as a page',
      'setProvide',
      { status: 501, headers: html, text: page },
      'answer-not-json',
      true,
    ],
    [
      '413',
      'clients',
      { status: 413, headers: plain, text: 'too large' },
      'service-refused',
      false,
    ],
    ['429 as a page', 'clients', { status: 429, headers: html, text: page }, 'rate-limited', false],
    [
      '500',
      'clients',
      { status: 500, headers: plain, text: 'Error. Please email help.' },
      'service-failed',
      true,
    ],
    [
      '500 that says what is wrong with the request',
      'setPayoutWallet',
      { status: 500, headers: plain, text: 'Invalid login.' },
      'service-refused',
      true,
    ],
    [
      '500 that says what is wrong with the request',
      'setPayoutWallet',
      { status: 500, headers: plain, text: 'Wallet must be an active wallet in this network.' },
      'service-refused',
      true,
    ],
    [
      '500 that says what is wrong with the request',
      'setPayoutWallet',
      { status: 500, headers: plain, text: 'Invalid location' },
      'service-refused',
      true,
    ],
    [
      '500 that speaks of the service',
      'setPayoutWallet',
      { status: 500, headers: plain, text: 'Internal Server Error' },
      'service-failed',
      true,
    ],
    [
      '500 that speaks of the service',
      'setPayoutWallet',
      { status: 500, headers: plain, text: 'Something went wrong.' },
      'service-failed',
      true,
    ],
    [
      '500 that speaks of the service',
      'setPayoutWallet',
      { status: 500, headers: plain, text: 'Database unavailable.' },
      'service-failed',
      true,
    ],
    [
      '500 that speaks of the service',
      'setPayoutWallet',
      { status: 500, headers: plain, text: 'pq: bad row' },
      'service-failed',
      true,
    ],
    [
      '402',
      'authClient',
      { status: 402, headers: plain, text: '{"price":5}' },
      'client-limit-exceeded',
      false,
    ],
    ['402', 'wallets', { status: 402, headers: plain, text: '' }, 'service-refused', false],
    [
      '502 as a page',
      'clients',
      { status: 502, headers: html, text: page },
      'service-failed',
      true,
    ],
    ['503', 'clients', { status: 503, headers: plain, text: 'down' }, 'service-failed', true],
    [
      '503 for too many tries',
      'codeLogin',
      { status: 503, headers: plain, text: 'User auth attempts exceeded limits.' },
      'rate-limited',
      false,
    ],
    [
      '301',
      'clients',
      { status: 301, headers: { location: 'https://other.example/' } },
      'answer-redirected',
      true,
    ],
    [
      '302 of a portal',
      'clients',
      { status: 302, headers: html, text: page },
      'answer-redirected',
      true,
    ],
    ['a page with 200', 'clients', { headers: html, text: page }, 'answer-not-json', true],
    ['a page that calls itself JSON', 'clients', { text: page }, 'answer-not-json', true],
    ['text with 200', 'clients', { headers: plain, text: 'fine' }, 'answer-not-json', true],
    ['nothing', 'clients', { text: '' }, 'answer-not-json', true],
    ['204', 'clients', { status: 204, headers: {} }, 'answer-not-json', true],
    [
      'half an object',
      'clients',
      { text: '{"clients": [{"client_id": "a}' },
      'answer-truncated',
      true,
    ],
    ['rubbish after an object', 'clients', { text: '{"clients": []} x' }, 'answer-not-json', true],
    ['a list', 'clients', { text: '[]' }, 'answer-invalid', true],
    ['null', 'clients', { text: 'null' }, 'answer-invalid', true],
    ['another shape', 'clients', { text: '{"clients": {}}' }, 'answer-invalid', true],
    ['an error', 'setProvide', { text: '{"error": {"message": "no"}}' }, 'service-refused', true],
    ['an error of no shape', 'setProvide', { text: '{"error": [1]}' }, 'service-refused', true],
    ['an error that is text', 'setProvide', { text: '{"error": "no"}' }, 'service-refused', true],
    ['an error without words', 'setProvide', { text: '{"error": {}}' }, 'service-refused', true],
    [
      'an error about the token',
      'clients',
      { text: '{"error": {"message": "Invalid JWT"}}' },
      'not-authorized',
      true,
    ],
    [
      'a limit',
      'clients',
      { text: '{"error": {"client_limit_exceeded": true}}' },
      'client-limit-exceeded',
      true,
    ],
    [
      'a refused code',
      'codeLogin',
      { text: '{"error": {"message": "Invalid code."}}' },
      'auth-code-refused',
      true,
    ],
  ])('%s', (_, name, answer, code, maybeSent) => {
    expect(failureOf(name, answer)).toMatchObject({ code, maybeSent });
  });
});

describe('a right answer is tolerant', () => {
  it.each<[string, OperationName, string, object]>([
    [
      'nulls and unknown fields',
      'clients',
      '{"clients": null, "error": null, "new": {"a": 1}}',
      { clients: [] },
    ],
    ['absent fields', 'clients', '{}', { clients: [] }],
    ['a byte order mark', 'clients', '\uFEFF{"clients": []}', { clients: [] }],
    ['an echoed mode', 'setProvide', '{"provide_mode": 4, "error": null}', { provideMode: 4 }],
  ])('of %s', (_, name, text, value) => {
    expect(judge(name, { text })).toMatchObject(value);
  });

  it('of an error that is an empty text', () => {
    expect(judge('setProvide', { text: '{"error": ""}' }).error).toBeUndefined();
  });

  it('of whatever content type', () => {
    expect(judge('clients', { headers: plain, text: '{"clients": []}' })).toMatchObject({
      clients: [],
    });
  });

  it('and leaves an error beside a client JWT to the caller', () => {
    const answer = judge('authClient', {
      text: '{"by_client_jwt": "a.b.c", "error": {"message": "Invalid location"}}',
    });
    expect(answer).toMatchObject({ error: { message: 'Invalid location' } });
    expect(judge('authClient', { text: '{"error": "text alone"}' })).toMatchObject({
      error: { message: 'text alone' },
    });
  });
});

/** An answer, and what its caller is told was left out of it. */
function judgeTelling(name: OperationName, body: object) {
  const told: Unread[] = [];
  const unread = createUnreadTally(name, (what) => told.push(what));
  const answer = { status: 200, headers: json, text: JSON.stringify(body) };
  const value = judgeAnswer({ name, answer, secrets: [token], nowMs, unread });
  unread.tell();
  return { value, told };
}

describe('a strange value where nobody looks hides nothing', () => {
  const issued = { wg_config: { config: '[Interface]' } };
  const register = (result: object) => ({
    by_client_jwt: 'a.b.c',
    proxy_config_result: { ...issued, ...result },
  });
  it.each<[string, OperationName, object, object]>([
    // what, operation, answer, what is left of it
    ...[7, 'x', true, [], {}].map((value): [string, OperationName, object, object] => [
      `${JSON.stringify(value)} as the keepalive and as a port`,
      'authClient',
      register({
        keepalive_seconds: value === 7 ? {} : value,
        socks_proxy_port: value === 7 ? [] : value,
      }),
      { proxyConfigResult: { wgConfig: {} } },
    ]),
    [
      'a number as the instance',
      'authClient',
      register({ instance_id: 7 }),
      { proxyConfigResult: { wgConfig: {} } },
    ],
    [
      'a text as the proxy',
      'authClient',
      { by_client_jwt: 'a.b.c', proxy_config_result: 'none' },
      { byClientJwt: new Secret('a.b.c') },
    ],
    [
      'true as the error beside a token',
      'authClient',
      { by_client_jwt: 'a.b.c', error: true },
      { byClientJwt: new Secret('a.b.c') },
    ],
    [
      'a number as the description of another device',
      'clients',
      { clients: [{ client_id: 'a', description: 7 }, { client_id: 'b' }] },
      { clients: [{ clientId: 'a' }, { clientId: 'b' }] },
    ],
    [
      'nothing in place of a row',
      'clients',
      { clients: [null, { client_id: 'b' }] },
      { clients: [{ clientId: 'b' }] },
    ],
    [
      'strange entries of a list in a row',
      'clients',
      { clients: [{ client_id: 'a', connections: [7, { connection_id: 'c' }, null] }] },
      { clients: [{ clientId: 'a', connections: [{ connectionId: 'c' }] }] },
    ],
    [
      'a null inside a map and a list',
      'providerLastN',
      { uptime: { one: null, two: 2 }, client_details: [null, { client_id: 'a' }] },
      { uptime: { two: 2 }, clientDetails: [{ clientId: 'a' }] },
    ],
    [
      'a time in another form',
      'providerLastN',
      { created_time: 7, uptime: { one: 1 } },
      { uptime: { one: 1 } },
    ],
  ])('%s', (_, name, body, left) => {
    const { value, told } = judgeTelling(name, body);
    expect(value).toMatchObject(left);
    expect(told).toHaveLength(1);
  });

  it('nor is a number that is written as a text strange', () => {
    const { value, told } = judgeTelling('authClient', register({ keepalive_seconds: '30' }));
    expect(value).toMatchObject({ proxyConfigResult: { keepaliveSeconds: 30 } });
    expect(told).toEqual([]);
  });

  it.each<[string, OperationName, object]>([
    ['the token', 'authClient', { by_client_jwt: 7 }],
    ['the list', 'clients', { clients: { a: 1 } }],
    ['the map', 'providerLastN', { uptime: [1] }],
    ['the wallet', 'payoutWallet', { wallet_id: 7 }],
  ])('but %s itself has to be right', (_, name, body) => {
    expect(failureOf(name, { text: JSON.stringify(body) }).code).toBe('answer-invalid');
  });

  it('and its caller is told how much it was, and where the first was', () => {
    const clients = [{ client_id: 'a' }, { client_id: 'b', description: ['hunter2'] }, null];
    expect(judgeTelling('clients', { clients }).told).toEqual([
      {
        count: 2,
        message:
          'GET /network/clients: left out 2 values of the answer (clients.1.description: expected a text, found a list)',
      },
    ]);
  });
});

describe('a message', () => {
  it('tells where another shape was found and of what kind, never what it was', () => {
    const text = '{"by_jwt": 12345678}';
    expect(failureOf('codeLogin', { text }).message).toBe(
      'POST /auth/code-login: by_jwt: expected a text, found a number',
    );
  });

  it('says what the service said, on one line and shortened', () => {
    const said = `no\u0000\u001b[31m\nway ${'x'.repeat(500)}`;
    const { message } = failureOf('clients', {
      text: JSON.stringify({ error: { message: said } }),
    });
    expect(message).toContain('no[31m way xxx');
    expect(message.length).toBeLessThan(280);
  });

  it('of a redirect names the host alone', () => {
    const location = 'https://portal.example:8443/login?session=42';
    const { message } = failureOf('clients', { status: 302, headers: { location } });
    expect(message).toContain('portal.example:8443');
    expect(message).not.toContain('session');
  });

  it.each(['5', 'Thu, 01 Jan 2026 00:00:05 GMT'])(
    'of a failure carries Retry-After (%s)',
    (header) => {
      for (const status of [429, 500, 503]) {
        const failure = failureOf('clients', {
          status,
          headers: { ...plain, 'retry-after': header },
        });
        expect(failure.retryAfterSeconds).toBe(5);
      }
    },
  );
});

describe('laws', () => {
  const name = fc.constantFrom(...(Object.keys(operations) as OperationName[]));
  const status = fc.oneof(
    fc.constantFrom(200, 302, 401, 404, 429, 500, 503),
    fc.integer({ min: 200, max: 599 }),
  );
  const headers = fc.constantFrom<Answer['headers']>(
    json,
    plain,
    html,
    {},
    { location: '//x' },
    { location: '\u0000' },
  );
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc
      .record(
        { error: fc.jsonValue(), clients: fc.jsonValue(), by_jwt: fc.jsonValue() },
        { requiredKeys: [] },
      )
      .map((body) => JSON.stringify(body)),
  );

  it('nothing but a ServiceError is ever thrown', () => {
    fc.assert(
      fc.property(name, status, headers, anyText, (operation, code, header, text) => {
        try {
          judge(operation, { status: code, headers: header, text });
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a message of hostile types is no bug of ours', () => {
    const text = '{"error": {"message": {"toString": 1, "valueOf": 1}}}';
    expect(failureOf('setProvide', { text }).code).toBe('service-refused');
    expect(failureOf('setProvide', { status: 400, text }).code).toBe('service-refused');
  });

  it('no secret is ever in a message', () => {
    const base64 = (length: number) =>
      fc.string({ unit: fc.constantFrom(...'ABCxyz0189+/'), minLength: length, maxLength: length });
    const key = base64(43).map((text) => `${text}=`);
    const jwt = base64(20).map((text) => `eyJ${text.replace(/[+/]/g, '_')}.eyJhIjoxfQ.c2ln`);
    const secret = fc.oneof(fc.constant(token.reveal()), key, jwt);
    const wrap = fc.constantFrom<(text: string) => Partial<Answer>>(
      (text) => ({ text: JSON.stringify({ error: { message: text } }) }),
      (text) => ({ text: JSON.stringify({ error: text }) }),
      (text) => ({ status: 400, headers: plain, text }),
      (text) => ({ status: 500, headers: plain, text }),
      (text) => ({ status: 401, text: JSON.stringify({ error: { message: text } }) }),
    );
    fc.assert(
      fc.property(fc.string(), secret, fc.string(), wrap, (before, hidden, after, toAnswer) => {
        const text = `${before} ${hidden} ${after}`;
        expect(failureOf('clients', toAnswer(text)).message).not.toContain(hidden);
        const { told } = judgeTelling('providerLastN', { uptime: { [text]: 'x' } });
        expect(told[0]?.message).not.toContain(hidden);
      }),
      { numRuns: 500 },
    );
  });

  it('every beginning of an object breaks off, wherever it is cut', () => {
    const whole = fc
      .dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
      .map((body) => JSON.stringify(body));
    fc.assert(
      fc.property(whole, fc.nat(), (text, at) => {
        const cut = text.slice(0, 1 + (at % (text.length - 1)));
        expect(failureOf('clients', { text: cut }).code).toBe('answer-truncated');
      }),
    );
  });
});
