import { describe, expect, test } from 'vitest';
import { hourMs } from '../../src/lib/units.ts';
import { computeBuckets, networkHandlers } from '../../src/reference-service/answer-network.ts';
import type { Backend } from '../../src/reference-service/backend.ts';

const thisHourMs = 500_000 * hourMs;
const nowMs = thisHourMs + hourMs / 4;
const hoursAgo = (hours: number) => thisHourMs - hours * hourMs;

test('the window has 24 whole hours and the current one', () => {
  const buckets = computeBuckets([], [], nowMs);
  expect(buckets.map(({ number }) => number)).toEqual(
    Array.from({ length: 25 }, (_, index) => 499_976 + index),
  );
  expect(buckets[0]).toEqual({
    number: 499_976,
    weight: 0,
    onlineClients: 0,
    clients: 0,
    possibleMs: 0,
  });
});

describe('the weight of an hour', () => {
  const registrations = [
    { countryId: 'a', hourMs: hoursAgo(24), clients: 1, missedMs: 0 },
    { countryId: 'b', hourMs: hoursAgo(2), clients: 3, missedMs: 0 },
  ];
  const weigh = (hours: number, onlineMs: number) => {
    const hour = { hourMs: hoursAgo(hours), onlineClients: 1, onlineMs };
    return computeBuckets([hour], registrations, nowMs).at(-1 - hours);
  };
  test.each([
    ['is the time online', 3, hourMs / 2, 0.5],
    ['is shared by those who were registered by its end', 2, hourMs, 0.25],
    ['counts of the current hour what has passed', 0, hourMs / 2, 0.5],
    ['is never above 1', 3, 2 * hourMs, 1],
  ])('%s', (_, hours, onlineMs, weight) => {
    expect(weigh(hours, onlineMs)).toMatchObject({ weight, onlineClients: 1 });
  });
  test('begins with the hour itself at zero', () => {
    const [bucket] = computeBuckets([], registrations, thisHourMs).slice(-1);
    expect(bucket).toEqual({
      number: 500_000,
      weight: 0,
      onlineClients: 0,
      clients: 4,
      possibleMs: 0,
    });
  });
});

test('a client counts in its first hour from its registration on', () => {
  const registrations = [
    { countryId: 'a', hourMs: thisHourMs, clients: 1, missedMs: hourMs / 4 - 60_000 },
  ];
  const hours = [{ hourMs: thisHourMs, onlineClients: 1, onlineMs: 60_000 }];
  const [bucket] = computeBuckets(hours, registrations, nowMs).slice(-1);
  expect(bucket).toMatchObject({ weight: 1, clients: 1, possibleMs: 60_000 });
});

test('a country counts for twice as much where nobody else is, and hardly more where many are', async () => {
  const providers = [0, 1, 9, 1e9];
  const backend = {
    sample: async () => {},
    now: () => nowMs,
    usageHistory: {
      listNetworkHours: () => [],
      listRegistrations: () =>
        providers.map((countryId) => ({ countryId, hourMs: 0, clients: 1, missedMs: 0 })),
    },
    world: {
      findPlace: (countryId: number) => ({ country: 'Country', countryCode: 'cc', countryId }),
    },
    directory: { countProviders: () => (place: { readonly countryId: number }) => place.countryId },
  };
  const { reliability_window: found } = await networkHandlers.reliability(
    backend as unknown as Backend,
    {
      network: { networkId: 'home', networkName: 'home', userId: 'user', kind: 'permanent' },
      request: undefined,
      ownClientId: undefined,
    },
  );
  const multipliers = found.country_multipliers.map((country) => country.reliability_multiplier);
  expect(multipliers).toEqual([2, 1.5, 1.1, expect.closeTo(1)]);
});
