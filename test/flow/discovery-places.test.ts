import { describe, expect, test } from 'vitest';
import { openWorld, production } from './discovery-world.ts';
import { call } from './reference-caller.ts';

describe('find-locations', () => {
  test('finds a country with its providers, and says how to ask for it', async () => {
    const { findLocations, find } = await openWorld();
    const location_id = find('country', 'Germany');
    expect(await findLocations({ query: 'germ' })).toEqual({
      specs: [{ location_id }],
      groups: [],
      locations: [
        {
          location_id,
          location_type: 'country',
          name: 'Germany',
          country: 'Germany',
          country_code: 'DE',
          provider_count: 2,
          match_distance: 0.5,
        },
      ],
    });
  });
  test('ranks what is called so before what only begins so, whatever has the providers', async () => {
    const { findLocations } = await openWorld();
    const found = (await findLocations({ query: 'IN' })).locations;
    expect(found[0]).toMatchObject({ name: 'India', match_distance: 0, provider_count: 0 });
    const near = (await findLocations({ query: 'jap' })).locations;
    expect(near).toMatchObject([{ name: 'Japan', match_distance: 0.5, provider_count: 1 }]);
  });
  test('leaves zeros out in production', async () => {
    const { findLocations } = await openWorld(production);
    const { groups, locations } = await findLocations({ query: 'rome' });
    expect(groups).toBeNull();
    expect(Object.keys(locations[0])).not.toContain('provider_count');
    expect(Object.keys(locations[0])).not.toContain('match_distance');
    expect((await findLocations({ query: 'munich' })).locations[0].provider_count).toBe(1);
  });
  test('ranks by nearness, then providers, then name', async () => {
    const { findLocations } = await openWorld();
    const near = { enable_max_distance_fraction: true, max_distance_fraction: 0.5 };
    const { locations } = await findLocations({ query: 'Paris', ...near });
    const distances = locations.map(
      (location: { match_distance: number }) => location.match_distance,
    );
    expect(distances[0]).toBe(0);
    expect(distances).toEqual(distances.toSorted());
    expect(distances.at(-1)).toBe(2);
    const names = (await findLocations({ query: 'm' })).locations.map(
      (location: { name: string }) => location.name,
    );
    expect(names.slice(0, 3)).toEqual(['Munich', 'Central Macedonia', 'Chiang Mai']);
  });
  test.each([
    [{ query: 'Germny' }, []],
    [{ query: 'Germny', max_distance_fraction: 0.5 }, []],
    [{ query: 'Germny', enable_max_distance_fraction: true }, ['Germany']],
    [{ query: 'Germny', enable_max_distance_fraction: true, max_distance_fraction: 0.1 }, []],
    [
      { query: 'Germany', enable_max_distance_fraction: true, max_distance_fraction: 0 },
      ['Germany'],
    ],
  ])('takes %j for %j', async (body, names) => {
    const { locations, specs } = await (await openWorld()).findLocations(body);
    expect(locations.map((location: { name: string }) => location.name)).toEqual(names);
    // The best of everything would look like an answer.
    if (names.length === 0) expect(specs).toEqual([]);
  });
  test.each([-7, -0.001, 1.001, 9])('takes no share of %d', async (max_distance_fraction) => {
    const body = { query: 'Germany', enable_max_distance_fraction: true, max_distance_fraction };
    const error = { message: 'max_distance_fraction must be from 0 to 1.' };
    expect(await (await openWorld()).findLocations(body)).toEqual({ error });
  });
  test('finds groups, and everything with providers where nothing is asked for', async () => {
    const { findLocations, find } = await openWorld();
    const location_group_id = find('group', 'Fast Streaming');
    expect(await findLocations({ query: 'fast streaming' })).toEqual({
      specs: [{ location_group_id }],
      groups: [
        {
          location_group_id,
          name: 'Fast Streaming',
          provider_count: 4,
          promoted: true,
          match_distance: 0,
        },
      ],
      locations: [],
    });
    const { groups, locations } = await findLocations({ query: ' ' });
    const toRow = (row: { name: string; provider_count: number }) => [row.name, row.provider_count];
    expect(groups.map(toRow)).toEqual([
      ['Fast Streaming', 4],
      ['Europe', 3],
      ['Strong Privacy Laws', 2],
      ['Asia', 1],
    ]);
    expect(locations.map(toRow).slice(0, 2)).toEqual([
      ['Germany', 2],
      ['Bavaria', 1],
    ]);
    expect(locations).toHaveLength(11);
  });
  test('gives no more than fifty', async () => {
    const everything = {
      query: 'zzz',
      enable_max_distance_fraction: true,
      max_distance_fraction: 1,
    };
    const { groups, locations } = await (await openWorld()).findLocations(everything);
    expect(groups.length + locations.length).toBe(50);
  });
  test('knows a public provider by its id, and no other', async () => {
    const { findLocations, idOf } = await openWorld();
    expect((await findLocations({ query: idOf('their roof') })).specs).toEqual([
      { client_id: idOf('their roof') },
    ]);
    for (const name of ['their secret', 'own cellar', 'their spare'] as const) {
      expect((await findLocations({ query: idOf(name) })).specs).toEqual([]);
    }
  });
  test('recommends the best available where it is asked for', async () => {
    const { findLocations } = await openWorld();
    for (const query of ['any', 'best'])
      expect((await findLocations({ query })).specs).toContainEqual({ best_available: true });
    expect((await findLocations({ query: 'germany' })).specs).not.toContainEqual({
      best_available: true,
    });
  });
  test('refuses an endless query', async () => {
    const { findLocations } = await openWorld();
    expect(await findLocations({ query: 'x'.repeat(201) })).toEqual({
      error: { message: expect.any(String) },
    });
  });
});

