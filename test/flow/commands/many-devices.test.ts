import { expect, test } from 'vitest';
import { seedWorld } from '../../../src/reference-service/seed.ts';
import { start } from '../reference-caller.ts';
import { createCommandWorld, goldenNow } from './command-world.ts';

const devices = 30;

/** An owner with a month of thirty simulated devices, of which some were always connected. */
async function createBigOwner() {
  const world = await createCommandWorld();
  const { dataDirectory: directory, service, clock } = world;
  const port = Number(new URL(service.baseUrl).port);
  await service.close();
  await seedWorld({
    directory,
    clients: devices,
    days: 30,
    networks: 1,
    seed: 7,
    nowMs: goldenNow,
    onProgress: () => undefined,
  });
  await start({ directory, listen: { address: '127.0.0.1', port }, now: () => clock.nowMs });
  /** The lines that a command prints, for a terminal of so many columns. */
  const show = async (line: string, columns?: number) => {
    const { exitCode, stdout, stderr } = await world.run(line.split(' '), { columns });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return stdout.trimEnd().split('\n');
  };
  return { ...world, show };
}

test('a provider whose speed was not measured has none, beside others that have one', async () => {
  const { register, show, run } = await createBigOwner();
  const clientId = await register('new shed');
  const speedOf = async (id: string) =>
    (await show(`service providers --client ${id}`, 100))
      .at(-1)
      ?.slice(3 + id.length)
      .trim();
  expect(await speedOf(clientId)).toMatch(/^- +\d +direct$/);
  const measured = (await show('service providers --count 3', 100)).slice(1);
  expect(measured).toHaveLength(3);
  for (const row of measured) expect(row).toMatch(/ \d[\d.]* [kMG]bit\/s /);
  const { stdout } = await run(['service', 'providers', '--client', clientId, '--json']);
  expect(JSON.parse(stdout).providers).toMatchObject([{ clientId, estimatedBytesPerSecond: null }]);
});

test('what stands below a list is about what is printed of it', async () => {
  const { show, run } = await createBigOwner();
  expect((await show('device list')).join('\n')).toContain(`\n${devices} devices, `);
  const nases = (await show('device list --columns name --csv')).filter((row) => /nas/.test(row));
  const filtered = await show('device list --columns name --filter nas');
  expect(nases.length).toBeGreaterThan(0);
  expect(nases.length).toBeLessThan(devices);
  expect(filtered.join('\n')).toMatch(
    new RegExp(`\\n${nases.length} devices?, (\\d+|none) connected`),
  );
  const address = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  await run(['account', 'add-wallet', address, '--yes']);
  await run(['account', 'payout-wallet', address, '--yes']);
  const legend = '* payouts go to this wallet';
  expect(await show('account wallets')).toContain(legend);
  expect(await show('account wallets --columns wallet')).not.toContain(legend);
});

test('statistics of many devices draw those that were away, and name the others in a line', async () => {
  const { show, run } = await createBigOwner();
  const rows = await show('stats', 80);
  const { providers } = JSON.parse((await run(['stats', '--json'])).stdout);
  const full = providers.filter(
    (own: { isConnected: boolean; uptimeShare: number }) =>
      own.isConnected && own.uptimeShare > 0.995,
  );
  const drawn = rows.filter((row) => /[▁▂▃▄▅▆▇█]/.test(row));
  const named = rows.slice(rows.findIndex((row) => row.startsWith('All the time: ')));
  expect(full.length).toBeGreaterThan(5);
  expect(drawn.length).toBeLessThanOrEqual(devices - full.length);
  for (const { name } of full) {
    expect(drawn.filter((row) => row.startsWith(`${name} `))).toEqual([]);
    expect(named.join(' ')).toContain(name);
  }
});
