import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { createCommandWorld, expectGolden, indent, maskChance } from './command-world.ts';
import { createHousehold } from './household.ts';

const list = ['device', 'list'];

describe('tributary device list', () => {
  test.each<[string, number | undefined]>([
    ['80', 80],
    ['50', 50],
    ['pipe', undefined],
  ])('shows the devices, on %s columns', async (name, columns) => {
    const { run, devices } = await createHousehold();
    const { stdout, exitCode } = await run(list, { columns });
    expect(exitCode).toBe(0);
    await expectGolden(`device-list-${name}.txt`, maskChance(stdout, [], Object.values(devices)));
  });

  test('gives scripts the same', async () => {
    const { run } = await createHousehold();
    const { stdout } = await run([...list, '--json']);
    await expectGolden('device-list.json', maskChance(indent(stdout)));
  });

  test('says how to have a first one', async () => {
    const { run } = await createCommandWorld();
    expect(await run(list)).toEqual({
      exitCode: 0,
      stdout: 'No devices yet. To register this one: sudo systemctl start tributary\n',
      stderr: '',
    });
    expect(JSON.parse((await run([...list, '--json'])).stdout)).toEqual({ devices: [] });
  });

  test('of a device whose state cannot be read is an error, not a device that is not registered', async () => {
    const { run, stateDirectory } = await createCommandWorld();
    // As a closed folder is to an ordinary user, also where the tests run as root.
    mkdirSync(join(stateDirectory, 'identity.json'));
    for (const line of [list, ['device', 'show', 'this']]) {
      const { exitCode, stderr } = await run(line);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 75,
        stderr: expect.stringMatching(/identity\.json: it is no regular file/),
      });
    }
  });

  test('is not led astray by what devices are called', async () => {
    const { run, registerNamed } = await createCommandWorld();
    const names = [
      '\u001b[2J\u001b]0;gone\u0007\r\nroot',
      '東京の屋根裏部屋',
      '🛖'.repeat(30),
      `a${'\u0301'.repeat(60)}`,
      'x'.repeat(200),
      '\u202etxt.exe',
    ];
    const ids = await registerNamed(names);
    const { stdout } = await run(list, { columns: 80 });
    await expectGolden('device-list-hostile.txt', maskChance(stdout, [], ids));
    const rows = stdout.split('\n').slice(0, names.length + 1);
    expect(rows.filter((row) => stringWidth(row) > 80)).toEqual([]);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(
      JSON.parse((await run([...list, '--json'])).stdout).devices.map(
        (device: { name: string }) => device.name,
      ),
    ).toEqual(names);
  });
});

describe('tributary device provide', () => {
  test('sets the mode of any device', async () => {
    const { run, get, devices } = await createHousehold();
    const text = await run(['device', 'provide', 'shed', 'network']);
    await expectGolden('device-provide.txt', maskChance(text.stdout));
    const json = await run(['device', 'provide', devices.cellar, 'none', '--json']);
    await expectGolden('device-provide.json', maskChance(indent(json.stdout)));
    expect([text.exitCode, json.exitCode]).toEqual([0, 0]);
    const { clients } = await get('/network/clients');
    const modes = clients.map((client: Record<string, unknown>) => [
      client.description,
      client.provide_mode,
    ]);
    expect(Object.fromEntries(modes)).toEqual({ attic: 0, shed: 2, cellar: 1 });
  });

  test('says of this device that its agent has the last word', async () => {
    const { run } = await createHousehold();
    await expectGolden(
      'device-provide-this.txt',
      (await run(['device', 'provide', 'this', 'friends'])).stdout,
    );
  });

  test.each([
    [
      ['shed', 'open'],
      'unknown mode open; the modes are default, none, network, friends, public, stream',
    ],
    [['shed', '4'], 'unknown mode 4; the modes are'],
    [
      ['shed', 'pubic'],
      'unknown mode pubic; did you mean public?\n  > See how it is used: tributary device provide',
    ],
    [['shed', 'off'], '\n  > To stop sharing: tributary device provide shed none\n'],
    [['barn', 'none'], 'no device is called barn\n  > See your devices: tributary device list\n'],
  ])('refuses %j', async (words, message) => {
    const { run, register } = await createCommandWorld();
    await register('shed');
    const { exitCode, stderr } = await run(['device', 'provide', ...words]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 64,
      stderr: expect.stringContaining(message),
    });
  });

  test('sends no number to a service whose dialect is not known', async () => {
    const { run, register, service, stateDirectory } = await createCommandWorld();
    await register('shed');
    const config = join(stateDirectory, 'unclear.yaml');
    writeFileSync(config, `service:\n  base_url: ${service.baseUrl}\n`);
    const { exitCode, stderr } = await run([
      'device',
      'provide',
      'shed',
      'none',
      '--config',
      config,
    ]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 78,
      stderr: expect.stringContaining('service.profile'),
    });
  });
});

describe('tributary device remove', () => {
  test('takes a device out of the network, for good', async () => {
    const { run, devices } = await createHousehold();
    expect(await run(['device', 'remove', 'shed', '--yes'])).toEqual({
      exitCode: 0,
      stdout: 'Removed shed.\n',
      stderr: '',
    });
    const json = await run(['device', 'remove', 'cellar', '--yes', '--json']);
    await expectGolden('device-remove.json', maskChance(indent(json.stdout)));
    const { stdout } = await run([...list, '--json']);
    expect(stdout).toContain(devices.attic);
    expect(stdout).not.toContain(devices.shed);
    expect(await run(['device', 'remove', devices.shed, '--yes'])).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('no device is called'),
    });
  });

  test('asks before it does', async () => {
    const { run, devices } = await createHousehold();
    expect(await run(['device', 'remove', 'shed'])).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('pass --yes to confirm'),
    });
    expect((await run([...list, '--json'])).stdout).toContain(devices.shed);
  });

  test('leaves the device that it runs on', async () => {
    const { run } = await createHousehold();
    expect(await run(['device', 'remove', 'this', '--yes'])).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('this is the device you are on'),
    });
  });
});

describe('against production', () => {
  test('lists the devices with their modes by name', async () => {
    const { run, devices } = await createHousehold('production');
    const { stdout } = await run(list, { columns: 80 });
    await expectGolden(
      'device-list-production.txt',
      maskChance(stdout, [], Object.values(devices)),
    );
  });

  test('says before it asks that it sets no modes, and where to set one', async () => {
    const { run } = await createHousehold('production');
    expect(await run(['device', 'provide', 'shed', 'none'])).toEqual({
      exitCode: 69,
      stdout: '',
      stderr:
        'tributary: POST /device/set-provide: services of the profile production do not have this operation\n' +
        '  > Set the mode on the device itself: tributary provide MODE\n',
    });
  });
});

test.each([[['device', 'keep']], [['device', 'new']]])(
  'tributary %j changes nothing on a device that has not moved',
  async (words) => {
    const { run, stateDirectory } = await createHousehold();
    const before = await readFile(join(stateDirectory, 'identity.json'), 'utf8');
    const { exitCode, stderr } = await run(words);
    const action = 'To register it as a new device anyway: sudo tributary login --new-device';
    expect([exitCode, stderr]).toEqual([
      64,
      `tributary: this device has not moved, so there is nothing to do\n  > ${action}\n`,
    ]);
    expect(await readFile(join(stateDirectory, 'identity.json'), 'utf8')).toBe(before);
  },
);
