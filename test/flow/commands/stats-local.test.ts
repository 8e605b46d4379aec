import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { createRegistrationFiles } from '../../../src/identity/registration-files.ts';
import { dayMs } from '../../../src/lib/units.ts';
import { pickFigures } from '../../../src/report/ledger-figures.ts';
import { appendLines } from '../../../src/report/ledger-files.ts';
import { startAt } from '../../../src/report/ledger-line.ts';
import { noSums } from '../../../src/source/connect/consumer-figures.ts';
import { openKeptSums } from '../../../src/source/connect/kept-sums.ts';
import {
  createCommandWorld,
  createOwner,
  expectGolden,
  goldenNow,
  indent,
} from './command-world.ts';
import { fillLedger } from './own-ledger.ts';
import { createNetworkWorld } from './service-world.ts';

const windows = { '24h': 20, '7d': 20, '30d': 45, '2y': 130 } as const;

/** An owner whose service is not there. */
async function createAlone(days: number, nowMs = goldenNow) {
  const owner = await createOwner('http://127.0.0.1:9', 'documented', 'a.token.here', { nowMs });
  if (days > 0) await fillLedger(owner.stateDirectory, days, nowMs);
  return owner;
}

describe('tributary stats --local', () => {
  test.each(Object.entries(windows))(
    'shows what this device counted over %s, with nothing running',
    async (last, days) => {
      const { run } = await createAlone(days);
      const line = ['stats', '--local', '--last', last];
      for (const [width, columns] of Object.entries({ 50: 50, 80: 80, pipe: undefined })) {
        const { exitCode, stdout, stderr } = await run(line, { columns });
        expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
        expect(
          stdout.split('\n').filter((row) => stringWidth(row) > (columns ?? Infinity)),
        ).toEqual([]);
        await expectGolden(`stats-local-${last}-${width}.txt`, stdout);
      }
      if (last === '24h')
        await expectGolden('stats-local.json', indent((await run([...line, '--json'])).stdout));
    },
  );

  test('shows what was carried by the network’s own protocol, and what of it is paid', async () => {
    const { run, stateDirectory } = await createAlone(5);
    const sums = openKeptSums({
      directory: stateDirectory,
      onSetAside: () => undefined,
      now: () => new Date(goldenNow),
    });
    await sums.load();
    const first = { ...noSums, upBytes: 6e8, downBytes: 29e8, overheadBytes: 29e7 };
    sums.take({ ...first, acceptedContracts: 120, unpaidBytes: 12e5, bridgedBytes: 3e7 });
    await sums.close();
    const line = ['stats', '--local', '--last', '5h'];
    for (const columns of [50, undefined]) {
      const { stdout } = await run(line, { columns });
      expect(stdout.split('\n').filter((row) => row.length > (columns ?? Infinity))).toEqual([]);
      expect(stdout).toContain('paid                 3.47 GB       3.47 GB\n');
    }
    await expectGolden('stats-local-carried.txt', (await run(line)).stdout);
    await expectGolden('stats-local-carried.json', indent((await run([...line, '--json'])).stdout));
    // A file that cannot be read hides no other figure.
    await writeFile(join(stateDirectory, 'connect-sums.json'), 'torn');
    const { exitCode, stdout } = await run(line);
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain('own protocol');
  });

  test('shows this device’s own record, and is refused for another device', async () => {
    const { run } = await createAlone(5);
    const { exitCode, stderr } = await run(['stats', '--local', '--client', 'kitchen']);
    expect([exitCode, stderr]).toEqual([
      64,
      expect.stringContaining('--client kitchen: it must be this beside --local'),
    ]);
    expect(await run(['stats', '--local', '--client', 'this'])).toEqual(
      await run(['stats', '--local']),
    );
  });

  test('says the same in its totals and in its days', async () => {
    const { run } = await createAlone(45);
    for (const last of ['5h', '48h', '3d', '30d', '2y']) {
      const { totals, days } = JSON.parse(
        (await run(['stats', '--local', '--last', last, '--json'])).stdout,
      );
      const sum = days.reduce((all: number, day: { downBytes: number }) => all + day.downBytes, 0);
      expect(sum).toBe(totals.downBytes);
      expect(totals.providingShare).toBeGreaterThan(0.9);
      expect(totals.providingShare).toBeLessThanOrEqual(1);
    }
  });

  test('knows no peak where only the bytes outlived a killed agent', async () => {
    const { run, stateDirectory } = await createAlone(0);
    const start = startAt('hour', goldenNow - 3_600_000);
    const show = async (peakBytesPerSecond: number) => {
      await appendLines(stateDirectory, [
        { start, ...pickFigures({ downBytes: 768 * 2 ** 20, peakBytesPerSecond }) },
      ]);
      const { totals, days, hours } = JSON.parse(
        (await run(['stats', '--local', '--json'])).stdout,
      );
      const peaks = [totals, days[0], hours[0]].map((row) => row.peakBytesPerSecond);
      expect(peaks).toEqual(Array(3).fill(peakBytesPerSecond || null));
      return (await run(['stats', '--local'])).stdout;
    };
    expect(await show(0)).toMatch(/^Transfer +805 MB\n(?:.*\n)*Peak +-$/m);
    expect(await show(1_000_000)).toMatch(/^Peak +8\.00 Mbit\/s$/m);
  });

  test('says where nothing was counted', async () => {
    const { run } = await createAlone(0);
    const { exitCode, stdout } = await run(['stats', '--local']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('No figures for that time.');
  });
});

/** As if the device were registered under this id. */
async function adopt(stateDirectory: string, clientId: string): Promise<void> {
  const { identity } = createRegistrationFiles(stateDirectory, () => undefined);
  await identity.write({ installId: '0123456789abcdef', clientId, isUncertain: false });
}

describe('tributary stats, where the service cannot be asked,', () => {
  test.each([['--csv'], ['--columns', 'device,payout'], ['--sort', '-payout']])(
    'says so to who chose from its table, and shows no other: %j',
    async (...chosen) => {
      const { run, stateDirectory } = await createAlone(3);
      await adopt(stateDirectory, 'client-1');
      const { exitCode, stdout, stderr } = await run(['stats', ...chosen]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 69, stdout: '' });
      expect(stderr).toContain('no connection');
    },
  );

  test.each([[[]], [['--client', 'this']]])(
    'shows what this device counted, and says so: %j',
    async (client) => {
      const { run, stateDirectory } = await createAlone(3);
      await adopt(stateDirectory, 'client-1');
      const { exitCode, stdout } = await run(['stats', ...client]);
      expect(exitCode).toBe(0);
      expect(stdout).toContain(
        'No figures from the service, so this is what this device counted itself.\n',
      );
      const json = (await run(['stats', ...client, '--json'])).stdout;
      expect(JSON.parse(json)).toMatchObject({
        scope: 'local',
        serviceProblem: { code: 'service-unreachable' },
      });
      await expectGolden(
        `stats-local-alone${client.length === 0 ? '' : '-this'}.json`,
        indent(json),
      );
    },
  );

  test.each(['--csv', '--columns=device,payout', '--sort=device', '--filter=kitchen'])(
    'is an error where a table of devices is asked for: %s',
    async (option) => {
      const { run } = await createAlone(3);
      expect(await run(['stats', option])).toMatchObject({ exitCode: 69, stdout: '' });
    },
  );

  test('is an error for another device, and where nothing was counted', async () => {
    const counted = await createAlone(3);
    expect(await counted.run(['stats', '--client', 'kitchen'])).toMatchObject({
      exitCode: 69,
      stdout: '',
    });
    const empty = await createAlone(0);
    expect(await empty.run(['stats'])).toMatchObject({ exitCode: 69, stdout: '' });
  });
});

