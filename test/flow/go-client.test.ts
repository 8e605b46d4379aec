import { expect, test } from 'vitest';
import { profileNames } from '../../src/service/profiles.ts';
import { call, createAuthCode, startAndLogIn } from './reference-caller.ts';

/**
 * What a client in Go sends that encodes its structures as they are: every field, an empty list as
 * null, an absent structure as null, and fields of its own that the interface does not have.
 */
const noLocation = {
  location: null,
  performance_profile: null,
  country_code: 'DE',
  dns_resolver_settings: null,
};
const noSpec = {
  location_id: null,
  location_group_id: null,
  client_id: null,
  best_available: true,
};
const everyField = {
  client_id: null,
  source_client_id: null,
  derived_client_id: null,
  description: 'go',
  device_spec: 'go linux/amd64',
  roles: null,
  principal: '',
  proxy_config: {
    lock_caller_ip: false,
    lock_ip_list: null,
    enable_socks: false,
    https_require_auth: false,
    enable_wg: true,
    initial_device_state: noLocation,
  },
};

test.each(profileNames)(
  'requests as a client in Go makes them are taken by the %s service',
  async (profile) => {
    const { service, token, post, get } = await startAndLogIn({ profile });
    const isDocumented = profile === 'documented';
    const ask = async (path: string, body?: unknown) => {
      const answer = await (body === undefined ? get(path) : post(path, body));
      expect([path, answer.status, answer.body.error ?? null]).toEqual([path, 200, null]);
      return answer.body;
    };
    const registered = await ask('/network/auth-client', everyField);
    expect(registered.proxy_config_result.wg_config).toMatchObject({
      client_private_key: expect.any(String),
    });
    const [client] = (await ask('/network/clients')).clients;
    expect(client).toMatchObject({ description: 'go', device_spec: 'go linux/amd64' });
    const { client_id } = client;
    await ask('/network/auth-client', { ...everyField, client_id, proxy_config: null });
    await ask('/network/auth-client', {
      ...everyField,
      proxy_config: { ...everyField.proxy_config, initial_device_state: null },
    });

    const find = {
      specs: [noSpec],
      count: 5,
      force_count: false,
      exclude_client_ids: null,
      exclude_destinations: null,
      rank_mode: 'quality',
      force_minimum: false,
    };
    expect((await ask('/network/find-providers2', find)).providers).toHaveLength(2);
    expect(
      (await ask('/network/find-providers2', { ...find, specs: null })).providers,
    ).toHaveLength(2);
    const nowhere = {
      location_id: null,
      location_group_id: null,
      count: 5,
      exclude_location_ids: null,
    };
    if (isDocumented)
      expect((await ask('/network/find-providers', nowhere)).client_ids).toHaveLength(2);
    const search = `/network/find-${isDocumented ? '' : 'provider-'}locations`;
    const query = {
      query: 'germany',
      max_distance_fraction: 0,
      enable_max_distance_fraction: false,
    };
    expect((await ask(search, query)).locations).toHaveLength(1);
    await ask(search, {
      query: null,
      max_distance_fraction: null,
      enable_max_distance_fraction: null,
    });
    await ask('/network/provider-locations');
    if (isDocumented) await ask('/network/create-provider-spec', { query: null });
    await ask('/network/reliability');

    await ask('/stats/providers');
    expect((await ask('/stats/providers-last-n', { last_n: null })).providers).toHaveLength(2);
    await ask('/stats/provider-last-n', { client_id, last_n: 1 });
    await ask('/stats/provider-last-90', { client_id });
    await ask('/stats/leaderboard', {});

    await ask('/auth/code-create', { duration_minutes: null, uses: null });
    const login = await call(service.baseUrl, '/auth/code-login', {
      token,
      body: { auth_code: await createAuthCode(service) },
    });
    expect(login.body).toEqual({ by_jwt: expect.any(String) });
    const share = await ask('/device/create-share-code', { client_id, device_name: 'go' });
    expect(share.share_code).toEqual(expect.any(String));
    await ask('/device/associations');
    await ask('/account/wallets');
    if (!isDocumented) return;
    const guest = {
      auth_jwt: null,
      auth_jwt_type: null,
      wallet_auth: null,
      password: 'correct horse battery',
    };
    const upgrade = { ...guest, user_auth: 'ada@example.com', network_name: 'ada' };
    const answer = await call(service.baseUrl, '/auth/upgrade-guest', {
      token: service.guestJwt,
      body: upgrade,
    });
    expect(answer.body.network).toEqual({ by_jwt: expect.any(String) });
  },
);
