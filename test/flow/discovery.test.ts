import { describe, expect, test } from 'vitest';
import { operations } from '../../src/service/operations.ts';
import { profiles } from '../../src/service/profiles.ts';
import { openWorld, production } from './discovery-world.ts';
import { call, startAndLogIn } from './reference-caller.ts';

const everyone = ['own attic', 'their roof', 'their shop', 'their barn'];

describe('find-providers2', () => {
  test('gives public providers, best first, with speed and tier, to a caller without a token', async () => {
    const { ask, idOf } = await openWorld();
    const provider = (client_id: string, tier: number) => ({
      client_id,
      estimated_bytes_per_second: 1000,
      tier,
      intermediary_ids: [],
    });
    const { status, body } = await ask('/network/find-providers2', {});
    expect(status).toBe(200);
    expect(body).toEqual({
      providers: [
        provider(idOf('own attic'), 1),
        provider(idOf('their roof'), 1),
        provider(idOf('their shop'), 2),
        provider(idOf('their barn'), 3),
      ],
    });
  });
  test('takes one that fits any of the specs, once', async () => {
    const { findProviders2, find, idOf } = await openWorld();
    const germany = { location_id: find('country', 'Germany') };
    const cases: readonly (readonly [readonly unknown[], readonly string[]])[] = [
      [[], everyone],
      [[{}], everyone],
      [[{ best_available: true }], everyone],
      [[germany], ['own attic', 'their roof']],
      [[{ location_id: find('region', 'Bavaria') }], ['their roof']],
      [[{ location_id: find('city', 'Paris') }], ['their shop']],
      [[{ location_group_id: find('group', 'Europe') }], ['own attic', 'their roof', 'their shop']],
      [
        [{ location_group_id: find('group', 'Asia') }, { location_id: find('city', 'Berlin') }],
        ['own attic', 'their barn'],
      ],
      [[{ client_id: idOf('their shop') }], ['their shop']],
      [
        [germany, { client_id: idOf('their roof') }, { client_id: idOf('their barn') }],
        ['own attic', 'their roof', 'their barn'],
      ],
      [[{ ...germany, best_available: true }], ['own attic', 'their roof']],
      [[{ ...germany, location_group_id: find('group', 'Asia') }], []],
      [[{ location_id: 'nowhere' }], []],
      [
        [
          { client_id: idOf('their secret') },
          { client_id: idOf('own cellar') },
          { client_id: 'nobody' },
        ],
        [],
      ],
    ];
    for (const [specs, expected] of cases)
      expect(await findProviders2({ specs }), JSON.stringify(specs)).toEqual(expected);
  });
  test('leaves out whom the caller excludes, and gives no more than asked for', async () => {
    const { findProviders2, idOf } = await openWorld();
    expect(await findProviders2({ exclude_client_ids: [idOf('own attic')], count: 2 })).toEqual([
      'their roof',
      'their shop',
    ]);
    const exclude_destinations = [
      [idOf('own attic'), idOf('their shop')],
      [],
      [idOf('their barn')],
    ];
    // Of a way only the last client is left out; relays serve others.
    expect(await findProviders2({ exclude_destinations })).toEqual(['own attic', 'their roof']);
    expect(await findProviders2({ count: 1, rank_mode: 'quality' })).toEqual(['own attic']);
    expect(await findProviders2({ count: 1e9 })).toEqual(everyone);
  });
  test.each([
    ['a count of nothing', { count: 0 }],
    ['a count below nothing', { count: -1 }],
    ['another rank mode', { rank_mode: 'speed' }],
    ['an empty rank mode', { rank_mode: '' }],
    ['a thousand specs and one', { specs: Array.from({ length: 1001 }, () => ({})) }],
  ])('refuses %s', async (_, body) => {
    const { ask } = await openWorld();
    expect((await ask('/network/find-providers2', body)).body).toEqual({
      error: { message: expect.any(String) },
    });
  });
  test('writes an empty answer as the profile does', async () => {
    const specs = [{ location_id: 'nowhere' }];
    expect((await (await openWorld()).ask('/network/find-providers2', { specs })).body).toEqual({
      providers: [],
    });
    expect(
      (await (await openWorld(production)).ask('/network/find-providers2', { specs })).body,
    ).toEqual({
      providers: null,
    });
  });
  test('counts as interest in whom it names', async () => {
    const { findProviders2, findProviders, get, idOf } = await openWorld();
    await findProviders2({});
    await findProviders2({ count: 1 });
    await findProviders({ count: 2 });
    const { providers } = (await get('/stats/providers')).body;
    const interest = providers.map((row: Record<string, unknown>) => [
      row.client_id,
      row.search_interest_last_24h,
    ]);
    expect(interest).toEqual([
      [idOf('own attic'), 3],
      [idOf('own cellar'), 1],
    ]);
  });
});

