import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operations } from '../../../src/service/operations.ts';
import { sendJson, startNastyService } from '../nasty-service.ts';
import { makeDirectory } from '../reference-caller.ts';
import { createOwner, expectGolden, indent, maskChance } from './command-world.ts';
import { createHousehold } from './household.ts';
import { createNetworkWorld } from './service-world.ts';

describe('tributary service call', () => {
  test('lists every operation', async () => {
    const { run } = await createHousehold();
    const { stdout } = await run(['service', 'call']);
    for (const [name, { path }] of Object.entries(operations)) {
      expect(stdout).toMatch(new RegExp(`^${name} +(GET|POST) +${path} `, 'm'));
    }
  });

  test('sends fields as they are typed, nested and in lists, and prints the wire', async () => {
    const { run } = await createNetworkWorld();
    const best = [
      '--field',
      'specs[].best_available=true',
      '--field',
      'count=2',
      '--field',
      'rank_mode=quality',
    ];
    const { stdout, exitCode } = await run(['service', 'call', 'find-providers2', ...best]);
    expect(exitCode).toBe(0);
    const { providers } = JSON.parse(stdout);
    expect(providers).toHaveLength(2);
    expect(Object.keys(providers[0])).toContain('estimated_bytes_per_second');
  });

  test('prints the names of the interface, also where a digit begins a word', async () => {
    const { run } = await createHousehold();
    const { providers } = JSON.parse((await run(['service', 'call', 'providers'])).stdout);
    expect(Object.keys(providers[0])).toEqual(
      expect.arrayContaining(['client_id', 'uptime_last_24h']),
    );
  });

  test('takes a request from a file or standard input, with fields beside', async () => {
    const { run, devices } = await createHousehold();
    const path = join(makeDirectory(), 'request.json');
    writeFileSync(path, JSON.stringify({ client_id: devices.shed }));
    const fromFile = await run([
      'service',
      'call',
      'createShareCode',
      '--input',
      path,
      '--field',
      'device_name=barn',
    ]);
    expect(JSON.parse(fromFile.stdout).share_code).toMatch(/./);
    const standardInput = JSON.stringify({ client_id: devices.shed, device_name: 'barn' });
    const piped = await run(['service', 'call', 'createShareCode', '--input', '-', '--json'], {
      standardInput,
    });
    expect(JSON.parse(piped.stdout).share_code).toMatch(/./);
  });

  test('takes a value from a file', async () => {
    const { run, devices } = await createHousehold();
    const path = join(makeDirectory(), 'name');
    writeFileSync(path, 'barn');
    const fields = ['--field', `client_id=${devices.shed}`, '--field', `device_name=@${path}`];
    expect((await run(['service', 'call', 'createShareCode', ...fields])).exitCode).toBe(0);
    expect(
      JSON.parse((await run(['service', 'call', 'deviceAssociations'])).stdout)
        .outgoing_shared_devices[0].device_name,
    ).toBe('barn');
  });

  test('takes digits in quotes for text, and a name with dashes', async () => {
    const { run, devices } = await createHousehold();
    const fields = ['--field', `client_id=${devices.shed}`, '--field', 'device_name="12"'];
    expect((await run(['service', 'call', 'create-share-code', ...fields])).exitCode).toBe(0);
    expect(
      JSON.parse((await run(['service', 'call', 'device-associations'])).stdout)
        .outgoing_shared_devices,
    ).toMatchObject([{ device_name: '12' }]);
  });

  test('ends as a refusal where an answer holds nothing else', async () => {
    const { run } = await createHousehold();
    const { exitCode, stderr } = await run([
      'service',
      'call',
      'auth-client',
      '--field',
      'description=one\ntwo',
    ]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 65,
      stderr: expect.stringContaining('one line'),
    });
  });

  test.each([
    [
      ['codeCreate', '--field', 'duraton_minutes=5'],
      'the interface knows no field duraton_minutes here',
    ],
    [
      ['findProviders2', '--field', 'specs[].best=true'],
      'the interface knows no field specs.0.best here',
    ],
    [
      ['findProvider2'],
      'unknown operation findProvider2; did you mean findProviders2?\n  > See them all: tributary service call\n',
    ],
    [['xyzzy'], 'unknown operation xyzzy\n  > See them all: tributary service call\n'],
    [['clients', '--field', 'a=1'], 'clients takes no fields'],
    [['findProviders2', '--field', 'count'], '--field count: it must be key=value'],
    [['findProviders2', '--field', 'count=many'], 'count: it must be a number'],
    [['codeLogin'], 'auth_code: it is missing'],
    [
      ['findProviders2', '--input', '/nowhere/request.json'],
      'reading /nowhere/request.json: there is no such file\n',
    ],
    [['findProviders2', '--input', '/'], 'reading /: it is a folder\n'],
    [
      ['findProviders2', '--input', '/etc/hostname'],
      '--input /etc/hostname: it is not a JSON object',
    ],
  ])('refuses %j', async (words, message) => {
    const { run } = await createHousehold();
    const { exitCode, stderr } = await run(['service', 'call', ...words]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 64,
      stderr: expect.stringContaining(message),
    });
  });
});

