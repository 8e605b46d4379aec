import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSandbox } from '../../src/cli/sandbox.ts';
import { startReferenceService } from '../../src/reference-service/server.ts';
import { runCommand } from '../unit/cli/run-command.ts';
import { call, claimsOf, makeDirectory, start } from './reference-caller.ts';
import { runService } from './sandbox-process.ts';

/** One command as its administrator types it, and what is said. */
async function run(directory: string, ...words: string[]) {
  const { stdout } = await runCommand(await loadSandbox(), '', [
    'sandbox',
    ...words,
    '--data',
    directory,
  ]);
  return stdout;
}

async function runJson(directory: string, ...words: string[]) {
  return JSON.parse(await run(directory, ...words, '--json'));
}

interface Running {
  readonly baseUrl: string;
}

const ask = async ({ baseUrl }: Running, path: string, token: string, body?: unknown) =>
  (await call(baseUrl, path, { token, body })).body;
const logIn = async (service: Running, auth_code: string) =>
  (await ask(service, '/auth/code-login', '', { auth_code })).by_jwt;

/** Both ways to have a command run: by the service, and before it is started. */
const ways = {
  'by the service that runs': async (directory: string) => {
    const service = await runService('--data', directory);
    return async () => service;
  },
  'where no service runs': async (directory: string) => () => runService('--data', directory),
};

const impossible: readonly (readonly [readonly string[], RegExp])[] = [
  [['network', 'sandbox'], /taken/],
  [['reset-code', '--network', 'nobody'], /no network nobody/],
  [['adopt-code', 'never-was'], /does not exist/],
  [['locate', 'never-was', 'Berlin'], /no client never-was/],
  [['auth-code', '--minutes', '0'], /--minutes 0: it must be a number above 0, and at most 527040/],
  [['adopt-code', 'a', '--minutes', '1e9'], /--minutes 1e9: it must be a number above 0/],
  [['adopt-code', 'a', '--minutes', '999999999'], /--minutes 999999999: .* at most 527040, a year/],
  [['adopt-code', 'a', '--minutes', '-1'], /--minutes -1: it must be a number above 0/],
  [['auth-code', '--uses', '1.5'], /--uses 1.5: it must be a whole number from 1 to 1000000/],
  [['balance', '1000001'], /it must be a number from 0 to 1000000/],
  [['hasten', '0'], /it must be a whole number from 1 to 1000/],
  [['auth-code', '--minutes', 'soon'], /--minutes soon/],
  [['wallet', 'a\nb'], /walletAddress/],
  [['wallet', 'a', '--blockchain', 'BTC'], /blockchain/],
];

describe.each(Object.entries(ways))('%s', (_, prepare) => {
  test('a network is made, with two ways to be its owner', async () => {
    const directory = makeDirectory();
    const reach = await prepare(directory);
    const made = await runJson(directory, 'network', 'neighbour', '--public');
    expect(Object.keys(made)).toEqual(['networkId', 'networkName', 'networkJwt', 'authCode']);
    const service = await reach();
    for (const token of [made.networkJwt, await logIn(service, made.authCode)]) {
      expect(claimsOf(token)).toMatchObject({
        network_id: made.networkId,
        network_name: 'neighbour',
      });
      expect(await ask(service, '/network/clients', token)).toEqual({ clients: [] });
    }
    expect(claimsOf(await logIn(service, service.authCode)).network_id).not.toBe(made.networkId);
  });

  test('a guest session is made, and can be upgraded', async () => {
    const directory = makeDirectory();
    const reach = await prepare(directory);
    const { guestJwt } = await runJson(directory, 'guest');
    const body = { user_auth: 'me@example.org', network_name: 'home', password: 'correct horse' };
    const service = await reach();
    expect((await ask(service, '/auth/upgrade-guest', guestJwt, body)).network.by_jwt).toEqual(
      expect.any(String),
    );
    expect(claimsOf(service.guestJwt).network_id).not.toBe(claimsOf(guestJwt).network_id);
    expect(claimsOf(await logIn(service, service.authCode)).network_name).toBe('sandbox');
  });

  test('codes are made for the first network, or for the one that is named', async () => {
    const directory = makeDirectory();
    const reach = await prepare(directory);
    const { networkId } = await runJson(directory, 'network', 'neighbour');
    const own = await runJson(directory, 'auth-code', '--uses', '2', '--minutes', '60');
    const theirs = await runJson(directory, 'auth-code', '--network', networkId);
    const reset = await runJson(
      directory,
      'reset-code',
      '--network',
      'Neighbour',
      '--minutes',
      '0.5',
    );
    expect(own).toMatchObject({ uses: 2, durationMinutes: 60 });
    expect(reset).toMatchObject({ networkId, durationMinutes: 0.5 });
    const service = await reach();
    const tokens = [await logIn(service, own.authCode), await logIn(service, own.authCode)];
    tokens.push(await logIn(service, service.authCode));
    expect(new Set(tokens.map((token) => claimsOf(token).network_id))).toEqual(
      new Set([own.networkId]),
    );
    expect(claimsOf(await logIn(service, theirs.authCode)).network_id).toBe(networkId);
    const body = { reset_code: reset.resetCode, password: 'correct horse' };
    expect(await ask(service, '/auth/password-set', '', body)).toEqual({});
  });

  test('wallets are registered', async () => {
    const directory = makeDirectory();
    const reach = await prepare(directory);
    const { walletId } = await runJson(directory, 'wallet', 'So11');
    const more = ['--blockchain', 'MATIC', '--type', 'managed', '--inactive'];
    expect(await runJson(directory, 'wallet', '0x52', ...more)).toMatchObject({ isActive: false });
    const service = await reach();
    const token = await logIn(service, service.authCode);
    const { wallets } = await ask(service, '/account/wallets', token);
    expect(wallets).toMatchObject([
      { wallet_address: 'So11', blockchain: 'SOL', wallet_type: 'external', active: true },
      { wallet_address: '0x52', blockchain: 'MATIC', wallet_type: 'managed', active: false },
    ]);
    expect(await ask(service, '/account/payout-wallet', token, { wallet_id: walletId })).toEqual(
      {},
    );
  });

  test('a client is handed over, and moved', async () => {
    const directory = makeDirectory();
    const before = await runService('--data', directory);
    const token = await logIn(before, before.authCode);
    const registered = await ask(before, '/network/auth-client', token, { description: 'shed' });
    const clientId = String(claimsOf(registered.by_client_jwt).client_id);
    await before.kill();
    const reach = await prepare(directory);
    expect(await runJson(directory, 'locate', clientId, 'Berlin')).toMatchObject({
      city: 'Berlin',
      country: 'Germany',
    });
    await expect(run(directory, 'locate', clientId, 'Atlantis')).rejects.toMatchObject({
      code: 'usage-invalid',
      message: expect.stringMatching(/Atlantis/),
    });
    const named = await runJson(
      directory,
      'adopt-code',
      clientId,
      '--device-name',
      'barn',
      '--minutes',
      '5',
    );
    expect(named).toMatchObject({ clientId, deviceName: 'barn', durationMinutes: 5 });
    const { adoptCode, deviceName } = await runJson(directory, 'adopt-code', clientId);
    expect(deviceName).toBe('shed');
    const { networkJwt } = await runJson(directory, 'network', 'neighbour');
    const service = await reach();
    expect(
      (await ask(service, '/device/associations', token)).pending_adoption_devices,
    ).toHaveLength(2);
    expect(await ask(service, '/device/add', networkJwt, { code: adoptCode })).toMatchObject({
      code_type: 'adopt',
    });
    expect((await ask(service, '/network/clients', networkJwt)).clients).toMatchObject([
      { client_id: clientId },
    ]);
  });

  test('a command that cannot be obeyed is refused in plain words, and the next one is run', async () => {
    const directory = makeDirectory();
    const reach = await prepare(directory);
    for (const [words, message] of impossible) {
      const refused = expect.objectContaining({
        code: 'usage-invalid',
        message: expect.stringMatching(message),
      });
      await expect(run(directory, ...words), words.join(' ')).rejects.toEqual(refused);
    }
    const { authCode } = await runJson(directory, 'auth-code');
    expect(await logIn(await reach(), authCode)).toEqual(expect.any(String));
  });
});

