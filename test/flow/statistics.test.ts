import { describe, expect, test } from 'vitest';
import { createFakeNetwork } from '../reference-service/fake-network.ts';
import {
  call,
  createAuthCode,
  createOwner,
  logIn,
  makeDirectory,
  start,
  startAndLogIn,
  withTunnel,
} from './reference-caller.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A quarter past ten on some morning. */
const tenMs = Date.parse('2026-05-04T10:15:00Z');

/** A service whose clock is set by the test, and a device that has just registered with it. */
async function startWithDevice(options: Parameters<typeof startAndLogIn>[0] = {}) {
  const clock = { nowMs: tenMs };
  const caller = await startAndLogIn({ now: () => clock.nowMs, ...options });
  const { clientId, answer } = await caller.register();
  const authenticate = () => caller.post('/network/auth-client', { client_id: clientId });
  /** Stays connected for that long. */
  const stay = async (minutes: number) => {
    for (let passed = 0; passed < minutes; passed += 1) {
      clock.nowMs += 60_000;
      await authenticate();
    }
  };
  const provider = async () => (await caller.get('/stats/providers')).body.providers[0];
  const providerLastN = async (lastN: number) =>
    (await caller.post('/stats/provider-last-n', { client_id: clientId, last_n: lastN })).body;
  const providerLast90 = async () =>
    (await caller.post('/stats/provider-last-90', { client_id: clientId })).body;
  const reliability = async () =>
    (await caller.get('/network/reliability')).body.reliability_window;
  return {
    ...caller,
    clock,
    clientId,
    answer,
    stay,
    authenticate,
    provider,
    providerLastN,
    providerLast90,
    reliability,
  };
}

/** A service and a device, with a WireGuard end whose counters are set by the test. */
async function startWithTraffic() {
  const network = createFakeNetwork((privateKey) => `public of ${privateKey}`);
  const device = await startWithDevice({ wireGuard: 'on', exec: network.exec });
  const key = device.answer.proxy_config_result.wg_config.client_public_key;
  /** The device is there, and so much has gone through its tunnel since the start. */
  const move = async (rxBytes: number) => {
    const peer = network.links.get('trib-ref0')?.peers.get(key);
    Object.assign(peer ?? {}, { handshakeAt: device.clock.nowMs / 1000, rxBytes });
    await device.get('/stats/providers');
  };
  return { ...device, move };
}

describe.each(['documented', 'production'] as const)('in the %s profile', (profile) => {
  test('a device is connected when it authenticates, and no longer when it stays away', async () => {
    const { clock, get, provider, authenticate } = await startWithDevice({ profile });
    expect(await provider()).toMatchObject({
      connected: true,
      connected_events_last_24h: [{ connected: true }],
    });
    clock.nowMs += 600_000;
    const [client] = (await get('/network/clients')).body.clients;
    expect(client.resident).toBeUndefined();
    expect(client.connections).toMatchObject([
      { connection_host: '127.0.0.1', disconnect_time: expect.stringContaining('10:18:00') },
    ]);
    expect(await provider()).toMatchObject({ connected: false, uptime_last_24h: 0.05 });
    await authenticate();
    expect((await provider()).connected_events_last_24h).toMatchObject([
      { event_time: expect.stringContaining('10:15:00'), connected: true },
      { event_time: expect.stringContaining('10:18:00'), connected: false },
      { event_time: expect.stringContaining('10:25:00'), connected: true },
    ]);
  });

  test('a connected device with a tunnel has a resident, the same at every connection', async () => {
    const { clock, get, register, authenticate, clientId, answer } = await startWithDevice({
      profile,
    });
    await register({ description: 'without a tunnel' });
    const listResidents = async () =>
      (await get('/network/clients')).body.clients.map(
        (own: Record<string, unknown>) => own.resident,
      );
    const [resident, none] = await listResidents();
    expect(resident).toMatchObject({
      client_id: clientId,
      instance_id: answer.proxy_config_result.instance_id,
      resident_internal_ports: [answer.proxy_config_result.wg_config.wg_proxy_port],
    });
    expect(none).toBeUndefined();
    clock.nowMs += hourMs;
    expect(await listResidents()).toEqual([undefined, undefined]);
    await authenticate();
    expect(await listResidents()).toEqual([resident, undefined]);
  });

  test("another network's device is as unknown as one that never was", async () => {
    const { service, post, clientId } = await startWithDevice({ profile });
    const token = await createOwner(service, 'neighbour');
    const path = '/stats/provider-last-90';
    const foreign = await call(service.baseUrl, path, { token, body: { client_id: clientId } });
    expect(foreign.body).toEqual({ error: { message: 'Client does not exist.' } });
    expect(await post(path, { client_id: 'never-was' })).toEqual(foreign);
  });

  test('the statistics of a device without any use are all there, and empty', async () => {
    const { register, post } = await startAndLogIn({ profile });
    const { clientId } = await register();
    const empty = {
      transfer_data: {},
      payout: {},
      search_interest: {},
      contracts: {},
      clients: {},
    };
    const answer = (await post('/stats/provider-last-90', { client_id: clientId })).body;
    expect(answer).toMatchObject({
      ...empty,
      lookback: 90,
      created_time: expect.any(String),
      uptime: {},
    });
    expect(answer.client_details).toEqual(profile === 'production' ? null : []);
  });
});

