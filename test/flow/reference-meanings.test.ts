import { describe, expect, test } from 'vitest';
import { connectTo } from '../../src/reference-service/proxy-protocols.ts';
import { profileNames } from '../../src/service/profiles.ts';
import { call, createOwner, start, startAndLogIn, withTunnel } from './reference-caller.ts';

const authClient = '/network/auth-client';

describe.each(profileNames)('the token of a client (%s)', (profile) => {
  async function open() {
    const world = await startAndLogIn({ profile });
    const { answer, clientId } = await world.register({ description: 'shed' });
    const { clientId: otherId } = await world.register({ description: 'barn' });
    const token = String(answer.by_client_jwt);
    const ask = (path: string, body?: unknown) =>
      call(world.service.baseUrl, path, { token, body });
    return { ...world, ask, clientId, otherId };
  }
  test('authenticates its own client, and no other', async () => {
    const { ask, get, clientId, otherId } = await open();
    expect((await ask(authClient, { client_id: clientId })).body).toMatchObject({
      by_client_jwt: expect.any(String),
    });
    for (const body of [{ client_id: otherId }, {}, { source_client_id: clientId }]) {
      expect((await ask(authClient, body)).body).toEqual({
        error: { message: expect.stringContaining('that client alone') },
      });
    }
    expect((await get('/network/clients')).body.clients).toHaveLength(2);
  });
  test('lists its own client, and nothing of the others', async () => {
    const { ask, clientId } = await open();
    expect((await ask('/network/clients')).body.clients).toMatchObject([
      { client_id: clientId, description: 'shed' },
    ]);
  });
  test('reads its own statistics, and nothing of the others', async () => {
    const { ask, clientId } = await open();
    const { providers } = (await ask('/stats/providers')).body;
    expect(providers).toMatchObject([{ client_id: clientId }]);
    const own = await ask('/stats/provider-last-n', { client_id: clientId, last_n: 1 });
    expect(own.body).toHaveProperty('uptime');
  });
  test('opens nothing that asks for the token of a network', async () => {
    const { ask, clientId } = await open();
    const paths = ['/network/reliability', '/account/wallets', '/device/associations'];
    for (const path of paths) expect([path, (await ask(path)).status]).toEqual([path, 403]);
    const body = { client_id: clientId, device_name: 'shed', last_n: 1 };
    for (const path of [
      '/stats/provider-last-90',
      '/stats/providers-last-n',
      '/device/create-share-code',
    ]) {
      expect([path, (await ask(path, body)).status]).toEqual([path, 403]);
    }
    const { devices } = (await ask('/network/provider-locations')).body;
    expect(JSON.stringify(devices)).not.toContain('shed');
  });
  test('is worth nothing once the device belongs to another network', async () => {
    const { service, ask, clientId } = await open();
    const { adoptCode } = await service.admin.createAdoptCode({
      clientId,
      deviceName: 'shed',
      durationMinutes: 5,
    });
    const token = await createOwner(service, 'aunt');
    await call(service.baseUrl, '/device/add', { token, body: { code: adoptCode } });
    expect((await ask('/network/clients')).status).toBe(401);
  });
});

test("the token of a client sets its own client's mode, and no other's", async () => {
  const { service, register, get } = await startAndLogIn();
  const [shed, barn] = [await register(), await register()];
  const set = (client_id: string) =>
    call(service.baseUrl, '/device/set-provide', {
      token: shed.answer.by_client_jwt,
      body: { client_id, provide_mode: 4 },
    });
  expect((await set(shed.clientId)).body).toEqual({ provide_mode: 4 });
  expect((await set(barn.clientId)).body.error).toBeDefined();
  const modes = (await get('/network/clients')).body.clients.map(
    (own: { provide_mode: number }) => own.provide_mode,
  );
  expect(modes).toEqual([4, 0]);
});

