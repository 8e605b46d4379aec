import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { servedProfiles } from '../../src/reference-service/profile.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import {
  call,
  claimsOf,
  createAuthCode,
  createOwner,
  logIn,
  makeDirectory,
  start,
  startAndLogIn,
  withTunnel,
} from './reference-caller.ts';

const profiles = ['documented', 'production'] as const;
describe.each(profiles)('in the %s profile', (profile) => {
  test('every answer has the shape that the operations table says', async () => {
    const { service, token, register } = await startAndLogIn({ profile });
    const { clientId } = await register();
    const bodies: Record<OperationName, unknown> = {
      authClient: withTunnel,
      findProviders2: { specs: [{ best_available: true }] },
      findProviders: {},
      findLocations: { query: 'berlin' },
      findProviderLocations: { query: 'berlin' },
      providerLocations: undefined,
      createProviderSpec: { query: 'somewhere in Europe' },
      clients: undefined,
      removeClient: { client_id: 'nobody has this' },
      reliability: undefined,
      codeCreate: {},
      codeLogin: { auth_code: await createAuthCode(service) },
      refreshToken: undefined,
      passwordLogin: { user_auth: 'owner@example.org', password: 'long enough for anybody' },
      verifySend: { user_auth: 'owner@example.org' },
      verify: { user_auth: 'owner@example.org', verify_code: 'nobody was sent this' },
      passwordReset: { user_auth: 'owner@example.org' },
      passwordSet: { reset_code: 'nobody was sent this', password: 'long enough for anybody' },
      upgradeGuest: {
        user_auth: 'owner@example.org',
        network_name: 'attic',
        password: 'long enough for anybody',
      },
      createShareCode: { client_id: clientId, device_name: 'shed' },
      deviceAdd: { code: 'NOBODYMADEIT' },
      deviceAssociations: undefined,
      confirmShare: { share_code: 'NOBODYMADEIT', associated_network_name: 'nobody' },
      removeAssociation: { code: 'NOBODYMADEIT' },
      setDeviceName: { device_id: 'nobody has this', device_name: 'shed' },
      createAdoptCode: { device_name: 'shed' },
      adoptStatus: { adopt_code: 'NOBODYMADEIT' },
      confirmAdopt: {
        adopt_code: 'NOBODYMADEIT',
        adopt_secret: 'nobody has this',
        associated_network_name: 'nobody',
      },
      setProvide: { client_id: clientId, provide_mode: profile === 'documented' ? 4 : 3 },
      providers: undefined,
      providersLastN: { last_n: 2 },
      providerLastN: { client_id: clientId, last_n: 2 },
      providerLast90: { client_id: clientId },
      leaderboard: {},
      wallets: undefined,
      createWallet: {
        blockchain: 'MATIC',
        wallet_address: '0x52908400098527886E0F7030069857D2E4169EE7',
      },
      validateAddress: { address: 'none', chain: 'SOL' },
      removeWallet: { wallet_id: 'nobody has this' },
      payments: undefined,
      points: undefined,
      transferStats: undefined,
      payoutWallet: undefined,
      setPayoutWallet: { wallet_id: 'nobody has this' },
    };
    // Before these can succeed, another user or the owner has to make something, which other tests
    // do.
    const refused: readonly OperationName[] = [
      'removeClient',
      'refreshToken',
      'passwordLogin',
      'verify',
      'passwordSet',
      'upgradeGuest',
      'deviceAdd',
      'confirmShare',
      'removeAssociation',
      'setDeviceName',
      'adoptStatus',
      'confirmAdopt',
      'removeWallet',
      'setPayoutWallet',
    ];
    for (const name of Object.keys(operations) as OperationName[]) {
      const { path, response, method } = operations[name];
      const answer = await call(service.baseUrl, path, { token, body: bodies[name], method });
      if (servedProfiles[profile].notServed.includes(name)) continue;
      expect([name, answer.status, answer.type]).toEqual([name, 200, 'application/json']);
      const parsed = response.safeParse(answer.body);
      expect([name, parsed.error, parsed.data?.error !== undefined]).toEqual([
        name,
        undefined,
        refused.includes(name),
      ]);
    }
  });

  test('a code is good once', async () => {
    const service = await start({ profile });
    const login = () =>
      call(service.baseUrl, '/auth/code-login', { body: { auth_code: service.authCode } });
    expect((await login()).body).toEqual({ by_jwt: expect.any(String) });
    expect((await login()).body).toEqual({ error: { message: expect.any(String) } });
  });

  test('one code sent many times at once logs in once', async () => {
    const service = await start({ profile });
    const body = { auth_code: service.authCode };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => call(service.baseUrl, '/auth/code-login', { body })),
    );
    expect(answers.filter((answer) => answer.body.by_jwt !== undefined)).toHaveLength(1);
  });

  test('a code is good for ten minutes, a token for thirty days', async () => {
    const clock = { nowMs: Date.now() };
    const service = await start({ profile, now: () => clock.nowMs });
    const [spent, late] = [await createAuthCode(service), await createAuthCode(service)];
    const token = await logIn(service, spent);
    clock.nowMs += 600_000;
    expect(await logIn(service, late)).toBeUndefined();
    expect((await call(service.baseUrl, '/network/clients', { token })).status).toBe(200);
    clock.nowMs += 30 * 86_400_000;
    expect((await call(service.baseUrl, '/network/clients', { token })).status).toBe(401);
  });

  test('a registration is there after a restart with the same keys, and the old token still works', async () => {
    const directory = makeDirectory();
    const first = await startAndLogIn({ profile, directory });
    const { answer, clientId } = await first.register();
    const before = (await first.get('/network/clients')).body;
    await first.service.close();
    const service = await start({ profile, directory });
    const after = (await call(service.baseUrl, '/network/clients', { token: first.token })).body;
    // Nobody is connected to a service that did not run.
    const { resident, ...lasting } = before.clients[0];
    const ended = { ...lasting.connections[0], disconnect_time: expect.any(String) };
    expect(resident).toBeDefined();
    expect(after).toEqual({ clients: [{ ...lasting, connections: [ended] }] });
    expect(before.clients[0].client_id).toBe(clientId);
    expect(before.clients[0].proxy_client.wg_config).toEqual(answer.proxy_config_result.wg_config);
    const claims = claimsOf(await logIn(service));
    expect(claims.network_id).toBe(claimsOf(first.token).network_id);
  });

  test('re-authentication overwrites what the device says of itself, and registers nothing', async () => {
    const { post, get, register } = await startAndLogIn({ profile });
    const { clientId } = await register();
    await post('/network/auth-client', { client_id: clientId, description: 'barn' });
    const { clients } = (await get('/network/clients')).body;
    expect(clients).toHaveLength(1);
    expect(clients[0]).toMatchObject({
      description: 'barn',
      device_spec: profile === 'production' ? '' : 'pi',
    });
  });

  test('a network that is full registers nobody else, but still authenticates', async () => {
    const { post, register } = await startAndLogIn({ profile, clientLimit: 1 });
    const { clientId } = await register();
    const refused = (await post('/network/auth-client', withTunnel)).body;
    expect(refused).toEqual({
      error: { client_limit_exceeded: true, message: expect.any(String) },
    });
    expect(
      (await post('/network/auth-client', { client_id: clientId })).body.error,
    ).toBeUndefined();
  });

  test("another network's clients are as unknown as ones that never were", async () => {
    const { service, post, register } = await startAndLogIn({ profile });
    const { clientId } = await register();
    const token = await createOwner(service, 'neighbour');
    expect((await call(service.baseUrl, '/network/clients', { token })).body.clients ?? []).toEqual(
      [],
    );
    expect(
      (await call(service.baseUrl, '/stats/providers', { token })).body.providers ?? [],
    ).toEqual([]);
    const requests = [
      ['/network/auth-client', {}],
      ['/stats/provider-last-n', { last_n: 1 }],
      ...(profile === 'documented' ? [['/device/set-provide', { provide_mode: 4 }] as const] : []),
    ] as const;
    for (const [path, more] of requests) {
      const foreign = await call(service.baseUrl, path, {
        token,
        body: { client_id: clientId, ...more },
      });
      const unknown = await post(path, { client_id: 'never-was', ...more });
      expect([path, foreign.body]).toEqual([
        path,
        { error: { message: 'Client does not exist.' } },
      ]);
      expect(foreign).toEqual(unknown);
    }
  });

  test.each(['client_id', 'source_client_id', 'derived_client_id'])(
    'an unknown %s is refused',
    async (field) => {
      const { post, get } = await startAndLogIn({ profile });
      expect(
        (await post('/network/auth-client', { [field]: 'never-was' })).body.error,
      ).toBeDefined();
      expect((await get('/network/clients')).body.clients ?? []).toEqual([]);
    },
  );

  type Tokens = Readonly<Record<'token' | 'clientToken', string>>;
  const notAuthorized = [401, 'Not authorized.'] as const;
  test.each<
    readonly [
      string,
      (tokens: Tokens) => string | undefined,
      readonly [status: number, body: string],
    ]
  >([
    ['no token', () => undefined, notAuthorized],
    ['a token that is none', () => 'nonsense', notAuthorized],
    [
      'a token with a broken signature',
      ({ token }) => `${token.slice(0, -6)}AAAAAA`,
      notAuthorized,
    ],
    ["a client's token", ({ clientToken }) => clientToken, [403, "This needs a network's token."]],
  ])('%s opens nothing that asks for one', async (_, choose, [status, body]) => {
    const { service, token, register } = await startAndLogIn({ profile });
    const clientToken = (await register()).answer.by_client_jwt;
    const { notServed } = servedProfiles[profile];
    for (const name of Object.keys(operations) as OperationName[]) {
      const { path, method, authentication } = operations[name];
      if (authentication === 'none' || notServed.includes(name)) continue;
      if (authentication === 'any-jwt' && choose({ token, clientToken }) === clientToken) continue;
      const request = {
        token: choose({ token, clientToken }),
        method,
        ...(method === 'POST' ? { text: '{}' } : {}),
      };
      const answer = await call(service.baseUrl, path, request);
      expect([path, answer]).toEqual([path, { status, type: 'text/plain', body }]);
    }
  });

  test('a caller that is not let in is told which kind of token opens it', async () => {
    const { service } = await startAndLogIn({ profile });
    for (const [path, method] of [
      ['/network/clients', 'GET'],
      ['/stats/leaderboard', 'POST'],
      ['/connect/control', 'POST'],
    ] as const) {
      const answer = await fetch(`${service.baseUrl}${path}`, { method });
      expect([path, answer.status, answer.headers.get('www-authenticate')]).toEqual([
        path,
        401,
        'Bearer',
      ]);
    }
  });

  test('a request without a body asks for nothing in particular, where that is documented', async () => {
    const { service, token } = await startAndLogIn({ profile });
    const ask = (path: string) => call(service.baseUrl, path, { token, method: 'POST' });
    const [earners, code, statistics] = await Promise.all([
      ask('/stats/leaderboard'),
      ask('/auth/code-create'),
      ask('/stats/provider-last-n'),
    ]);
    const refusal = { status: 400, body: 'The body is not JSON.' };
    expect([earners, code]).toMatchObject(
      profile === 'documented'
        ? [{ body: { earners: [] } }, { body: { duration_minutes: 10, uses: 1 } }]
        : [refusal, refusal],
    );
    // What has to be said is asked for by its name.
    expect(statistics).toMatchObject(
      profile === 'documented'
        ? { body: { error: { message: expect.stringMatching(/^client_id: /) } } }
        : refusal,
    );
  });

  test('a wrong path is not found, a wrong method not allowed', async () => {
    const { service } = await startAndLogIn({ profile });
    const found = await call(service.baseUrl, '/network/nothing', {});
    expect(found).toEqual({ status: 404, type: 'text/plain', body: '404 page not found' });
    expect((await call(service.baseUrl, '/network/clients', { method: 'DELETE' })).status).toBe(
      405,
    );
    expect((await call(service.baseUrl, '/auth/code-login', {})).status).toBe(405);
  });

  const unacceptable: readonly (readonly [string, string, string, number])[] = [
    ['a body of blanks', '/network/auth-client', ' ', 400],
    ['half a body', '/network/auth-client', '{"description":', 400],
    ['a body that is no object', '/network/auth-client', '[]', 400],
    ['null', '/stats/provider-last-n', 'null', 400],
    ['a wrong type', '/network/auth-client', '{"description":7}', 400],
    [
      'a wrong type deep inside',
      '/network/auth-client',
      '{"proxy_config":{"enable_wg":"yes"}}',
      400,
    ],
    ['a missing field', '/stats/provider-last-n', '{"last_n":1}', 400],
    ['a number beyond all numbers', '/stats/providers-last-n', '{"last_n":1e999}', 400],
    ['a deep body', '/network/auth-client', '['.repeat(100_000), 400],
    [
      'a body over the limit',
      '/network/auth-client',
      `{"description":"${'x'.repeat(1024 ** 2)}"}`,
      413,
    ],
    ['a body far over the limit', '/network/auth-client', 'x'.repeat(5 * 1024 ** 2), 413],
  ];
  test.each(unacceptable)('%s is refused', async (_, path, text, status) => {
    const { service, token, get } = await startAndLogIn({ profile });
    const answer = await call(service.baseUrl, path, { token, text });
    if (profile === 'documented')
      expect(answer).toMatchObject({ status: 200, body: { error: { message: /./ } } });
    else expect(answer).toMatchObject({ status, type: 'text/plain' });
    expect((await get('/network/clients')).body.clients ?? []).toEqual([]);
  });

  test('a body that is no UTF-8 is refused', async () => {
    const { service, token, get } = await startAndLogIn({ profile });
    const body = Buffer.concat([
      Buffer.from('{"description":"a'),
      Buffer.from([0xff]),
      Buffer.from('b"}'),
    ]);
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${service.baseUrl}/network/auth-client`, {
      method: 'POST',
      headers,
      body,
    });
    expect([answer.status, await answer.text()]).toEqual(
      profile === 'documented'
        ? [200, '{"error":{"message":"The body is not JSON."}}']
        : [400, 'The body is not JSON.'],
    );
    expect((await get('/network/clients')).body.clients ?? []).toEqual([]);
  });

  test('a body of 20 MiB is refused to a caller that reads only once all is sent', async () => {
    const { service } = await startAndLogIn({ profile });
    const { hostname, port } = new URL(service.baseUrl);
    const socket = connect(Number(port), hostname);
    const length = 20 * 1024 ** 2;
    socket.pause();
    socket.write(
      `POST /auth/code-login HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n`,
    );
    const piece = Buffer.alloc(1024 ** 2, 'x');
    for (let sent = 0; sent < length; sent += piece.length) {
      await new Promise<void>((resolve, reject) =>
        socket.write(piece, (error) => (error ? reject(error) : setTimeout(resolve, 40))),
      );
    }
    const answer = Buffer.concat(await socket.toArray()).toString();
    expect(answer).toMatch(profile === 'documented' ? /^HTTP\/1.1 200 / : /^HTTP\/1.1 413 /);
    expect(answer).toContain('Request Entity Too Large');
  });

  test('no body whatever makes it fail', async () => {
    const { service, token, register } = await startAndLogIn({ profile, clientLimit: 500 });
    const { clientId } = await register();
    const paths = Object.values(operations).map((operation) => operation.path);
    const likely = fc.record(
      {
        client_id: fc.oneof(fc.constant(clientId), fc.string(), fc.jsonValue()),
        last_n: fc.oneof(fc.double(), fc.jsonValue()),
        provide_mode: fc.oneof(fc.integer(), fc.jsonValue()),
        auth_code: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
        description: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
        proxy_config: fc.oneof(fc.record({ enable_wg: fc.boolean() }), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    const bodies = fc.oneof(
      likely.map((body) => JSON.stringify(body)),
      fc.json(),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), bodies, async (path, text) => {
        const answer = await call(service.baseUrl, path, { token, text, method: 'POST' });
        expect(answer.status).toBeLessThan(500);
      }),
      { numRuns: 150 },
    );
    expect((await call(service.baseUrl, '/network/clients', { token })).status).toBe(200);
  });
});