describe('time online', () => {
  test('is minutes by the hour, and by the day over 90 days', async () => {
    const { service, clock, stay, clientId, providerLastN, providerLast90 } =
      await startWithDevice();
    await stay(75);
    expect((await providerLastN(24)).uptime).toEqual({ '2026-05-04-10': 45, '2026-05-04-11': 30 });
    expect((await providerLast90()).uptime).toEqual({ '2026-05-04': 75 });
    const later = async () => {
      const token = await logIn(service, await createAuthCode(service));
      const body = { client_id: clientId };
      return (await call(service.baseUrl, '/stats/provider-last-90', { token, body })).body.uptime;
    };
    clock.nowMs += 89 * dayMs;
    expect(await later()).toEqual({ '2026-05-04': 78 });
    clock.nowMs += dayMs;
    expect(await later()).toEqual({});
  });
  test('counts in a window of the true last hours, the oldest of them in proportion', async () => {
    const { clock, stay, get, post, providerLastN } = await startWithDevice();
    await stay(105);
    const hours = async (lastN: number) =>
      (await post('/stats/providers-last-n', { last_n: lastN })).body.providers[0].uptime_last_24h;
    expect([await hours(1), await hours(2), await hours(3)]).toEqual([1, 1.75, 1.75]);
    expect((await providerLastN(2)).uptime).toEqual({ '2026-05-04-10': 45, '2026-05-04-11': 60 });
    clock.nowMs += 90 * 60_000;
    expect([await hours(1), await hours(2)]).toEqual([0.025, 0.55]);
    expect((await providerLastN(2)).uptime).toEqual({ '2026-05-04-11': 30, '2026-05-04-12': 3 });
    expect((await get('/stats/providers')).body.providers[0].uptime_last_24h).toBe(1.8);
  });
});