test('people get one line for each thing', async () => {
  const lines = (await run(makeDirectory(), 'wallet', 'So11', '--inactive')).split('\n');
  expect(lines).toEqual([
    expect.stringMatching(/^Network {5}[-0-9a-f]{36}$/),
    expect.stringMatching(/^Wallet {6}[-0-9a-f]{36}$/),
    'Address     So11',
    'Active      no',
    '',
  ]);
});

test("the database is the owner's alone", async () => {
  const directory = join(makeDirectory(), 'data');
  const service = await start({ directory });
  const { guestJwt } = await runJson(directory, 'guest');
  const modes = readdirSync(directory).map((name) => [
    name,
    (statSync(join(directory, name)).mode & 0o777).toString(8),
  ]);
  expect(modes.length).toBeGreaterThan(2);
  expect(modes.filter(([, mode]) => mode !== '600')).toEqual([]);
  expect((statSync(directory).mode & 0o777).toString(8)).toBe('700');
  expect((await call(service.baseUrl, '/network/clients', { token: guestJwt })).status).toBe(200);
  expect((await call(service.baseUrl, '/admin/createGuest', { body: {} })).status).toBe(404);
});

test('a service that was killed is in the way of nobody; what had been answered is kept', async () => {
  const directory = makeDirectory();
  const service = await runService('--data', directory);
  const { networkId } = await runJson(directory, 'network', 'answered');
  await service.kill();
  expect((await runJson(directory, 'auth-code', '--network', 'answered')).networkId).toBe(
    networkId,
  );
  const next = await start({ directory });
  expect((await runJson(directory, 'auth-code', '--network', 'answered')).networkId).toBe(
    networkId,
  );
  expect(await next.admin.createAuthCode({ network: 'answered' })).toMatchObject({ networkId });
});

test('a command waits for another program that writes to the database', async () => {
  const directory = makeDirectory();
  await runJson(directory, 'guest');
  const script = `const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(process.argv[1]);
    database.exec('begin exclusive');
    console.log('writing');
    setTimeout(() => database.exec('commit'), 300);`;
  const other = spawn(process.execPath, [
    '-e',
    script,
    join(directory, 'reference-service.sqlite'),
  ]);
  const ended = once(other, 'exit');
  await once(other.stdout, 'data');
  expect((await runJson(directory, 'guest')).guestJwt).toEqual(expect.any(String));
  expect(await ended).toEqual([0, null]);
});

test('a second service on the same data is refused', async () => {
  const directory = makeDirectory();
  await start({ directory });
  await expect(startReferenceService({ directory })).rejects.toMatchObject({
    code: 'already-running',
  });
  await expect(run(directory, 'seed', '--clients', '1')).rejects.toMatchObject({
    code: 'already-running',
  });
});

test('commands at the same moment are all run', async () => {
  const directory = makeDirectory();
  const names = ['one', 'two', 'three', 'four'];
  const made = await Promise.all(names.map((name) => runJson(directory, 'network', name)));
  expect(made.map(({ networkName }) => networkName)).toEqual(names);
});