describe('provider-locations', () => {
  test('lists where public providers are, every group, and the best by labels of places', async () => {
    const { ask, find, idOf } = await openWorld();
    const { body } = await ask('/network/provider-locations');
    expect(body.specs).toEqual([{ best_available: true }]);
    expect(body.groups).toHaveLength(8);
    expect(body.groups).toContainEqual({
      location_group_id: find('group', 'Africa'),
      name: 'Africa',
      provider_count: 0,
      promoted: false,
    });
    expect(body.locations).toHaveLength(11);
    expect(body.locations).toContainEqual({
      location_id: find('city', 'Munich'),
      location_type: 'city',
      name: 'Munich',
      city: 'Munich',
      city_location_id: find('city', 'Munich'),
      region: 'Bavaria',
      region_location_id: find('region', 'Bavaria'),
      country: 'Germany',
      country_location_id: find('country', 'Germany'),
      country_code: 'DE',
      provider_count: 1,
    });
    const label = (place: string, id: string) => ({
      client_id: id,
      device_name: `${place} ${id.slice(0, 4)}`,
    });
    expect(body.devices).toEqual([
      label('Berlin', idOf('own attic')),
      label('Munich', idOf('their roof')),
      label('Paris', idOf('their shop')),
      label('Tokyo', idOf('their barn')),
    ]);
  });
  test("names a caller's own devices first, as their owner does", async () => {
    const { get, idOf } = await openWorld();
    const { devices } = (await get('/network/provider-locations')).body;
    expect(devices.slice(0, 2)).toEqual([
      { client_id: idOf('own attic'), device_name: 'own attic' },
      { client_id: idOf('own cellar'), device_name: 'own cellar' },
    ]);
    expect(devices).toHaveLength(5);
    expect(devices[2].client_id).toBe(idOf('their roof'));
  });
  test('takes a caller with a worthless token for one without', async () => {
    const { service } = await openWorld();
    const answer = await call(service.baseUrl, '/network/provider-locations', {
      token: 'worthless',
    });
    expect(answer.status).toBe(200);
    expect(answer.body.devices).toHaveLength(4);
  });
  test('omits zeros in production', async () => {
    const { ask } = await openWorld(production);
    const { groups } = (await ask('/network/provider-locations')).body;
    const africa = groups.find((group: { name: string }) => group.name === 'Africa');
    expect(Object.keys(africa)).toEqual(['location_group_id', 'name', 'promoted']);
  });
});