describe('any request', () => {
  test.each([
    [['GET', '/account/payout-wallet'], {}],
    [['/account/payout-wallet'], {}],
    [['get', '/network/clients'], { clients: expect.anything() }],
    [
      ['POST', '/network/find-providers2', '--field', 'count=1', '--field', 'unheard_of=1'],
      { providers: expect.anything() },
    ],
    [['POST', '/stats/leaderboard'], { earners: expect.anything() }],
  ])('is sent as it is typed: %j', async (words, answer) => {
    const { run } = await createHousehold();
    const { exitCode, stdout, stderr } = await run(['service', 'call', ...words]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject(answer);
  });

  /** What a service hears of a call, and what the caller gets; it answers everything alike. */
  async function listen(words: readonly string[], reply: Parameters<typeof startNastyService>[0]) {
    const heard: object[] = [];
    await using service = await startNastyService((request, response) => {
      const { method, path, headers, body } = request;
      heard.push({ method, path, authorization: headers.authorization, body });
      return reply(request, response);
    });
    const owner = await createOwner(service.baseUrl, 'production', 'a.token.here', { nowMs: 0 });
    return { heard, result: await owner.run(['service', 'call', ...words]) };
  }
  const good = sendJson({ net_points: [1, { of: 'any form' }] });

  test.each([
    [
      ['GET', '/account/year', '--field', 'year=2026', '--field', 'of=a b'],
      { method: 'GET', path: '/account/year?year=2026&of=a+b', body: {} },
    ],
    [['/account/year'], { method: 'GET', path: '/account/year', body: {} }],
    [
      ['/account/year', '--field', 'client_id=x'],
      { method: 'POST', path: '/account/year', body: { client_id: 'x' } },
    ],
    [['delete', '/some/thing'], { method: 'DELETE', path: '/some/thing', body: {} }],
  ])('outside the list gets the token: %j', async (words, asked) => {
    const { heard, result } = await listen(words, good);
    expect(heard).toEqual([{ ...asked, authorization: 'Bearer a.token.here' }]);
    expect(JSON.parse(result.stdout)).toEqual({ net_points: [1, { of: 'any form' }] });
  });

  test('whose operation takes no token gets none', async () => {
    const { heard } = await listen(['POST', '/auth/code-login', '--field', 'auth_code=x'], good);
    expect(heard).toMatchObject([{ authorization: undefined }]);
  });

  test.each([
    'https://elsewhere.example/network/clients',
    '//elsewhere.example/network/clients',
    '/../admin',
    '/a/%2E%2e/%2e./b',
    '/a\\..\\b',
    '/a%2f..%2fb',
    '/a b',
    '/a#b',
  ])('is sent to no other place: %s', async (path) => {
    const { heard, result } = await listen(['GET', path], good);
    expect({ heard, exitCode: result.exitCode }).toEqual({ heard: [], exitCode: 64 });
    expect(result.stderr).toMatch(/it must be a path below|the path must begin with/);
  });

  test('follows no redirect', async () => {
    const { heard, result } = await listen(['GET', '/account/year'], (_, response) => {
      response.writeHead(302, { location: 'https://elsewhere.example/' }).end();
    });
    expect(heard).toHaveLength(1);
    expect(result).toMatchObject({
      exitCode: 69,
      stderr: expect.stringContaining('points to elsewhere.example'),
    });
  });

  test('says when it may be tried again', async () => {
    const { result } = await listen(['GET', '/account/year'], (_, response) => {
      response.writeHead(429, { 'retry-after': '3600' }).end('slow down');
    });
    expect(result).toMatchObject({
      exitCode: 75,
      stderr: expect.stringContaining('slow down\n  > Try again in 1 h.\n'),
    });
  });

  test('ends as a refusal where it is refused', async () => {
    const refusal = sendJson({ error: { message: 'Not yours.' } });
    expect((await listen(['POST', '/some/thing'], refusal)).result).toMatchObject({
      exitCode: 65,
      stderr: expect.stringContaining('POST /some/thing: Not yours.'),
    });
  });
});

describe('tributary device show', () => {
  test('shows one device to people and to scripts', async () => {
    const { run, devices } = await createHousehold();
    const { stdout } = await run(['device', 'show', 'shed']);
    expect(stdout).toMatch(/^Name +shed$/m);
    expect(stdout).toContain(devices.shed);
    const json = (await run(['device', 'show', '--json'])).stdout;
    expect(JSON.parse(json)).toMatchObject({ name: 'attic' });
    // The port is a free one of this machine.
    const masked = json.replaceAll(/"wireGuardPort":(\d+)/.exec(json)?.[1] ?? '', '51820');
    await expectGolden('device-show.json', maskChance(indent(masked)));
  });
});