describe('find-providers', () => {
  test("gives public providers and the network's own, best first", async () => {
    const { findProviders, find } = await openWorld();
    const all = ['own attic', 'own cellar', 'their roof', 'their shop', 'their barn'];
    const germany = find('country', 'Germany');
    const cases: readonly (readonly [unknown, readonly string[]])[] = [
      [{}, all],
      [{ count: 2 }, ['own attic', 'own cellar']],
      [{ location_id: germany }, ['own attic', 'own cellar', 'their roof']],
      [{ location_group_id: find('group', 'Fast Streaming') }, all],
      [
        { location_group_id: find('group', 'Strong Privacy Laws') },
        ['own attic', 'own cellar', 'their roof'],
      ],
      [{ location_id: germany, exclude_location_ids: [find('city', 'Munich')] }, ['own attic']],
      [
        { exclude_location_ids: [find('region', 'Bavaria'), find('country', 'Japan')] },
        ['own attic', 'their shop'],
      ],
      [{ exclude_location_ids: ['nowhere'] }, all],
      [{ location_id: germany, exclude_location_ids: [germany] }, []],
    ];
    for (const [body, expected] of cases)
      expect(await findProviders(body), JSON.stringify(body)).toEqual(expected);
  });
  test('wants a token', async () => {
    const { ask } = await openWorld();
    expect(await ask('/network/find-providers', {})).toMatchObject({
      status: 401,
      body: 'Not authorized.',
    });
  });
  test('refuses a count of nothing', async () => {
    const { post } = await openWorld();
    expect((await post('/network/find-providers', { count: 0 })).body).toEqual({
      error: { message: expect.any(String) },
    });
  });
});

test.each(['documented', 'production'] as const)(
  "names no other network's private device (%s)",
  async (profile) => {
    const { service, token, idOf, find } = await openWorld({ profile });
    const specs = [
      {},
      { client_id: idOf('their secret') },
      { location_id: find('city', 'Berlin') },
    ];
    const requests = [
      ['/network/find-providers2', { specs, count: 200 }],
      ['/network/find-providers', { count: 200 }],
      [
        '/network/find-locations',
        { query: 'their secret', enable_max_distance_fraction: true, max_distance_fraction: 1 },
      ],
      ['/network/find-locations', { query: idOf('their secret') }],
      ['/network/find-provider-locations', { query: idOf('their secret') }],
      [
        '/network/find-provider-locations',
        { query: 'their secret', enable_max_distance_fraction: true, max_distance_fraction: 1 },
      ],
      ['/network/provider-locations', undefined],
      ['/network/create-provider-spec', { query: `their secret ${idOf('their secret')}` }],
    ] as const;
    const { notServed } = profiles[profile];
    const isServed = (path: string) => !notServed.some((name) => operations[name].path === path);
    for (const [path, body] of requests) {
      const { status, body: answer } = await call(service.baseUrl, path, { token, body });
      expect(status).toBe(isServed(path) ? 200 : 404);
      const text = JSON.stringify(answer);
      expect(text).not.toMatch(/their (secret|spare|roof|shop|barn)/);
      for (const name of ['their secret', 'their spare'] as const)
        expect(text).not.toContain(idOf(name));
    }
  },
);

describe('the number of providers', () => {
  const inIceland = { proxy_config: { initial_device_state: { country_code: 'IS' } } };
  async function openWithDevice(options: Parameters<typeof startAndLogIn>[0]) {
    const { service, post, register } = await startAndLogIn(options);
    const { clientId } = await register(inIceland);
    const countIn = async (query: string) => {
      const { body } = await call(
        service.baseUrl,
        options?.profile === 'production'
          ? '/network/find-provider-locations'
          : '/network/find-locations',
        { body: { query } },
      );
      return body.locations[0].provider_count;
    };
    return { post, clientId, countIn };
  }
  test('follows a registration with a country, and what set-provide says', async () => {
    const { post, clientId, countIn } = await openWithDevice({});
    const { modeNumbers } = profiles.documented;
    for (const [mode, expected] of [
      ['default', 1],
      ['none', 0],
      ['network', 0],
      ['friends', 0],
      ['public', 1],
      ['stream', 1],
    ] as const) {
      await post('/device/set-provide', { client_id: clientId, provide_mode: modeNumbers[mode] });
      expect([mode, await countIn('Reykjavik'), await countIn('Iceland')]).toEqual([
        mode,
        expected,
        expected,
      ]);
    }
  });
  test('counts a client in production from its registration', async () => {
    expect(await (await openWithDevice(production)).countIn('Reykjavik')).toBe(1);
  });
});