test.each([
  ['documented', { description: 'shed', device_spec: 'pi' }],
  ['production', { description: '', device_spec: '' }],
] as const)(
  'a re-authentication that says only which client it is leaves the %s service with %j',
  async (profile, kept) => {
    const { post, get, register } = await startAndLogIn({ profile });
    const { clientId } = await register();
    for (const nothing of [{}, { description: null, device_spec: null }]) {
      await post(authClient, { client_id: clientId, ...nothing });
      expect((await get('/network/clients')).body.clients).toMatchObject([kept]);
    }
  },
);

describe('a registration', () => {
  test.each([
    ['a line end', 'a\nb'],
    ['an escape sequence', '\u001b[31mred'],
    ['a letter that turns the direction round', 'a\u202eb'],
    ['a blank', ' '],
    ['a blank that cannot be broken', '\u00a0'],
    ['more than a hundred characters', 'x'.repeat(101)],
  ])('is not described with %s', async (_, description) => {
    const { post, get } = await startAndLogIn();
    expect((await post(authClient, { description })).body).toEqual({
      error: { message: expect.stringContaining('one line') },
    });
    expect((await get('/network/clients')).body.clients).toEqual([]);
    const { clientId } = await (await startAndLogIn()).register({ description: 'x'.repeat(100) });
    expect(clientId).toMatch(/-/);
  });
  test('is placed where its location says, and refused where there is no such place', async () => {
    const { service, post, get } = await startAndLogIn();
    const { locations } = (await post('/network/find-locations', { query: 'bavaria' })).body;
    const { location_id } = locations[0];
    const register = async (initial_device_state: unknown) =>
      (await post(authClient, { proxy_config: { initial_device_state } })).body;
    const countIn = async (query: string) =>
      (await call(service.baseUrl, '/network/find-locations', { body: { query } })).body
        .locations[0].provider_count;
    await register({ location: { connect_location_id: { location_id } } });
    expect(await countIn('Munich')).toBe(1);
    await register({ country_code: 'de', location: { connect_location_id: { location_id } } });
    await register({ location: { name: 'Munich', location_type: 'city' } });
    expect(await countIn('Munich')).toBe(3);
    const [{ client_id }] = (await get('/network/clients')).body.clients;
    await register({ location: { connect_location_id: { client_id } } });
    expect(await countIn('Munich')).toBe(4);
    const unknown = [
      { country_code: 'zz' },
      { country_code: 'FR', location: { connect_location_id: { location_id } } },
      { location: { connect_location_id: { location_id: 'nowhere' } } },
      { location: { connect_location_id: { location_group_id: 'nobody' } } },
      { location: { connect_location_id: { client_id: 'nobody' } } },
      { location: { name: 'Atlantis' } },
      { country_code: 'DE', location: { name: 'Paris' } },
      { country_code: 'DE', location: { name: 'Nowhere' } },
      { location: { connect_location_id: { location_id }, name: 'Paris' } },
      { location: { name: 'Berlin', location_type: 'galaxy' } },
      { location: { name: 'Berlin', location_type: 'country' } },
      { location: { connect_location_id: { location_id }, location_type: 'city' } },
      { country_code: 'DE', location: { location_type: 'city' } },
      { location: { location_type: 'city' } },
    ];
    for (const state of unknown)
      expect([state, await register(state)]).toEqual([
        state,
        { error: { message: expect.any(String) } },
      ]);
    expect((await get('/network/clients')).body.clients).toHaveLength(4);
    await register({ country_code: 'DE', location: { name: 'Munich' } });
    await register({ location: { connect_location_id: { location_id }, name: 'germany' } });
    await register({ location: { name: 'Bavaria', location_type: 'region' } });
    await register({ location: { connect_location_id: { location_id }, location_type: null } });
    expect(await countIn('Munich')).toBe(8);
    await register({ country_code: 'DE', location: { location_type: 'country' } });
    expect(await countIn('Germany')).toBe(9);
  });
  test('says what it takes and does not act on', async () => {
    const warnings: string[] = [];
    const { register } = await startAndLogIn({ warn: (message) => warnings.push(message) });
    await register({ proxy_config: { lock_caller_ip: false, lock_ip_list: [], enable_wg: true } });
    expect(warnings).toEqual([]);
    const { clientId } = await register({
      proxy_config: {
        initial_device_state: {
          country_code: 'DE',
          performance_profile: { window_type: 'quality' },
        },
      },
    });
    expect(warnings).toEqual([
      `client ${clientId} asked for performance_profile, which has no effect here`,
    ]);
  });
  test.each([{ lock_caller_ip: true }, { lock_ip_list: ['192.0.2.1', '2001:db8::1'] }])(
    'refuses the lock %j, which it could not keep',
    async (lock) => {
      const { post, get } = await startAndLogIn();
      const { body } = await post(authClient, { proxy_config: { enable_wg: true, ...lock } });
      expect(body).toEqual({
        error: { message: expect.stringContaining('cannot lock a proxy to addresses') },
      });
      expect((await get('/network/clients')).body.clients).toEqual([]);
    },
  );
  test('refuses a lock that is no address', async () => {
    const { post } = await startAndLogIn();
    const { body } = await post(authClient, { proxy_config: { lock_ip_list: ['not an ip'] } });
    expect(body).toEqual({
      error: { message: expect.stringMatching(/lock_ip_list.*: an IP address is expected/) },
    });
  });
});

