import { createOwner, given, hourMs, type Owner, register, type World } from './world.ts';

/** Every option of a registration that the document names. */
const fullWish = {
  description: 'shed',
  device_spec: 'pi 5',
  proxy_config: {
    lock_caller_ip: false,
    lock_ip_list: [],
    https_require_auth: true,
    enable_wg: true,
    initial_device_state: {
      country_code: 'DE',
      location: {
        connect_location_id: { best_available: true },
        name: 'Germany',
        location_type: 'country',
      },
      performance_profile: {
        window_type: 'quality',
        window_size_settings: {
          window_size_min: 1,
          window_size_max: 4,
          keep_healthiest_count: 1,
          ulimit: 16,
        },
      },
    },
  },
};

/** The owner of the first network, which the administration takes where none is named. */
type FirstOwner = Pick<Owner, 'token'>;

/**
 * Asks every operation for everything it can answer, its failures included; `home` has statistics
 * already.
 */
export async function takeTour(world: World, home: FirstOwner): Promise<void> {
  const aunt = await createOwner(world, 'aunt');
  const shed = await register(world, home.token, fullWish);
  const derived = await register(world, home.token, { ...fullWish, source_client_id: shed });
  // What was derived is authenticated again, so no client is made.
  await world.client.ask('POST /network/auth-client', {
    token: home.token,
    body: { ...fullWish, source_client_id: shed, derived_client_id: derived },
  });
  await tourDevices(world, { home, aunt, shed });
  await tourPlaces(world, home);
  await tourStatistics(world, home, shed);
  await tourAccounts(world, home);
  await fillUp(world, aunt);
}

async function tourDevices(
  { client, service }: World,
  { home, aunt, shed }: { home: FirstOwner; aunt: Owner; shed: string },
) {
  const { token } = home;
  for (const provide_mode of [4, 99]) {
    await client.ask('POST /device/set-provide', {
      token,
      body: { client_id: shed, provide_mode },
    });
  }
  for (const client_id of [shed, shed, 'never-was']) {
    const made = await client.ask('POST /device/create-share-code', {
      token,
      body: { client_id, device_name: 'our shed' },
    });
    if (client_id !== shed) continue;
    await client.ask('GET /device/associations', home);
    await client.ask('POST /device/add', { token: aunt.token, body: { code: made.share_code } });
  }
  const order = { clientId: shed, deviceName: 'old shed', durationMinutes: 5 };
  const { adoptCode } = await service.admin.createAdoptCode(order);
  await client.ask('GET /device/associations', home);
  await client.ask('GET /device/associations', aunt);
  for (const code of [adoptCode, adoptCode])
    await client.ask('POST /device/add', { token: aunt.token, body: { code } });
}

async function tourPlaces(world: World, { token }: FirstOwner): Promise<void> {
  const { client } = world;
  const client_id = await register(world, token, fullWish);
  await client.ask('POST /device/set-provide', { token, body: { client_id, provide_mode: 4 } });
  const { groups } = await client.ask('GET /network/provider-locations');
  const [group] = groups ?? [];
  const fuzzy = { enable_max_distance_fraction: true, max_distance_fraction: 0.3 };
  for (const query of ['Germany', 'Germny', 'Berlin', group?.name ?? '', 'best', client_id]) {
    const { locations } = await client.ask('POST /network/find-locations', {
      body: { query, ...fuzzy },
    });
    const [place] = locations ?? [];
    await client.ask('POST /network/find-providers', {
      token,
      body: { location_id: place?.location_id ?? undefined },
    });
    await client.ask('POST /network/create-provider-spec', {
      token,
      body: { query: `something in ${query}` },
    });
  }
  const specs = [{ best_available: true }, { client_id }];
  await client.ask('POST /network/find-providers2', {
    body: { specs, count: 5, rank_mode: 'quality' },
  });
}

async function tourStatistics(world: World, home: FirstOwner, shed: string): Promise<void> {
  const { client } = world;
  const { token } = home;
  const { clients } = await client.ask('GET /network/clients', home);
  // After an hour, the client that has left has a time at which it was last seen.
  world.pass(hourMs);
  await client.ask('GET /network/clients', home);
  await client.ask('GET /network/reliability', home);
  await client.ask('GET /stats/providers', home);
  await client.ask('POST /stats/providers-last-n', { token, body: { last_n: 48 } });
  await client.ask('POST /stats/leaderboard', home);
  for (const client_id of [...(clients ?? []).map((device) => device.client_id), shed]) {
    await client.ask('POST /stats/provider-last-n', { token, body: { client_id, last_n: 48 } });
    await client.ask('POST /stats/provider-last-90', { token, body: { client_id } });
  }
}

async function tourAccounts({ client, service }: World, { token }: FirstOwner): Promise<void> {
  for (const walletType of ['managed', 'external'] as const) {
    await service.admin.addWallet({ walletAddress: walletType, walletType });
  }
  const { wallets } = await client.ask('GET /account/wallets', { token });
  for (const wallet of wallets ?? []) {
    await client.ask('POST /account/payout-wallet', {
      token,
      body: { wallet_id: wallet.wallet_id },
    });
    await client.ask('GET /account/payout-wallet', { token });
  }
  const codes = Array.from({ length: 20 }, () => client.ask('POST /auth/code-create', { token }));
  const auth_code = given((await Promise.all(codes))[0] ?? {}, 'auth_code');
  for (const _ of ['good', 'used'])
    await client.ask('POST /auth/code-login', { body: { auth_code } });
  const { resetCode: reset_code } = await service.admin.createResetCode({});
  const password = 'correct horse battery';
  for (const _ of ['good', 'used'])
    await client.ask('POST /auth/password-set', { body: { reset_code, password } });
  const body = { user_auth: 'ada@example.com', network_name: 'ada', password };
  const { guestJwt } = service;
  for (const _ of ['a guest', 'no longer one'])
    await client.ask('POST /auth/upgrade-guest', { token: guestJwt, body });
}

async function fillUp({ client }: World, { token }: Owner): Promise<void> {
  for (let devices = 0; devices < 100; devices += 1) {
    if (
      (await client.ask('POST /network/auth-client', { token, body: {} })).error
        ?.client_limit_exceeded === true
    )
      return;
  }
}