describe('tributary stats --client this', () => {
  const asKitchen = async () => {
    const world = await createNetworkWorld();
    await adopt(world.stateDirectory, world.devices.kitchen);
    return world;
  };

  test('shows beside the service what was counted here, the difference, and why', async () => {
    const world = await asKitchen();
    await fillLedger(world.stateDirectory, 4, world.clock.nowMs);
    const line = ['stats', '--client', 'this', '--last', '48h'];
    for (const [width, columns] of Object.entries({ 50: 50, 80: 80, pipe: undefined })) {
      const { exitCode, stdout } = await world.run(line, { columns });
      expect(exitCode).toBe(0);
      expect(stdout.split('\n').filter((row) => stringWidth(row) > (columns ?? Infinity))).toEqual(
        [],
      );
      await expectGolden(`stats-device-here-${width}.txt`, world.maskForGolden(stdout));
    }
    const json = (await world.run([...line, '--json'])).stdout;
    await expectGolden('stats-device-here.json', world.maskForGolden(indent(json)));
    const { here } = JSON.parse(json);
    expect(here.days).toHaveLength(3);
    expect(here.days[1]).toMatchObject({
      providingHours: 23.25,
      uptimeDifference: expect.any(Number),
    });
  });

  test('keeps what the service has purged', async () => {
    const world = await asKitchen();
    await fillLedger(world.stateDirectory, 9, world.clock.nowMs);
    const { stdout } = await world.run(['stats', '--client', 'this', '--last', '7d']);
    const purged = new Date(world.clock.nowMs - 6 * dayMs).toISOString().slice(0, 10);
    expect(stdout).toMatch(new RegExp(`^${purged} +- +23 h 15 min`, 'm'));
    expect(stdout).toContain('The service keeps its history only for a while');
  });

  test('shows the service alone where there is no ledger, and of another device', async () => {
    const world = await asKitchen();
    const read = async (client: string) =>
      JSON.parse((await world.run(['stats', '--client', client, '--json'])).stdout).here;
    expect(await read('this')).toBeNull();
    await fillLedger(world.stateDirectory, 2, world.clock.nowMs);
    expect(await read('attic')).toBeNull();
    expect(await read('kitchen')).not.toBeNull();
  });
});

test('years are a window, as hours and days are', async () => {
  const { run } = await createCommandWorld();
  expect((await run(['stats', '--local', '--last', '20y'])).exitCode).toBe(0);
  expect((await run(['stats', '--local', '--last', '21y'])).exitCode).toBe(64);
});
