import { describe, expect, test } from 'vitest';
import type { IndependentClient } from './independent-client.ts';
import {
  createOwner,
  given,
  messageOf,
  type Owner,
  openWorld,
  register,
  type World,
} from './world.ts';

const providers2 = 'POST /network/find-providers2';
const locations = 'POST /network/find-locations';

/** A device in a country that provides to everybody. */
async function provideFrom(world: World, { token }: Owner, country_code: string): Promise<string> {
  const wish = { proxy_config: { enable_wg: true, initial_device_state: { country_code } } };
  const client_id = await register(world, token, wish);
  await world.client.ask('POST /device/set-provide', {
    token,
    body: { client_id, provide_mode: 4 },
  });
  return client_id;
}

/** Two providers in Germany and one in Japan. */
async function open() {
  const world = await openWorld();
  const home = await createOwner(world, 'home');
  const german = [await provideFrom(world, home, 'DE'), await provideFrom(world, home, 'DE')];
  const japanese = await provideFrom(world, home, 'JP');
  return { ...world, world, home, german, japanese, all: [...german, japanese] };
}

async function findCountry(client: IndependentClient, query: string) {
  const answer = await client.ask(locations, { body: { query } });
  const country = (answer.locations ?? []).find(
    ({ location_type, name }) => location_type === 'country' && name === query,
  );
  return { ...country, location_id: given(country ?? {}, 'location_id') };
}

async function find(client: IndependentClient, wish: object): Promise<readonly string[]> {
  const { providers } = await client.ask(providers2, {
    body: { count: 100, rank_mode: 'quality', ...wish },
  });
  return (providers ?? []).map((provider) => provider.client_id ?? '').toSorted();
}

/** Sorts ids, so that lists in different orders compare as equal. */
function sorted(ids: readonly string[]): readonly string[] {
  return ids.toSorted();
}

describe('a search for places', () => {
  test('finds a country by its name, with its code and the number of its providers', async () => {
    const { client, german } = await open();
    const germany = await findCountry(client, 'Germany');
    expect(germany).toMatchObject({ country: 'Germany', country_code: 'DE', provider_count: 2 });
    expect(await find(client, { specs: [{ location_id: germany.location_id }] })).toEqual(
      sorted(german),
    );
  });

  test('answers with specs that a search for providers takes as they are', async () => {
    const { client, german } = await open();
    const { specs } = await client.ask(locations, { body: { query: 'Germany' } });
    expect(await find(client, { specs })).toEqual(sorted(german));
  });

  test('forgives a slip where proximity was asked for, and only there', async () => {
    const { client } = await open();
    const names = async (more: object) => {
      const answer = await client.ask(locations, { body: { query: 'Germny', ...more } });
      return (answer.locations ?? []).map(({ name, match_distance }) => [name, match_distance]);
    };
    expect(await names({})).toEqual([]);
    expect(
      await names({ enable_max_distance_fraction: true, max_distance_fraction: 0.3 }),
    ).toContainEqual(['Germany', 1]);
    expect(await names({ enable_max_distance_fraction: true, max_distance_fraction: 0 })).toEqual(
      [],
    );
  });

  test('counts those that provide at this moment', async () => {
    const { client, home, german } = await open();
    const setMode = async (provide_mode: number) => {
      await client.ask('POST /device/set-provide', {
        token: home.token,
        body: { client_id: german[0], provide_mode },
      });
      return (await findCountry(client, 'Germany')).provider_count ?? 0;
    };
    expect([await setMode(1), await setMode(5), await setMode(2)]).toEqual([1, 2, 1]);
  });
});

describe('the list of places', () => {
  test('holds every place that has providers, with the ids of what it lies in', async () => {
    const { client } = await open();
    const answer = await client.ask('GET /network/provider-locations');
    const places = answer.locations ?? [];
    const byId = new Map(places.map((place) => [place.location_id, place]));
    for (const place of places) {
      expect(await find(client, { specs: [{ location_id: place.location_id }] })).toHaveLength(
        place.provider_count ?? 0,
      );
      for (const type of ['city', 'region', 'country'] as const) {
        const id = place[`${type}_location_id`] ?? undefined;
        if (id !== undefined)
          expect(byId.get(id)).toMatchObject({ location_type: type, name: place[type] });
      }
      expect(place[`${place.location_type as 'city'}_location_id`]).toBe(place.location_id);
    }
    const countries = places.filter(({ location_type }) => location_type === 'country');
    expect(countries.map(({ country_code }) => country_code).toSorted()).toEqual(['DE', 'JP']);
  });

  test('holds groups, each as large as a search in it says', async () => {
    const { client } = await open();
    const { groups } = await client.ask('GET /network/provider-locations');
    expect(
      (groups ?? []).filter((group) => (group.provider_count ?? 0) > 0).length,
    ).toBeGreaterThan(1);
    for (const { location_group_id, provider_count } of groups ?? []) {
      expect(await find(client, { specs: [{ location_group_id }] })).toHaveLength(
        provider_count ?? 0,
      );
    }
  });

  test('names devices that can be found, and never by what their owner calls them', async () => {
    const { client, all } = await open();
    const { devices } = await client.ask('GET /network/provider-locations');
    expect(sorted((devices ?? []).map((device) => device.client_id ?? ''))).toEqual(sorted(all));
    for (const device of devices ?? []) expect(device.device_name).not.toBe('device');
  });
});

