import { describe, expect, test } from 'vitest';
import {
  createOwner,
  dayMs,
  given,
  hourMs,
  messageOf,
  minuteMs,
  openWorld,
  register,
  signIn,
} from './world.ts';

const ofDay = 'GET /stats/providers';
const ofHours = 'POST /stats/providers-last-n';
const ofClient = 'POST /stats/provider-last-n';
const of90Days = 'POST /stats/provider-last-90';

/** A home with one device that was online for a minute, and is still. */
async function open() {
  const world = await openWorld();
  const home = await createOwner(world, 'home');
  const client_id = await register(world, home.token);
  await world.client.ask('GET /network/clients', home);
  world.pass(minuteMs);
  return { ...world, world, home, client_id };
}

function sumOf(
  map: Readonly<Record<string, number | null | undefined>> | null | undefined,
): number {
  return Object.values(map ?? {}).reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

describe('time online', () => {
  test('is hours over a day, minutes by the hour, and minutes by the day over ninety', async () => {
    const { client, home, client_id } = await open();
    const { providers } = await client.ask(ofDay, home);
    expect(providers).toMatchObject([
      { client_id, connected: true, connected_events_last_24h: [{ connected: true }] },
    ]);
    expect(providers?.[0]?.uptime_last_24h).toBeCloseTo(1 / 60, 2);
    const stats = await client.ask(ofClient, {
      token: home.token,
      body: { client_id, last_n: 24 },
    });
    expect(sumOf(stats.uptime)).toBeCloseTo(1, 0);
    expect(
      sumOf((await client.ask(of90Days, { token: home.token, body: { client_id } })).uptime),
    ).toBeCloseTo(1, 0);
  });

  test('ends when the device is heard of no more, and is counted in the hours that were asked for', async () => {
    const { client, world, home, client_id } = await open();
    await client.ask(ofDay, home);
    world.pass(3 * hourMs);
    const [day] = (await client.ask(ofDay, home)).providers ?? [];
    expect(day?.connected).toBe(false);
    expect(day?.connected_events_last_24h?.map((event) => event.connected)).toEqual([true, false]);
    expect(day?.uptime_last_24h).toBeLessThan(0.1);
    const hours = async (last_n: number) => {
      const { providers } = await client.ask(ofHours, { token: home.token, body: { last_n } });
      const stats = await client.ask(ofClient, { token: home.token, body: { client_id, last_n } });
      expect(stats.lookback).toBe(last_n);
      expect(sumOf(stats.uptime) / 60).toBeCloseTo(providers?.[0]?.uptime_last_24h ?? 0, 6);
      return providers?.[0]?.uptime_last_24h ?? 0;
    };
    expect(await hours(2)).toBe(0);
    expect(await hours(6)).toBeCloseTo(day?.uptime_last_24h ?? -1, 6);
  });

  test('lasts ninety days in the statistics of ninety days', async () => {
    const { client, world, home, service, client_id } = await open();
    await client.ask(ofDay, home);
    const minutesAfter = async (durationMs: number) => {
      world.pass(durationMs);
      const { authCode } = await service.admin.createAuthCode({ network: home.networkId });
      const token = await signIn(world, authCode);
      const stats = await client.ask(of90Days, { token, body: { client_id } });
      expect([
        stats.lookback,
        (await client.ask(ofDay, { token })).providers?.[0]?.uptime_last_24h ?? 0,
      ]).toEqual([90, 0]);
      return sumOf(stats.uptime);
    };
    expect(await minutesAfter(85 * dayMs)).toBeGreaterThan(0.9);
    expect(await minutesAfter(10 * dayMs)).toBe(0);
  });
});

describe('the statistics', () => {
  test('show the mode that was set', async () => {
    const { client, home, client_id } = await open();
    await client.ask('POST /device/set-provide', {
      token: home.token,
      body: { client_id, provide_mode: 5 },
    });
    expect((await client.ask(ofDay, home)).providers).toMatchObject([{ provide_mode: 5 }]);
    const { providers } = await client.ask(ofHours, { token: home.token, body: { last_n: 1 } });
    expect(providers).toMatchObject([{ provide_mode: 5 }]);
  });

  test('count the searches that named a provider', async () => {
    const { client, home, client_id } = await open();
    await client.ask('POST /device/set-provide', {
      token: home.token,
      body: { client_id, provide_mode: 4 },
    });
    const body = { specs: [{ best_available: true }], count: 5, rank_mode: 'quality' };
    for (let search = 0; search < 3; search += 1) {
      expect((await client.ask('POST /network/find-providers2', { body })).providers).toMatchObject(
        [{ client_id }],
      );
    }
    expect((await client.ask(ofDay, home)).providers).toMatchObject([
      { search_interest_last_24h: 3 },
    ]);
    const question = { token: home.token, body: { client_id, last_n: 24 } };
    expect(sumOf((await client.ask(ofClient, question)).search_interest)).toBe(3);
    expect(sumOf((await client.ask(of90Days, question)).search_interest)).toBe(3);
  });

  test("are not told of another network's client", async () => {
    const { client, world, client_id } = await open();
    const { token } = await createOwner(world, 'aunt');
    messageOf(await client.ask(ofClient, { token, body: { client_id, last_n: 24 } }));
    messageOf(await client.ask(of90Days, { token, body: { client_id } }));
    expect((await client.ask(ofDay, { token })).providers ?? []).toEqual([]);
    expect((await client.ask(ofHours, { token, body: { last_n: 24 } })).providers ?? []).toEqual(
      [],
    );
  });

  test.each([0, -1])('over %i hours are refused', async (last_n) => {
    const { client, home, client_id } = await open();
    messageOf(await client.ask(ofHours, { token: home.token, body: { last_n } }));
    messageOf(await client.ask(ofClient, { token: home.token, body: { client_id, last_n } }));
  });
});

test('reliability is a window of equal buckets, whose figures agree', async () => {
  const { client, home } = await open();
  const window = given(await client.ask('GET /network/reliability', home), 'reliability_window');
  const lists = [window.reliability_weights, window.client_counts, window.total_client_counts].map(
    (list) => list ?? [],
  );
  const buckets = given(window, 'max_bucket_number') - given(window, 'min_bucket_number') + 1;
  expect(lists.map((list) => list.length)).toEqual([buckets, buckets, buckets]);
  const [weights = [], counts = [], totals = []] = lists;
  const bucketMs = given(window, 'bucket_duration_seconds') * 1000;
  const spanMs = given(window, 'max_time_unix_milli') - given(window, 'min_time_unix_milli');
  expect(Math.ceil(spanMs / bucketMs)).toBe(buckets);
  expect(window.max_client_count).toBe(Math.max(...counts));
  expect(window.max_total_client_count).toBe(Math.max(...totals));
  expect([counts.at(-1), totals.at(-1)]).toEqual([1, 1]);
  // Buckets without a registered client are no part of the mean.
  const registered = totals.filter((total) => total > 0).length;
  expect(window.mean_reliability_weight).toBeCloseTo(
    weights.reduce((sum, weight) => sum + weight, 0) / registered,
    6,
  );
  expect(Math.max(...weights)).toBeGreaterThan(0);
  expect(Math.max(...weights)).toBeLessThanOrEqual(1);
});
