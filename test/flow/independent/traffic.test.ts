import { describe, expect, test } from 'vitest';
import { dayMs, given, hourMs, openSeededWorld, pastDays } from './world.ts';

const dailyFigures = [
  'transfer_data',
  'payout',
  'search_interest',
  'contracts',
  'clients',
] as const;

type Figures = Readonly<Record<string, number | null | undefined>> | null | undefined;

function sumOf(figures: Figures): number {
  return Object.values(figures ?? {}).reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

function toDate(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

/** The providers of the first network over a day, and how to ask for more of one. */
async function open() {
  const { client, token } = await openSeededWorld(12);
  const { providers, created_time } = await client.ask('GET /stats/providers', { token });
  const lastN = (client_id: string, last_n: number) =>
    client.ask('POST /stats/provider-last-n', { token, body: { client_id, last_n } });
  const last90 = (client_id: string) =>
    client.ask('POST /stats/provider-last-90', { token, body: { client_id } });
  const known = (providers ?? []).map((provider) => ({
    ...provider,
    client_id: given(provider, 'client_id'),
  }));
  return { client, token, providers: known, nowMs: Date.parse(created_time ?? ''), lastN, last90 };
}

describe('what a provider did', () => {
  test('is the same over a day as it is by the hour, in GiB, USDC and hours', async () => {
    const { providers, lastN } = await open();
    expect(
      sumOf(
        Object.fromEntries(providers.map((each) => [each.client_id, each.transfer_data_last_24h])),
      ),
    ).toBeGreaterThan(0);
    for (const provider of providers) {
      const stats = await lastN(provider.client_id, 24);
      expect(sumOf(stats.uptime) / 60).toBeCloseTo(provider.uptime_last_24h ?? 0, 6);
      // The first of them lies within in part.
      expect(Object.keys(stats.uptime ?? {}).length).toBeLessThanOrEqual(25);
      for (const minutes of Object.values(stats.uptime ?? {}))
        expect(minutes).toBeLessThanOrEqual(60);
      expect(sumOf(stats.transfer_data)).toBeCloseTo(provider.transfer_data_last_24h ?? 0, 6);
      expect(sumOf(stats.payout)).toBeCloseTo(provider.payout_last_24h ?? 0, 6);
      expect(sumOf(stats.search_interest)).toBe(provider.search_interest_last_24h);
      expect(sumOf(stats.contracts)).toBe(provider.contracts_last_24h);
      expect(stats.client_details).toHaveLength(provider.clients_last_24h ?? 0);
      expect(sumOf(stats.clients)).toBeGreaterThanOrEqual(provider.clients_last_24h ?? 0);
    }
  });

  test('on each day equals what its consumers had', async () => {
    const { providers, lastN } = await open();
    const hours = 72;
    let consumers = 0;
    for (const { client_id } of providers) {
      const stats = await lastN(client_id, hours);
      const details = stats.client_details ?? [];
      consumers += details.length;
      for (const day of Object.keys(stats.transfer_data ?? {})) {
        const shares = details.map((consumer) => consumer.transfer_data?.[day] ?? 0);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(
          stats.transfer_data?.[day] ?? 0,
          6,
        );
        expect(stats.clients?.[day]).toBe(shares.filter((share) => share > 0).length);
      }
    }
    expect(consumers).toBeGreaterThan(0);
  });

  test('on a whole day is the same in every statistic that goes back so far', async () => {
    const { providers, nowMs, lastN, last90 } = await open();
    const yesterday = toDate(nowMs - dayMs);
    for (const { client_id } of providers) {
      const [hours, days] = [await lastN(client_id, 72), await last90(client_id)];
      for (const figure of dailyFigures) {
        expect([figure, days[figure]?.[yesterday] ?? 0]).toEqual([
          figure,
          hours[figure]?.[yesterday] ?? 0,
        ]);
      }
      const ofYesterday = Object.entries(hours.uptime ?? {}).filter(([hour]) =>
        hour.startsWith(yesterday),
      );
      expect(days.uptime?.[yesterday] ?? 0).toBeCloseTo(sumOf(Object.fromEntries(ofYesterday)), 6);
    }
  });

  test('grows with the hours that are asked for', async () => {
    const { client, token, providers } = await open();
    let before = new Map(providers.map(({ client_id }) => [client_id, 0]));
    for (const last_n of [1, 6, 24, 24 * pastDays]) {
      const answer = await client.ask('POST /stats/providers-last-n', { token, body: { last_n } });
      const after = new Map(
        (answer.providers ?? []).map((each) => [each.client_id ?? '', each.uptime_last_24h ?? 0]),
      );
      expect([...after.keys()]).toEqual([...before.keys()]);
      for (const [client_id, hours] of after) {
        expect(hours).toBeGreaterThanOrEqual(before.get(client_id) ?? 0);
        expect(hours).toBeLessThanOrEqual(last_n);
      }
      before = after;
    }
    expect(Math.max(...before.values())).toBeGreaterThan(24);
  });
});

test('comings and goings alternate within the day, and the last one says how it is', async () => {
  const { providers, nowMs } = await open();
  for (const { connected, connected_events_last_24h } of providers) {
    const events = connected_events_last_24h ?? [];
    const times = events.map((event) => Date.parse(event.event_time ?? ''));
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    for (const time of times)
      expect([time >= nowMs - 24 * hourMs, time <= nowMs]).toEqual([true, true]);
    for (const [index, event] of events.entries()) {
      expect(event.connected).not.toBe(events[index - 1]?.connected);
    }
    if (events.length > 0) expect(events.at(-1)?.connected).toBe(connected);
  }
});

describe('the leaderboard', () => {
  test('ranks networks by the MiB that their clients provided', async () => {
    const { client, token, providers, last90 } = await open();
    const { earners } = await client.ask('POST /stats/leaderboard', { token });
    const counts = (earners ?? []).map((earner) => earner.net_mib_count ?? 0);
    expect(counts).toEqual(counts.toSorted((one, other) => other - one));
    const [device] = (await client.ask('GET /network/clients', { token })).clients ?? [];
    const own = (earners ?? []).find((earner) => earner.network_id === device?.network_id);
    let gib = 0;
    for (const { client_id } of providers) gib += sumOf((await last90(client_id)).transfer_data);
    expect((own?.net_mib_count ?? 0) / (gib * 1024)).toBeCloseTo(1, 6);
  });

  test('names no network that has not opted in', async () => {
    const { client, token } = await openSeededWorld(12);
    const { earners } = await client.ask('POST /stats/leaderboard', { token });
    expect(earners?.length).toBeGreaterThan(0);
    const { clients } = await client.ask('GET /network/clients', { token });
    const own = earners?.find((earner) => earner.network_id === clients?.[0]?.network_id);
    expect([own?.is_public, own?.network_name?.includes('sandbox')]).toEqual([false, false]);
  });
});