describe('create-provider-spec', () => {
  test.each([
    ['fast streaming', [['group', 'Fast Streaming']]],
    [
      'Munich or Tokyo',
      [
        ['city', 'Munich'],
        ['city', 'Tokyo'],
      ],
    ],
    ['somewhere in europ', [['group', 'Europe']]],
    ['the best', []],
    ['', []],
  ] as const)('reads %j', async (query, places) => {
    const { post, find } = await openWorld();
    const specs = places.map(([type, name]) =>
      type === 'group'
        ? { location_group_id: find(type, name) }
        : { location_id: find(type, name) },
    );
    const answer = (await post('/network/create-provider-spec', { query })).body;
    expect(answer).toEqual({ specs: specs.length === 0 ? [{ best_available: true }] : specs });
  });
  test.each(['blurb fnord', 'etwas Gutes'])(
    'says of %j that it understands nothing of it',
    async (query) => {
      const { post } = await openWorld();
      const { error } = (await post('/network/create-provider-spec', { query })).body;
      expect(error.message).toContain('Nothing in the query names a place or a use');
    },
  );
  test.each([
    ['north korea', 'north korea'],
    ['streaming in Nordkorea, or in Germany', 'nordkorea'],
    ['China or Syria', 'china or syria'],
  ])('says of %j that it has no place there, and answers with no other', async (query, names) => {
    const { post } = await openWorld();
    expect((await post('/network/create-provider-spec', { query })).body).toEqual({
      error: { message: `This service has no place in ${names}.` },
    });
  });
  test('takes what is not here for left out', async () => {
    const { post, find } = await openWorld();
    const ask = async (query: string) =>
      (await post('/network/create-provider-spec', { query })).body.specs;
    expect(await ask('not in China')).toEqual([{ best_available: true }]);
    expect(await ask('Germany, not China')).toEqual([{ location_id: find('country', 'Germany') }]);
  });
  test('narrows a place by a use, and leaves out what is not wanted', async () => {
    const { post, find, findNames, findProviders2 } = await openWorld();
    const ask = async (query?: string) =>
      (await post('/network/create-provider-spec', { query })).body;
    const findFor = async (query: string) => findProviders2({ specs: (await ask(query)).specs });
    const location_group_id = find('group', 'Fast Streaming');
    const inGermany = { location_id: find('country', 'Germany'), location_group_id };
    expect(await ask('fast streaming in Germany')).toEqual({ specs: [inGermany] });
    expect(findNames([])).toEqual([]);
    const cases = [
      ['fast streaming in Germany', ['own attic', 'their roof']],
      ['streaming in Asia', ['their barn']],
      ['privacy in Europe', ['own attic', 'their roof']],
      ['not in Germany', ['their shop', 'their barn']],
      ['in Europe but not in Munich', ['own attic', 'their shop']],
      ['streaming outside Europe', ['their barn']],
      ['Germany except Bavaria', ['own attic']],
    ] as const;
    for (const [query, names] of cases)
      expect([query, await findFor(query)]).toEqual([query, names]);
    const all = (await ask('not in Munich')).specs;
    expect(all).toContainEqual({ location_id: find('country', 'France') });
    expect(all).toContainEqual({ location_id: find('city', 'Nuremberg') });
    expect(all).not.toContainEqual({ location_id: find('country', 'Germany') });
    for (const query of [
      'streaming from Iceland',
      'streaming from Africa',
      'privacy in South America',
    ]) {
      expect([query, await ask(query)]).toEqual([
        query,
        { error: { message: expect.stringContaining('for that use') } },
      ]);
    }
    expect(await ask('Munich, but not Germany')).toEqual({
      error: { message: expect.stringContaining('excludes') },
    });
    expect(await ask()).toEqual({ specs: [{ best_available: true }] });
  });
  test('wants a token, and an end', async () => {
    const { ask, post } = await openWorld();
    expect((await ask('/network/create-provider-spec', { query: '' })).status).toBe(401);
    const endless = (await post('/network/create-provider-spec', { query: 'x'.repeat(201) })).body;
    expect(endless).toEqual({ error: { message: expect.any(String) } });
  });
});