describe("consumers' traffic", () => {
  test('is counted to the byte, and its sessions, and the one consumer', async () => {
    const { clock, post, move, clientId, provider, providerLastN, providerLast90 } =
      await startWithTraffic();
    await post('/device/set-provide', { client_id: clientId, provide_mode: 4 });
    await move(0);
    clock.nowMs += 5000;
    await move(2 ** 29);
    clock.nowMs += 5000;
    await move(2 ** 29 + 2 ** 28);
    expect(await provider()).toMatchObject({
      transfer_data_last_24h: 0.75,
      contracts_last_24h: 1,
      clients_last_24h: 1,
    });
    for (const statistics of [await providerLastN(1), await providerLast90()]) {
      expect(statistics).toMatchObject({
        transfer_data: { '2026-05-04': 0.75 },
        payout: { '2026-05-04': expect.closeTo(0.0375) },
        contracts: { '2026-05-04': 1 },
        clients: { '2026-05-04': 1 },
        client_details: [
          {
            client_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
            transfer_data: { '2026-05-04': 0.75 },
          },
        ],
      });
    }
  });
  test('makes the provider known as a fast one, and one to be found', async () => {
    const { clock, post, move, clientId } = await startWithTraffic();
    await post('/device/set-provide', { client_id: clientId, provide_mode: 4 });
    await move(0);
    for (let step = 1; step <= 20; step += 1) {
      clock.nowMs += 5000;
      await move(step * 5_000_000);
    }
    const find = async () => (await post('/network/find-providers2', { count: 5 })).body.providers;
    expect(await find()).toMatchObject([
      { client_id: clientId, estimated_bytes_per_second: 1_000_000 },
    ]);
  });
  test('that comes from searches shows as interest', async () => {
    const { post, clientId, provider, providerLastN, providerLast90 } = await startWithDevice();
    await post('/device/set-provide', { client_id: clientId, provide_mode: 4 });
    for (let time = 0; time < 3; time += 1) await post('/network/find-providers2', { count: 5 });
    expect((await provider()).search_interest_last_24h).toBe(3);
    for (const statistics of [await providerLastN(1), await providerLast90()]) {
      expect(statistics.search_interest).toEqual({ '2026-05-04': 3 });
    }
  });
});

describe('reliability', () => {
  test('is a window of 25 hours that ends now', async () => {
    const { reliability } = await startWithDevice();
    const window = await reliability();
    expect(window).toMatchObject({
      min_time_unix_milli: Date.parse('2026-05-03T10:00:00Z'),
      max_time_unix_milli: tenMs,
      min_bucket_number: Date.parse('2026-05-03T10:00:00Z') / hourMs,
      max_bucket_number: Date.parse('2026-05-04T10:00:00Z') / hourMs,
      bucket_duration_seconds: 3600,
    });
    const lists = [window.reliability_weights, window.client_counts, window.total_client_counts];
    expect(lists.map((list) => list.length)).toEqual([25, 25, 25]);
  });
  test('is the time that the registered devices were online', async () => {
    const { stay, reliability, register } = await startWithDevice();
    await register();
    await stay(75);
    const window = await reliability();
    // Of the 45 minutes since they were registered, device one had all and device two three; of the
    // half hour since then, one had all. Nobody could be online in the hours before.
    expect(window.reliability_weights.slice(-2)).toEqual([48 / 90, 0.5]);
    expect(window.reliability_weights.slice(0, -2)).toEqual(Array(23).fill(0));
    expect(window.mean_reliability_weight).toBeCloseTo((48 / 90 + 0.5) / 2);
    expect(window.client_counts.slice(-3)).toEqual([0, 2, 1]);
    expect(window.total_client_counts.slice(-3)).toEqual([0, 2, 2]);
    expect([window.max_client_count, window.max_total_client_count]).toEqual([2, 2]);
  });
  test('counts for more in a country with few providers', async () => {
    const { post, register, reliability } = await startWithDevice();
    const located = { ...withTunnel.proxy_config, initial_device_state: { country_code: 'JP' } };
    await register({ proxy_config: located });
    const multiplierOf = async (code: string) =>
      (await reliability()).country_multipliers.find(
        (row: Record<string, unknown>) => row.country_code === code,
      );
    expect(await multiplierOf('JP')).toEqual({
      country_location_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      country: 'Japan',
      country_code: 'JP',
      reliability_multiplier: 1.5,
    });
    await post('/device/set-provide', {
      client_id: (await register({ proxy_config: located })).clientId,
      provide_mode: 4,
    });
    expect((await multiplierOf('JP')).reliability_multiplier).toBeCloseTo(4 / 3);
    expect((await reliability()).country_multipliers).toHaveLength(2);
  });
});

test('the usage book is complete after a restart', async () => {
  const directory = makeDirectory();
  const first = await startWithDevice({ directory });
  await first.stay(30);
  await first.service.close();
  const service = await start({ directory, now: () => first.clock.nowMs });
  const { providers } = (await call(service.baseUrl, '/stats/providers', { token: first.token }))
    .body;
  expect(providers).toMatchObject([{ connected: false, uptime_last_24h: 0.5 }]);
});