describe('a search for providers', () => {
  test('takes places, clients and whatever is best, together without doubles', async () => {
    const { client, german, japanese, all } = await open();
    const { location_id } = await findCountry(client, 'Germany');
    const searches: readonly (readonly [readonly object[], readonly string[]])[] = [
      [[{ client_id: japanese }], [japanese]],
      [[{ location_id }, { client_id: japanese }], all],
      [[{ location_id }, { client_id: german[0] }], german],
      [[{ best_available: true }], all],
      [[{ location_id: 'never-was' }], []],
    ];
    for (const [specs, expected] of searches)
      expect(await find(client, { specs })).toEqual(sorted(expected));
  });

  test('gives no more than were asked for, the best first', async () => {
    const { client } = await open();
    const specs = [{ best_available: true }];
    const { providers } = await client.ask(providers2, {
      body: { specs, count: 3, rank_mode: 'quality' },
    });
    const [first] = (await client.ask(providers2, { body: { specs, count: 1 } })).providers ?? [];
    expect(first?.client_id).toBe(providers?.[0]?.client_id);
    expect(await find(client, { specs, count: 2 })).toHaveLength(2);
    messageOf(await client.ask(providers2, { body: { specs, count: 0 } }));
  });

  test('leaves out excluded clients and destinations', async () => {
    const { client, german, japanese } = await open();
    const specs = [{ best_available: true }];
    expect(await find(client, { specs, exclude_client_ids: german })).toEqual([japanese]);
    expect(await find(client, { specs, exclude_destinations: [[japanese], [german[0]]] })).toEqual([
      german[1],
    ]);
  });

  test('ranks by quality and by nothing else', async () => {
    const { client } = await open();
    messageOf(
      await client.ask(providers2, {
        body: { specs: [{ best_available: true }], count: 1, rank_mode: 'speed' },
      }),
    );
  });

  test('never gives a device that does not provide to the caller', async () => {
    const { client, world, home, german, japanese } = await open();
    const aunt = await createOwner(world, 'aunt');
    const ofCaller = async ({ token }: Owner) =>
      sorted(
        (await client.ask('POST /network/find-providers', { token, body: { count: 100 } }))
          .client_ids ?? [],
      );
    expect(await ofCaller(aunt)).toEqual(sorted([...german, japanese]));
    for (const [client_id, provide_mode] of [
      [german[0], 1],
      [german[1], 2],
    ] as const) {
      await client.ask('POST /device/set-provide', {
        token: home.token,
        body: { client_id, provide_mode },
      });
    }
    expect(await ofCaller(aunt)).toEqual([japanese]);
    expect(await ofCaller(home)).toEqual(sorted([german[1] ?? '', japanese]));
    expect(await find(client, { specs: [{ best_available: true }] })).toEqual([japanese]);
  });

  test('in a place, without others, and up to a count', async () => {
    const { client, home, german, japanese } = await open();
    const { token } = home;
    const germany = (await findCountry(client, 'Germany')).location_id;
    const ask = async (body: object) =>
      sorted((await client.ask('POST /network/find-providers', { token, body })).client_ids ?? []);
    expect(await ask({ location_id: germany })).toEqual(sorted(german));
    expect(await ask({ exclude_location_ids: [germany] })).toEqual([japanese]);
    expect(await ask({ count: 1 })).toHaveLength(1);
    const { groups } = await client.ask('GET /network/provider-locations');
    for (const { location_group_id, provider_count } of groups ?? []) {
      expect(await ask({ location_group_id })).toHaveLength(provider_count ?? 0);
    }
  });
});

describe('a spec from words', () => {
  test.each([
    ['fast streaming in Germany', 'german'],
    ['somewhere in Japan', 'japanese'],
    ['whatever is best', 'all'],
  ] as const)('"%s" finds %s providers', async (query, who) => {
    const world = await open();
    const { specs } = await world.client.ask('POST /network/create-provider-spec', {
      token: world.home.token,
      body: { query },
    });
    const places = (specs ?? []).filter(
      (spec) => typeof spec.location_id === 'string' || spec.best_available === true,
    );
    expect(await find(world.client, { specs: places })).toEqual(sorted([world[who]].flat()));
  });
});