describe.each(profileNames)('a re-authentication (%s)', (profile) => {
  test('says what it takes and does not act on', async () => {
    const warnings: string[] = [];
    const { post, register } = await startAndLogIn({
      profile,
      warn: (message) => warnings.push(message),
    });
    const [{ clientId: client_id }, { clientId: other }] = [await register(), await register()];
    await post(authClient, { client_id, proxy_config: { enable_wg: true } });
    expect(warnings).toEqual([]);
    const proxy_config = { initial_device_state: { country_code: 'DE' } };
    await post(authClient, { client_id, source_client_id: other, proxy_config });
    expect(warnings).toEqual([
      `client ${client_id} asked for source_client_id, which has no effect here`,
    ]);
  });
});

describe.each(profileNames)('a derived client (%s)', (profile) => {
  test('is authenticated again, however often, and no client is made', async () => {
    const { post, get, register } = await startAndLogIn({ profile });
    const { clientId: source_client_id } = await register();
    const { clientId: derived_client_id } = await register({ source_client_id });
    for (const description of ['cellar', 'attic']) {
      const { body } = await post(authClient, {
        source_client_id,
        derived_client_id,
        description,
        device_spec: 'spec',
      });
      expect(body).toMatchObject({ by_client_jwt: expect.any(String) });
    }
    const { clients } = (await get('/network/clients')).body;
    expect(
      clients.map((client: Record<string, unknown>) => [client.client_id, client.description]),
    ).toEqual([
      [source_client_id, 'shed'],
      [derived_client_id, 'attic'],
    ]);
  });
  test('is refused where it is derived from another client, or the source is not named', async () => {
    const { post, get, register } = await startAndLogIn({ profile });
    const [{ clientId: one }, { clientId: other }] = [await register(), await register()];
    for (const names of [{ source_client_id: one }, {}]) {
      const { body } = await post(authClient, { ...names, derived_client_id: other });
      expect(body.error.message).toContain('derived from source_client_id');
    }
    expect((await get('/network/clients')).body.clients).toHaveLength(2);
  });
});

test('a re-authentication that names no place of this world changes nothing', async () => {
  const { post, get, register } = await startAndLogIn();
  const { clientId: client_id } = await register();
  const proxy_config = { initial_device_state: { country_code: 'XX' } };
  const { body } = await post(authClient, { client_id, description: 'new', proxy_config });
  expect(body).toEqual({ error: { message: expect.stringContaining('Invalid location') } });
  expect((await get('/network/clients')).body.clients).toMatchObject([{ description: 'shed' }]);
});

