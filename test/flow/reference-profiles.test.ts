import { cpSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/reference-service/database.ts';
import { createProvideKeys } from '../../src/reference-service/platform/provide-keys.ts';
import { createFakeNetwork } from '../reference-service/fake-network.ts';
import { call, makeDirectory, start, startAndLogIn, withTunnel } from './reference-caller.ts';

describe('the documented profile', () => {
  test('answers a registration without its id, with keepalive and an address with its prefix length', async () => {
    const { service, register } = await startAndLogIn({
      keepaliveSeconds: 7,
      proxyHost: 'proxy.example',
    });
    const { answer } = await register();
    expect(Object.keys(answer).sort()).toEqual(['by_client_jwt', 'proxy_config_result']);
    expect(answer.proxy_config_result).toMatchObject({
      keepalive_seconds: 7,
      proxy_host: 'proxy.example',
    });
    const { wg_config } = answer.proxy_config_result;
    expect(wg_config.client_ipv4).toBe('10.64.0.1/32');
    expect(wg_config.config).toContain(`\nEndpoint = proxy.example:${wg_config.wg_proxy_port}\n`);
    expect(service.wireGuard).toEqual({ state: 'off', reason: 'it was turned off' });
  });
  test('issues the same tunnel again at re-authentication', async () => {
    const { post, register } = await startAndLogIn();
    const { answer, clientId } = await register();
    const again = (await post('/network/auth-client', { ...withTunnel, client_id: clientId })).body;
    expect(again.proxy_config_result).toEqual(answer.proxy_config_result);
  });
  test('issues what was not asked for before', async () => {
    const { post, register } = await startAndLogIn();
    const { answer, clientId } = await register({ proxy_config: {} });
    expect(answer.proxy_config_result).toMatchObject({ wg_config: null });
    expect(answer.proxy_config_result.auth_token).toBeUndefined();
    const wish = { enable_wg: true, https_require_auth: true };
    const later = (await post('/network/auth-client', { client_id: clientId, proxy_config: wish }))
      .body;
    expect(later.proxy_config_result.wg_config).toMatchObject({ client_ipv4: '10.64.0.1/32' });
    expect(later.proxy_config_result.auth_token).toMatch(/.{20}/);
  });
  test('sets every mode, echoes it and keeps it over a restart', async () => {
    const directory = makeDirectory();
    const { service, token, post, register } = await startAndLogIn({ directory });
    const { clientId } = await register();
    for (const provide_mode of [0, 1, 2, 3, 4, 5]) {
      expect(
        (await post('/device/set-provide', { client_id: clientId, provide_mode })).body,
      ).toEqual({ provide_mode });
    }
    await service.close();
    const { clients } = (
      await call((await start({ directory })).baseUrl, '/network/clients', { token })
    ).body;
    expect(clients[0].provide_mode).toBe(5);
  });
  test.each([-1, 6])('knows no mode %i', async (provide_mode) => {
    const { post, get, register } = await startAndLogIn();
    const { clientId } = await register();
    expect(
      (await post('/device/set-provide', { client_id: clientId, provide_mode })).body.error,
    ).toBeDefined();
    expect((await get('/network/clients')).body.clients[0].provide_mode).toBe(0);
  });
  test('counts the lookback of one provider in hours', async () => {
    const { post, register } = await startAndLogIn();
    const { clientId } = await register();
    const statistics = (await post('/stats/provider-last-n', { client_id: clientId, last_n: 48 }))
      .body;
    expect(statistics).toMatchObject({ lookback: 48, uptime: {}, client_details: [] });
    expect((await post('/stats/providers-last-n', { last_n: 0 })).body.error).toBeDefined();
  });
});

describe('the production profile', () => {
  const production = { profile: 'production' } as const;
  test('answers a registration with its id, keepalive zero and a bare address', async () => {
    const { register } = await startAndLogIn({ ...production, keepaliveSeconds: 7 });
    const { answer, clientId } = await register();
    expect(answer.client_id).toBe(clientId);
    expect(answer.proxy_config_result).toMatchObject({ keepalive_seconds: 0, http_proxy_url: '' });
    expect(answer.proxy_config_result.wg_config.client_ipv4).toBe('10.64.0.1');
    expect(answer.proxy_config_result.wg_config.config).toContain('\nAddress = 10.64.0.1/32\n');
  });
  test('issues nothing at re-authentication', async () => {
    const { post, register } = await startAndLogIn(production);
    const { clientId } = await register();
    const again = (await post('/network/auth-client', { ...withTunnel, client_id: clientId })).body;
    expect(again).toEqual({ by_client_jwt: expect.any(String), client_id: clientId });
  });
  test('answers both a client and an error where the location is missing', async () => {
    const { get, register } = await startAndLogIn(production);
    const { answer, clientId } = await register({
      proxy_config: { enable_wg: true, initial_device_state: {} },
    });
    expect(answer).toMatchObject({ client_id: clientId, error: { message: 'Invalid location' } });
    expect(answer.proxy_config_result).toBeUndefined();
    expect((await get('/network/clients')).body.clients).toHaveLength(1);
    const located = { enable_wg: true, initial_device_state: { country_code: 'de' } };
    expect((await register({ proxy_config: located })).answer.error).toBeUndefined();
  });
  test('has no set-provide, not even for strangers', async () => {
    const { service, token } = await startAndLogIn(production);
    for (const known of [token, undefined]) {
      const answer = await call(service.baseUrl, '/device/set-provide', {
        token: known,
        text: '{}',
      });
      expect(answer).toEqual({ status: 404, type: 'text/plain', body: '404 page not found' });
    }
  });
  test('lists no mode before one is published, and numbers modes one lower', async () => {
    const directory = makeDirectory();
    const { service, token, get, register } = await startAndLogIn({ ...production, directory });
    const { clientId } = await register();
    const list = async () => (await get('/network/clients')).body.clients[0];
    expect(await list()).not.toHaveProperty('provide_mode');
    using database = openDatabase(directory);
    createProvideKeys(database).publish(clientId, [{ mode: 3, secret: Buffer.alloc(32) }]);
    expect(await list()).toMatchObject({ provide_mode: 3 });
    const { providers } = (await call(service.baseUrl, '/stats/providers', { token })).body;
    expect(providers[0]).not.toHaveProperty('provide_mode');
  });
  test('names no network of a client, but an id of zeros', async () => {
    const { get, register } = await startAndLogIn(production);
    await register();
    expect((await get('/network/clients')).body.clients).toMatchObject([
      { network_id: '00000000-0000-0000-0000-000000000000' },
    ]);
  });
  test('writes null for every empty list, and times with nine digits', async () => {
    const clock = { nowMs: Date.now() };
    const { get, register } = await startAndLogIn({ ...production, now: () => clock.nowMs });
    expect((await get('/network/clients')).body).toEqual({ clients: null });
    const { providers, created_time } = (await get('/stats/providers')).body;
    expect(providers).toBeNull();
    expect(created_time).toMatch(/\.\d{9}Z$/);
    await register();
    clock.nowMs += 2 * 86_400_000;
    expect((await get('/network/clients')).body.clients[0].connections).toBeNull();
  });
  test.each([
    [2, 1],
    [24, 1],
    [90, 4],
  ])('counts the lookback over %i hours of one provider as %i days', async (last_n, lookback) => {
    const { post, register } = await startAndLogIn(production);
    const { clientId } = await register();
    const statistics = (await post('/stats/provider-last-n', { client_id: clientId, last_n })).body;
    expect(statistics).toMatchObject({ lookback, client_details: null });
  });
});

describe('the service', () => {
  test('that cannot listen says so, and leaves neither an interface nor a locked directory', async () => {
    const directory = makeDirectory();
    const network = createFakeNetwork((privateKey) => `public of ${privateKey}`);
    const first = await start();
    const listen = { address: '127.0.0.1', port: Number(new URL(first.baseUrl).port) };
    const options = { directory, listen, wireGuard: 'on', exec: network.exec } as const;
    await expect(start(options)).rejects.toThrow(/listening on 127.0.0.1/);
    expect(network.links.size).toBe(0);
    await start({ directory });
  });
  test('keeps the port that registrations name', async () => {
    const directory = makeDirectory();
    const first = await startAndLogIn({ directory });
    const issued = (await first.register()).answer.proxy_config_result.wg_config;
    await first.service.close();
    const second = await startAndLogIn({ directory });
    const later = (await second.register()).answer.proxy_config_result.wg_config;
    expect([later.wg_proxy_port, later.proxy_public_key]).toEqual([
      issued.wg_proxy_port,
      issued.proxy_public_key,
    ]);
    expect(later.client_ipv4).toBe('10.64.0.2/32');
  });
  test("has taken consumers' traffic from a device when it answers that the mode is none", async () => {
    const network = createFakeNetwork((privateKey) => `public of ${privateKey}`);
    const { service, post, register } = await startAndLogIn({
      wireGuard: 'on',
      exec: network.exec,
    });
    const { answer, clientId } = await register();
    const { client_public_key } = answer.proxy_config_result.wg_config;
    const peer = network.links.get('trib-ref0')?.peers.get(client_public_key);
    if (peer === undefined) throw new Error('the registration did not become a peer');
    peer.handshakeAt = Date.now() / 1000;
    const allowedIps = () =>
      network.links.get('trib-ref0')?.peers.get(client_public_key)?.allowedIps;
    await post('/device/set-provide', { client_id: clientId, provide_mode: 4 });
    expect(allowedIps()).toEqual(['10.64.0.1/32', '0.0.0.0/0', '::/0']);
    await post('/device/set-provide', { client_id: clientId, provide_mode: 1 });
    expect(allowedIps()).toEqual(['10.64.0.1/32']);
    await service.close();
    expect(network.links.size).toBe(0);
  });
  test('that was killed does not call its clients connected after a start', async () => {
    const directory = makeDirectory();
    const network = createFakeNetwork((privateKey) => `public of ${privateKey}`);
    const { token, get, register } = await startAndLogIn({
      directory,
      wireGuard: 'on',
      exec: network.exec,
    });
    const { answer } = await register();
    const peer = network.links
      .get('trib-ref0')
      ?.peers.get(answer.proxy_config_result.wg_config.client_public_key);
    Object.assign(peer ?? {}, { handshakeAt: Date.now() / 1000 });
    expect((await get('/stats/providers')).body.providers[0].connected).toBe(true);
    // What a killed service leaves is what lies on the disk at that moment.
    const left = makeDirectory();
    cpSync(directory, left, { recursive: true });
    const { baseUrl } = await start({ directory: left });
    expect((await call(baseUrl, '/stats/providers', { token })).body.providers[0].connected).toBe(
      false,
    );
  });
  test('says in the statistics who is connected and what moved', async () => {
    const network = createFakeNetwork((privateKey) => `public of ${privateKey}`);
    const { post, get, register } = await startAndLogIn({ wireGuard: 'on', exec: network.exec });
    const { answer, clientId } = await register();
    const peer = network.links
      .get('trib-ref0')
      ?.peers.get(answer.proxy_config_result.wg_config.client_public_key);
    Object.assign(peer ?? {}, { handshakeAt: Date.now() / 1000, rxBytes: 2 ** 30 });
    const [provider] = (await get('/stats/providers')).body.providers;
    expect(provider).toMatchObject({
      client_id: clientId,
      connected: true,
      transfer_data_last_24h: 1,
    });
    expect(provider.payout_last_24h).toBeCloseTo(0.05);
    expect(provider.connected_events_last_24h).toHaveLength(1);
    const statistics = (await post('/stats/provider-last-n', { client_id: clientId, last_n: 1 }))
      .body;
    expect(Object.keys(statistics.uptime)[0]).toMatch(/^\d{4}-\d\d-\d\d-\d\d$/);
    expect(Object.entries(statistics.transfer_data)).toEqual([
      [expect.stringMatching(/^\d{4}-\d\d-\d\d$/), 1],
    ]);
  });
});
