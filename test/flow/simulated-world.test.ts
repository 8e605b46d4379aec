import { expect, test } from 'vitest';
import { seedWorld } from '../../src/reference-service/seed.ts';
import { seedSample } from '../../tools/docs/json-samples.ts';
import { call, logIn, makeDirectory, start } from './reference-caller.ts';
import { runSandbox, runService } from './sandbox-process.ts';

const nowMs = Date.parse('2026-05-04T10:15:00Z');

/** A service on a world where all clients are in the first network. */
async function startOnWorld(clients: number, options: Parameters<typeof start>[0] = {}) {
  const directory = makeDirectory();
  await seedWorld({
    directory,
    clients,
    days: 5,
    networks: 1,
    seed: 3,
    nowMs,
    onProgress: () => {},
  });
  const service = await start({ directory, now: () => nowMs, ...options });
  const token = await logIn(service);
  const get = (path: string) => call(service.baseUrl, path, { token });
  return { directory, service, token, get };
}

interface Row {
  readonly client_id: string;
  readonly connected: boolean;
  readonly resident?: object;
}

test('simulated clients stay as they were made, also over a restart and a day', async () => {
  const { directory, service, get } = await startOnWorld(60);
  const listProviders = async () => (await get('/stats/providers')).body.providers as Row[];
  const before = await listProviders();
  expect(new Set(before.map((row) => row.connected))).toEqual(new Set([true, false]));
  const { clients } = (await get('/network/clients')).body;
  expect((clients as Row[]).some((row) => row.resident !== undefined)).toBe(true);
  await service.close();
  const again = await start({ directory, now: () => nowMs + 86_400_000 });
  const token = await logIn(again);
  const after = (await call(again.baseUrl, '/stats/providers', { token })).body.providers as Row[];
  const pickPresence = (rows: readonly Row[]) =>
    rows.map(({ client_id, connected }) => [client_id, connected]);
  expect(pickPresence(after)).toEqual(pickPresence(before));
});

test.each(['/network/clients', '/stats/providers'])(
  '%s tells of thousands, each once, while others are answered',
  async (path) => {
    const { service, token, get } = await startOnWorld(3000);
    const long = fetch(`${service.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const reader = (await long).body?.getReader();
    const chunks = [(await reader?.read())?.value ?? new Uint8Array()];
    // The rest of the answer waits until it is read, and the service answers other callers
    // meanwhile.
    expect((await get('/account/wallets')).status).toBe(200);
    for (;;) {
      const { done = true, value } = (await reader?.read()) ?? {};
      if (done) break;
      chunks.push(value ?? new Uint8Array());
    }
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const ids = ((body.clients ?? body.providers) as Row[]).map((row) => row.client_id);
    expect([ids.length, new Set(ids).size]).toEqual([3000, 3000]);
  },
);

test('the command makes a world for the service, and not while one runs', async () => {
  const directory = makeDirectory();
  const { line } = await runSandbox(
    'seed',
    '--clients',
    '50',
    '--days',
    '3',
    '--networks',
    '5',
    '--data',
    directory,
    '--json',
  );
  expect(Object.keys(JSON.parse(line))).toEqual(Object.keys(seedSample));
  expect(JSON.parse(line)).toEqual({
    clients: 50,
    networks: 5,
    days: 3,
    seconds: expect.any(Number),
  });
  const { baseUrl } = await runService('--data', directory);
  const answer = await call(baseUrl, '/network/find-providers2', { body: { count: 3 } });
  expect(answer.body.providers).toHaveLength(3);
  const again = {
    directory,
    clients: 50,
    days: 3,
    networks: 5,
    seed: 1,
    nowMs,
    onProgress: () => {},
  };
  await expect(seedWorld(again)).rejects.toMatchObject({ code: 'already-running' });
});