describe.each(profileNames)('HTTP and SOCKS proxies (%s)', (profile) => {
  test('are issued to callers that take the token with them, at a port that answers', async () => {
    const { register, get } = await startAndLogIn({ profile, proxyHost: 'proxy.example' });
    const { answer } = await register({ proxy_config: { https_require_auth: true } });
    const { auth_token, http_proxy_port: port } = answer.proxy_config_result;
    expect(auth_token).toMatch(/.{40}/);
    const urls = {
      http_proxy_url: `http://proxy.example:${port}`,
      http_proxy_port: port,
      https_proxy_url: `https://proxy.example:${port}`,
      https_proxy_port: port,
      socks_proxy_url: `socks5h://proxy.example:${port}`,
      socks_proxy_port: port,
    };
    expect(answer.proxy_config_result).toMatchObject(urls);
    const [{ proxy_client }] = (await get('/network/clients')).body.clients;
    expect(proxy_client).toMatchObject({ ...urls, auth_token });
    (await connectTo({ host: '127.0.0.1', port, mayMeanItself: true })).destroy();
  });
  test.each([withTunnel, { proxy_config: {} }, { proxy_config: { https_require_auth: false } }])(
    'are not issued to others: %j',
    async (request) => {
      const { register } = await startAndLogIn({ profile });
      const { proxy_config_result } = (await register(request)).answer;
      expect(proxy_config_result.http_proxy_url).toBe(profile === 'production' ? '' : undefined);
      expect(proxy_config_result.http_proxy_port).toBeUndefined();
      expect(proxy_config_result.auth_token).toBeUndefined();
    },
  );
});

test('another method of a path is named beside its refusal', async () => {
  const { baseUrl } = await start();
  const allowed = async (path: string) =>
    (await fetch(`${baseUrl}${path}`, { method: 'DELETE' })).headers.get('allow');
  expect(await allowed('/account/payout-wallet')).toBe('GET, POST');
  expect(await allowed('/network/clients')).toBe('GET');
  expect(await allowed(authClient)).toBe('POST');
  expect(await allowed('/openapi.json')).toBe('GET');
  expect((await fetch(`${baseUrl}/openapi.json`, { method: 'POST' })).status).toBe(405);
});

test.each(profileNames)(
  'fields that the interface does not require may be left out or null (%s)',
  async (profile) => {
    const { post } = await startAndLogIn({ profile });
    for (const body of [{}, { query: null, last_n: null, client_id: null }]) {
      const paths =
        profile === 'documented'
          ? ['/network/find-locations', '/network/create-provider-spec']
          : ['/network/find-provider-locations'];
      for (const path of [...paths, '/stats/providers-last-n']) {
        const answer = await post(path, body);
        expect([path, answer.status, answer.body.error]).toEqual([path, 200, undefined]);
      }
      const { status, body: unnamed } = await post('/stats/provider-last-90', body);
      expect([status, unnamed]).toEqual([
        200,
        { error: { message: expect.stringContaining('one provider') } },
      ]);
    }
  },
);

test.each(profileNames)(
  'a removed client makes room, loses its token and its shares, and stays counted (%s)',
  async (profile) => {
    const { service, token, post, get, register } = await startAndLogIn({
      profile,
      clientLimit: 2,
    });
    const { clientId, answer } = await register();
    const { clientId: kept } = await register();
    await post('/device/create-share-code', { client_id: clientId, device_name: 'shed' });
    expect((await post(authClient, {})).body.error?.client_limit_exceeded).toBe(true);
    const remove = async () => (await post('/network/remove-client', { client_id: clientId })).body;
    expect(await remove()).toEqual({});
    expect(await remove()).toEqual({ error: { message: 'Client does not exist.' } });
    const { clients } = (await get('/network/clients')).body;
    expect(clients.map((own: { client_id: string }) => own.client_id)).toEqual([kept]);
    const { outgoing_shared_devices: shares } = (await get('/device/associations')).body;
    expect(shares ?? []).toEqual([]);
    expect(
      await call(service.baseUrl, '/network/clients', { token: answer.by_client_jwt }),
    ).toMatchObject({ status: 401 });
    expect((await post(authClient, {})).body.error?.client_limit_exceeded).toBeUndefined();
    expect(token).toBeDefined();
  },
);
