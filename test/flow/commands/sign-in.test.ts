import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyNetworkJwtState } from '../../../src/identity/registration-files.ts';
import { withOwnersToken } from '../../../src/identity/sign-in.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { withTunnel } from '../reference-caller.ts';
import { createCommandWorld, expectGolden, indent, maskChance } from './command-world.ts';
import { createTypist } from './typist.ts';

describe('tributary auth status', () => {
  test('says as whom this device is signed in, and from where', async () => {
    const { run, stateDirectory, service } = await createCommandWorld();
    const { stdout, exitCode } = await run(['auth', 'status']);
    expect(exitCode).toBe(0);
    const masked = maskChance(stdout)
      .replace(stateDirectory, 'STATE')
      .replace(service.baseUrl, 'URL');
    expect(masked.split('\n')).toEqual([
      'Service          URL',
      'Network          sandbox',
      expect.stringMatching(/^Network id {7}0{7}\d-[0-]+$/),
      expect.stringMatching(/^User {13}0{7}\d-[0-]+$/),
      'Signed in until  2026-04-13T15:09:26.000Z',
      'Token from       STATE/network-jwt.json',
      'Client           not known',
      'Client until     not known',
      '',
    ]);
    const json = (await run(['auth', 'status', '--json'])).stdout;
    expect(JSON.parse(json)).toMatchObject({
      networkName: 'sandbox',
      clientId: null,
      service: service.baseUrl,
    });
    const same = json
      .replace(stateDirectory, '/STATE')
      .replace(service.baseUrl, 'https://service.example');
    await expectGolden('auth-status.json', maskChance(indent(same)));
  });

  test('says where a sign-in would be', async () => {
    const { run, store, stateDirectory } = await createCommandWorld();
    await store.write(withOwnersToken((await store.peek()) ?? emptyNetworkJwtState, undefined));
    const { exitCode, stderr } = await run(['auth', 'status']);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(
      `this device is not signed in (no network JWT in ${join(stateDirectory, 'network-jwt.json')})`,
    );
    expect(stderr).toContain('> Sign in: tributary login');
  });
});

describe('tributary login', () => {
  test('says as whom, and what comes next', async () => {
    const { run, service } = await createCommandWorld();
    const { authCode } = await service.admin.createAuthCode({});
    const { stdout, exitCode } = await run(['login', '--code-file', '-'], {
      standardInput: authCode,
    });
    expect({ stdout, exitCode }).toEqual({
      exitCode: 0,
      stdout:
        'Signed in to sandbox.\nStart the agent: sudo systemctl start tributary (without the package: tributary run)\n',
    });
  });

  test('asks before it takes the place of a sign-in', async () => {
    const { run, store } = await createCommandWorld();
    const before = await store.peek();
    const typist = createTypist('no');
    const { exitCode, stderr } = await run(['login'], { prompt: typist });
    expect(typist.asked).toEqual(['This device is signed in to sandbox. Sign in again?']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 64,
      stderr: 'tributary: stopped: nothing was changed\n',
    });
    expect(await store.peek()).toEqual(before);
  });

  test('goes on with yes', async () => {
    const { run, service } = await createCommandWorld();
    const { authCode } = await service.admin.createAuthCode({});
    const typist = createTypist('yes', authCode);
    expect((await run(['login'], { prompt: typist })).exitCode).toBe(0);
    expect(typist.asked).toHaveLength(2);
  });
});

describe('a device whose sign-in of its owner is no longer kept', () => {
  const createWorld = async () => {
    const world = await createCommandWorld();
    const { store, post, token } = world;
    const { by_client_jwt } = await post('/network/auth-client', withTunnel);
    await post('/network/auth-client', { ...withTunnel, description: 'barn' });
    const known = { ...emptyNetworkJwtState, token: new Secret(by_client_jwt) };
    const asDevice = { ...known, holder: 'device', takenAt: '2026-03-14T15:00:00.000Z' } as const;
    await store.write(asDevice);
    const keepOwners = () => store.write({ ...asDevice, ownerToken: new Secret(token) });
    return { ...world, keepOwners };
  };

  test.each([
    ['whole', ['account', 'wallets']],
    ['row by row', ['stats', '--last', '90d']],
  ])('opens nothing of the account that arrives %s, and says how it would', async (_, command) => {
    const { run, keepOwners } = await createWorld();
    const { exitCode, stdout, stderr } = await run(command);
    expect([exitCode, stdout]).toEqual([77, '']);
    expect(stderr).toContain('its own token opens this device alone');
    expect(stderr).toContain('> Sign in: tributary login');
    await keepOwners();
    expect(await run(command)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('lists itself, and says that it is not alone', async () => {
    const { run, keepOwners } = await createWorld();
    const { exitCode, stdout, stderr } = await run(['device', 'list']);
    expect(exitCode).toBe(0);
    expect([stdout, stderr]).toEqual([
      expect.stringContaining('1 device'),
      'tributary: this lists this device alone, by its own token; for all devices: tributary login\n',
    ]);
    await keepOwners();
    expect(await run(['device', 'list'])).toMatchObject({
      stdout: expect.stringContaining('2 devices'),
      stderr: '',
    });
  });
});

describe('tributary logout', () => {
  test('forgets the sign-in after a question, for good', async () => {
    const { run, store, token } = await createCommandWorld();
    const typist = createTypist('yes');
    const { stdout, exitCode } = await run(['logout'], { prompt: typist });
    expect(exitCode).toBe(0);
    expect(typist.asked).toEqual(['Forget the sign-in to sandbox?']);
    expect(stdout).toMatch(
      /^Signed out of sandbox\. This device stays registered there\.\n.*tributary login\n$/,
    );
    const after = await store.peek();
    expect(after?.token).toBeUndefined();
    expect(JSON.stringify(after)).not.toContain(token);
    expect((await run(['device', 'list'])).stderr).toContain('tributary login');
    expect((await run(['logout', '--yes'])).stderr).toContain(
      'signing out: this device is not signed in',
    );
  });

  test('needs a yes where nobody can be asked', async () => {
    const { run, store } = await createCommandWorld();
    const { exitCode, stderr } = await run(['logout']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 64,
      stderr: expect.stringContaining('pass --yes to confirm'),
    });
    expect((await store.peek())?.token).toBeDefined();
  });
});
