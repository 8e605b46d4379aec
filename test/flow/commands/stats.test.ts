import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { sendJson, startNastyService } from '../nasty-service.ts';
import {
  createCommandWorld,
  createOwner,
  expectGolden,
  goldenNow,
  indent,
} from './command-world.ts';
import { createNetworkWorld } from './service-world.ts';

const lines = {
  network: ['stats'],
  'network-90d': ['stats', '--last', '90d'],
  device: ['stats', '--client', 'kitchen'],
  'device-48h': ['stats', '--client', 'kitchen', '--last', '48h'],
  'device-90d': ['stats', '--client', 'kitchen', '--last', '90d'],
} as const;

describe('tributary stats', () => {
  test.each(Object.entries(lines))(
    'shows people and scripts what was counted: %s',
    async (name, line) => {
      const { run, maskForGolden } = await createNetworkWorld();
      for (const [width, columns] of Object.entries({ 50: 50, 80: 80, pipe: undefined })) {
        const { exitCode, stdout, stderr } = await run(line, { columns });
        expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
        expect(
          stdout.split('\n').filter((row) => stringWidth(row) > (columns ?? Infinity)),
        ).toEqual([]);
        await expectGolden(`stats-${name}-${width}.txt`, maskForGolden(stdout));
      }
      await expectGolden(
        `stats-${name}.json`,
        maskForGolden(indent((await run([...line, '--json'])).stdout)),
      );
    },
  );

  test('counts the same in production', async () => {
    const documented = await createNetworkWorld();
    const production = await createNetworkWorld('production');
    for (const line of Object.values(lines)) {
      const shown = production.maskForGolden((await production.run([...line, '--json'])).stdout);
      const wanted = documented.maskForGolden((await documented.run([...line, '--json'])).stdout);
      expect(
        JSON.parse(shown.replaceAll('000000Z', 'Z')),
        // Such a service has no modes in its statistics.
      ).toEqual(JSON.parse(wanted.replaceAll('"provideMode":"default"', '"provideMode":null')));
    }
  });

  test('is of the hours that were asked for, also where the service counts days', async () => {
    const { run } = await createNetworkWorld('production');
    const line = ['stats', '--client', 'kitchen', '--last', '30h'];
    const { stdout } = await run([...line, '--json']);
    const { askedHours, windowHours, hours } = JSON.parse(stdout);
    expect([askedHours, windowHours]).toEqual([30, 30]);
    expect(hours.length).toBeGreaterThan(24);
  });

  test('shows one device only where it is clear which', async () => {
    const { run, devices } = await createNetworkWorld();
    const of = async (client: string) => run(['stats', '--client', client, '--json']);
    for (const client of ['garden shed', devices.shed, devices.shed.slice(0, 10)]) {
      expect(JSON.parse((await of(client)).stdout)).toMatchObject({
        clientId: devices.shed,
        name: 'garden shed',
      });
    }
    expect(await of('cellar')).toMatchObject({ exitCode: 64, stdout: '' });
    expect(await of('this')).toMatchObject({ exitCode: 64, stdout: '' });
  });

  test.each(['3w', '0h', '1.5d', '-1h', '24', '', '9999d'])(
    'refuses the window %j, and says what is allowed',
    async (last) => {
      const { run } = await createCommandWorld();
      const { exitCode, stdout, stderr } = await run(['stats', `--last=${last}`]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: '' });
      expect(stderr).toContain(`--last ${last}: it must be hours or days such as 24h, 7d or 90d`);
    },
  );

  test('says what to do where there is nothing', async () => {
    const { run, register, clock } = await createCommandWorld();
    expect((await run(['stats'])).stdout).toBe(
      'No devices yet. To register this one: sudo systemctl start tributary\n',
    );
    await register('kitchen');
    clock.nowMs += 20 * 24 * 3_600_000;
    const { stdout } = await run(['stats', '--client', 'kitchen']);
    expect(stdout).toContain(
      '\nNo figures for that time. What the agent is doing: tributary status\n',
    );
  });

  test.each([24, 48])(
    'also works for networks too large for one answer, over %i hours',
    async (hours) => {
      const providers = Array.from({ length: 5_000 }, (_, index) => {
        return {
          client_id: `device-${index}`.padEnd(900, '-'),
          payout_last_24h: 1,
          connected: true,
        };
      });
      await using large = await startNastyService((request, response) => {
        const figures = { created_time: '2026-03-14T00:00:00Z', providers };
        sendJson(request.path === '/network/clients' ? { clients: [] } : figures)(
          request,
          response,
        );
      });
      const { run } = await createOwner(large.baseUrl, 'documented', 'a.token.here', {
        nowMs: goldenNow,
      });
      const { stdout } = await run(['stats', '--last', `${hours}h`, '--json']);
      expect(JSON.parse(stdout)).toMatchObject({
        createdAt: '2026-03-14T00:00:00Z',
        totals: { deviceCount: 5_000, payoutUsdc: 5_000 },
      });
    },
  );

  test('is not led astray by what devices are called', async () => {
    const { run, registerNamed } = await createCommandWorld();
    const names = [
      '\u001b[2J\u001b]0;gone\u0007\r\nroot',
      '東京の屋根裏部屋',
      '🛖'.repeat(30),
      'x'.repeat(200),
      '\u202etxt',
    ];
    const ids = await registerNamed(names);
    for (const line of [['stats'], ...ids.map((id) => ['stats', '--client', id])]) {
      const rows = (await run(line, { columns: 80 })).stdout.split('\n');
      expect(rows.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      if (line.length === 1) expect(rows.filter((row) => stringWidth(row) > 80)).toEqual([]);
    }
    const { providers } = JSON.parse((await run(['stats', '--json'])).stdout);
    expect(providers.map((provider: { name: string }) => provider.name)).toEqual(names);
  });
});
