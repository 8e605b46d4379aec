import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { createRegistrationFiles } from '../../../src/identity/registration-files.ts';
import { type ProfileName, profileNames } from '../../../src/service/profiles.ts';
import { setupSample } from '../../../tools/docs/json-samples.ts';
import { renderSampleConfig } from '../../../tools/packaging/release.ts';
import { createAuthCode, makeDirectory, start } from '../reference-caller.ts';
import { runAs } from './command-world.ts';
import { keys, openTerminal } from './terminal.ts';

/** A device on which nothing is set up yet, and a service. */
async function createDevice(profile: ProfileName = 'documented') {
  const service = await start({ profile });
  const directory = makeDirectory();
  const configPath = join(directory, 'etc', 'tributary.yaml');
  const stateDirectory = join(directory, 'state');
  const paths = ['--config', configPath, '--state-dir', stateDirectory];
  return {
    service,
    configPath,
    directory,
    paths,
    newCode: () => createAuthCode(service),
    config: () => (existsSync(configPath) ? parse(readFileSync(configPath, 'utf8')) : undefined),
    isSignedIn: async () =>
      (await createRegistrationFiles(stateDirectory, () => undefined).networkJwt.peek())?.token !==
      undefined,
    writeConfig(text: string) {
      mkdirSync(join(directory, 'etc'), { recursive: true });
      writeFileSync(configPath, text);
    },
    run: (argv: readonly string[], options: Parameters<typeof runAs>[2] = {}) =>
      runAs([...paths, 'setup', ...argv], { nowMs: Date.now() }, options),
  };
}

describe.each(profileNames)('in the %s profile, one line', (profile) => {
  test('writes the file, signs in and says what is next', async () => {
    const device = await createDevice(profile);
    const given = ['--service', device.service.baseUrl, '--mode', 'friends', '--cap', '500GB'];
    const { exitCode, stdout, stderr } = await device.run(given, {
      standardInput: `${await device.newCode()}\n`,
    });
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: `Set up, but the agent is not running. Start it:\n  tributary run --config ${device.configPath}\n`,
    });
    const shows = profile === 'production' ? ', production profile' : '';
    const [first, ...rest] = stderr.trimEnd().split('\n');
    expect(first).toBe(`${device.service.baseUrl} answers as a bandwidth-sharing service${shows}.`);
    // A line that nobody answers switches nothing on.
    expect(rest.slice(-3)).toEqual(
      profile === 'production'
        ? [
            'To switch it on: sudo tributary config set source connect',
            'A tunnel is issued only for a country that has providers',
            'To choose one: sudo tributary config set proxy.country_code CODE',
          ]
        : [],
    );
    expect(device.config()).toEqual({
      service: {
        base_url: device.service.baseUrl,
        ...(profile === 'production' ? { profile } : {}),
      },
      provide: { mode: 'friends', cap: { bytes: '500GB' } },
    });
    expect(await device.isSignedIn()).toBe(true);
  });

  test('keeps the comments and the mode of the packaged sample', async () => {
    const device = await createDevice(profile);
    const sample = renderSampleConfig(readFileSync('config/tributary.yaml', 'utf8'));
    device.writeConfig(sample);
    const codeFile = join(device.directory, 'code');
    writeFileSync(codeFile, await device.newCode());
    const given = ['--service', device.service.baseUrl, '--code-file', codeFile, '--json'];
    const { exitCode, stdout } = await device.run(given);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      file: device.configPath,
      service: device.service.baseUrl,
      profile: profile === 'production' ? 'production' : null,
      mode: 'friends',
      cap: null,
      signedIn: true,
      phase: null,
      page: 'http://127.0.0.1:9469',
    });
    expect(Object.keys(JSON.parse(stdout))).toEqual(Object.keys(setupSample));
    const comments = (text: string) => text.split('\n').filter((line) => /^\s*#/.test(line));
    expect(comments(readFileSync(device.configPath, 'utf8'))).toEqual(comments(sample));
    expect(parse(sample).provide.mode).toBe('friends');
    expect(device.config().provide.mode).toBe('friends');
  });
});

describe('one line', () => {
  test('changes a device that is signed in without another code, and leaves what was not named', async () => {
    const device = await createDevice();
    await device.run(['--service', device.service.baseUrl, '--cap', '1 TB'], {
      standardInput: await device.newCode(),
    });
    const { exitCode } = await device.run(['--mode', 'none'], { standardInput: '' });
    expect(exitCode).toBe(0);
    expect(device.config().provide).toEqual({ mode: 'none', cap: { bytes: '1 TB' } });
  });

  test.each<[string, readonly string[], number, RegExp]>([
    [
      'without an address',
      [],
      64,
      /no service address given.*--service.*--code-file.*TRIBUTARY_AUTH_CODE/,
    ],
    [
      'with a cap without a unit',
      ['--cap', '500'],
      64,
      /--cap: found "500"; allowed: an amount of data with its unit/,
    ],
    ['with an unknown mode', ['--mode', 'pubic'], 64, /--mode: found "pubic"; allowed: "default"/],
    [
      'with a word that is no option',
      ['CODE'],
      64,
      /^tributary: an auth code is never an argument: .*\n {2}> Type it when you are asked: sudo tributary setup\n$/,
    ],
    [
      'where nothing answers',
      ['--service', 'http://127.0.0.1:1'],
      69,
      /no bandwidth-sharing service answers at http:\/\/127.0.0.1:1/,
    ],
    ['without TLS', ['--service', 'http://192.0.2.1'], 78, /asked without TLS/],
  ])('%s is refused, and nothing is written', async (_, argv, exitCode, message) => {
    const device = await createDevice();
    const run = await device.run(argv, { standardInput: 'x' });
    expect({ exitCode: run.exitCode, text: run.stderr }).toEqual({
      exitCode,
      text: expect.stringMatching(message),
    });
    expect([device.config(), await device.isSignedIn()]).toEqual([undefined, false]);
  });

  test('at another web server is refused by what it answers', async () => {
    const server = createServer((_, answer) => answer.writeHead(404).end('404')).listen(
      0,
      '127.0.0.1',
    );
    onTestFinished(() => {
      server.close();
    });
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const device = await createDevice();
    const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const { exitCode, stderr } = await device.run(['--service', baseUrl], { standardInput: 'x' });
    expect(exitCode).toBe(69);
    expect(stderr).toContain(`no bandwidth-sharing service answers at ${baseUrl}: `);
    expect(device.config()).toBeUndefined();
  });

  test('with a refused code says what is written, and the next one goes on from there', async () => {
    const device = await createDevice();
    const named = ['--service', device.service.baseUrl];
    const refused = await device.run(named, { standardInput: 'not-a-code' });
    expect(refused.exitCode).toBe(77);
    expect(refused.stderr).toContain(
      `${device.configPath} is written; run tributary setup again to continue`,
    );
    expect(await device.isSignedIn()).toBe(false);
    expect(await device.run([], { standardInput: await device.newCode() })).toMatchObject({
      exitCode: 0,
    });
    expect(await device.isSignedIn()).toBe(true);
  });

  test('without a code says where to give it, and nothing is written', async () => {
    const device = await createDevice();
    const { exitCode, stderr } = await device.run(['--service', device.service.baseUrl], {
      standardInput: '',
    });
    expect(exitCode).toBe(64);
    expect(stderr).toContain('standard input is empty; give it there or in --code-file');
    expect(device.config()).toBeUndefined();
  });

  test('does not move a registered device to another service', async () => {
    const device = await createDevice();
    const elsewhere = await start();
    await device.run(['--service', device.service.baseUrl], {
      standardInput: await device.newCode(),
    });
    const { identity } = createRegistrationFiles(join(device.directory, 'state'), () => undefined);
    await identity.write({ installId: 'c3b2a1907f3e4d5a', clientId: 'here', isUncertain: false });
    const { exitCode, stderr } = await device.run(['--service', elsewhere.baseUrl]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 64,
      stderr: expect.stringContaining('is registered at'),
    });
    expect(device.config().service.base_url).toBe(device.service.baseUrl);
  });

  test('names every error of a file that is wrong before it asks anybody', async () => {
    const device = await createDevice();
    device.writeConfig('log: { level: loud }\nreport: { ledger: 5 }\n');
    const { exitCode, stderr } = await device.run(['--service', device.service.baseUrl], {
      standardInput: 'x',
    });
    expect(exitCode).toBe(78);
    expect(stderr).toMatch(/level: found "loud"[\s\S]*ledger: found 5/);
    expect(stderr).not.toContain('answers as');
  });
});

describe.each(profileNames)('in the %s profile, the dialogue at a terminal', (profile) => {
  test('asks for each, checks each, and ends signed in', async () => {
    const device = await createDevice(profile);
    const terminal = openTerminal(...device.paths, 'setup');
    await terminal.until('Address of the service');
    terminal.type(`${keys.clear}http://127.0.0.1:1${keys.enter}`);
    await terminal.until('service answers at http://127.0.0.1:1');
    await terminal.until('Address of the service');
    terminal.type(`${keys.clear}${device.service.baseUrl}${keys.enter}`);
    await terminal.until('Asking http');
    await terminal.until('answers as a bandwidth-sharing service');
    if (profile === 'documented') {
      await terminal.until('Which profile does the service use?');
      terminal.type(keys.enter);
    }
    await terminal.until('Who may use your connection?');
    await terminal.until('strangers use your address');
    terminal.type(`${keys.down}${keys.enter}`);
    await terminal.until('Monthly data cap');
    terminal.type(`500${keys.enter}`);
    await terminal.until('with its unit');
    terminal.type(` GB${keys.enter}`);
    if (profile === 'production') {
      await terminal.until('Whether they let you use this one is for you to judge');
      await terminal.until("Share by the network's own protocol?");
      terminal.type(keys.enter);
      await terminal.until('Country of the tunnel');
      terminal.type(`DE${keys.enter}`);
    }
    await terminal.until('from a device that is signed in there: tributary auth code');
    await terminal.until('Auth code');
    terminal.type(`not-a-code${keys.enter}`);
    await terminal.until('The service refused this code');
    await terminal.until('Another auth code');
    const code = await device.newCode();
    terminal.type(`${code}${keys.enter}`);
    const { exitCode, shown } = await terminal.end();
    expect({ exitCode, shown }).toMatchObject({
      exitCode: 0,
      shown: expect.stringContaining('Set up, but the agent is not running.'),
    });
    expect(shown).not.toContain(code);
    expect(device.config()).toEqual({
      service: { base_url: device.service.baseUrl, profile },
      provide: { mode: 'network', cap: { bytes: '500 GB' } },
      ...(profile === 'production' ? { proxy: { country_code: 'DE' } } : {}),
    });
    expect(await device.isSignedIn()).toBe(true);
  });
});

test('a cap that is emptied in the dialogue is out of the file', async () => {
  const device = await createDevice();
  const { baseUrl } = device.service;
  device.writeConfig(
    `service: { base_url: ${baseUrl} }\nprovide:\n  # Counted anew each week.\n  cap:\n    bytes: 500 GB\n    period: week\n`,
  );
  const terminal = openTerminal(...device.paths, 'setup', '--profile', 'documented');
  await terminal.until('Address of the service');
  terminal.type(keys.enter);
  await terminal.until('Who may use');
  terminal.type(keys.enter);
  await terminal.until('Monthly data cap');
  terminal.type(`${keys.clear}${keys.enter}`);
  await terminal.until('Auth code');
  terminal.type(`${await device.newCode()}${keys.enter}`);
  expect((await terminal.end()).exitCode).toBe(0);
  expect(device.config().provide).toEqual({ mode: 'friends' });
  expect(readFileSync(device.configPath, 'utf8')).toContain('# Counted anew each week.');
});

describe("the network's own protocol, in the dialogue", () => {
  /** The dialogue up to the question, where all else is given. */
  function ask(device: Awaited<ReturnType<typeof createDevice>>) {
    const { baseUrl } = device.service;
    const given = ['--service', baseUrl, '--mode', 'public', '--cap', '1 TB'];
    const terminal = openTerminal(...device.paths, 'setup', ...given);
    return terminal;
  }
  const finish = async (
    device: Awaited<ReturnType<typeof createDevice>>,
    terminal: ReturnType<typeof openTerminal>,
  ) => {
    await terminal.until('Auth code');
    terminal.type(`${await device.newCode()}${keys.enter}`);
    return terminal.end();
  };

  test.each([
    ['by Enter', [keys.enter], undefined],
    [
      'corrected',
      [`${keys.clear}lots${keys.enter}`, `${keys.clear}1 GiB${keys.enter}`],
      { unpaid_limit: '1 GiB' },
    ],
  ])(
    'is switched on by a yes, and the limit of unpaid data is taken %s',
    async (_, typed, connect) => {
      const device = await createDevice('production');
      const terminal = ask(device);
      await terminal.until('read them first, and docs/connect.md');
      await terminal.until("Share by the network's own protocol?");
      terminal.type('y');
      await terminal.until('how much of it you carry for nothing');
      for (const [index, line] of typed.entries()) {
        await terminal.until(index === 0 ? 'Most unpaid data per consumer' : 'with its unit');
        terminal.type(line);
      }
      const { exitCode } = await finish(device, terminal);
      expect(exitCode).toBe(0);
      expect(device.config()).toMatchObject({ source: 'connect' });
      expect(device.config().connect).toEqual(connect);
    },
  );

  test('is not asked about again once it is chosen, and its limit is', async () => {
    const device = await createDevice('production');
    device.writeConfig('source: both\nconnect: { unpaid_limit: 0 B }\n');
    const terminal = ask(device);
    await terminal.until('Country of the tunnel');
    terminal.type(keys.enter);
    await terminal.until('Most unpaid data per consumer');
    terminal.type(keys.enter);
    const { exitCode, shown } = await finish(device, terminal);
    expect(exitCode).toBe(0);
    expect(shown).not.toContain('Share by');
    expect(device.config()).toMatchObject({ source: 'both', connect: { unpaid_limit: '0 B' } });
  });

  test('is not mentioned where the service answers by the documented profile', async () => {
    const device = await createDevice();
    const { exitCode, stderr } = await device.run(
      ['--service', device.service.baseUrl, '--profile', 'documented'],
      { standardInput: await device.newCode() },
    );
    expect(exitCode).toBe(0);
    expect(stderr).not.toContain('protocol');
  });
});

describe('Ctrl-C', () => {
  test.each([
    'Address of the service',
    'Which profile',
    'Who may use',
    'Monthly data cap',
    'Auth code',
  ])('at "%s" changes nothing', async (question) => {
    const device = await createDevice();
    const terminal = openTerminal(...device.paths, 'setup');
    const answers = [`${keys.clear}${device.service.baseUrl}`, '', '', '1 TB'];
    for (const [index, asked] of [
      'Address of the service',
      'Which profile',
      'Who may use',
      'Monthly data cap',
    ].entries()) {
      await terminal.until(asked);
      if (asked === question) break;
      terminal.type(`${answers[index]}${keys.enter}`);
      if (asked === 'Monthly data cap') await terminal.until('Auth code');
    }
    terminal.type(keys.ctrlC);
    const { exitCode, shown } = await terminal.end();
    expect({ exitCode, shown }).toEqual({
      exitCode: 64,
      shown: expect.stringContaining('nothing was changed'),
    });
    expect([device.config(), await device.isSignedIn()]).toEqual([undefined, false]);
  });

  test('after a refused code says what is written', async () => {
    const device = await createDevice();
    const terminal = openTerminal(
      ...device.paths,
      'setup',
      '--service',
      device.service.baseUrl,
      '--profile',
      'documented',
    );
    await terminal.until('Who may use');
    terminal.type(keys.enter);
    await terminal.until('Monthly data cap');
    terminal.type(keys.enter);
    await terminal.until('Auth code');
    terminal.type(`not-a-code${keys.enter}`);
    await terminal.until('Another auth code');
    terminal.type(keys.ctrlC);
    const { exitCode, shown } = await terminal.end();
    expect(exitCode).toBe(64);
    expect(shown).toContain(
      `stopped; ${device.configPath} is written; run tributary setup again to continue`,
    );
    expect(device.config().provide).toEqual({ mode: 'friends' });
  });

  test('while the service is silent about the code says what is written', async () => {
    // Answers everything but the login.
    const server = createServer((request, answer) => {
      if (request.url !== '/auth/code-login') answer.writeHead(401).end('Not authorized.');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const device = await createDevice();
    const given = [
      '--service',
      baseUrl,
      '--profile',
      'documented',
      '--mode',
      'none',
      '--cap',
      '1 TB',
    ];
    const asked = new Promise((resolve) =>
      server.on('request', ({ url }) => url === '/auth/code-login' && resolve(url)),
    );
    const terminal = openTerminal(...device.paths, 'setup', ...given);
    await terminal.until('Auth code');
    terminal.type(`some-code${keys.enter}`);
    await asked;
    terminal.type(keys.ctrlC);
    const { exitCode, shown } = await terminal.end();
    expect(exitCode).toBe(130);
    expect(shown).toContain(
      `stopped; ${device.configPath} is written; run tributary setup again to continue`,
    );
    expect(await device.isSignedIn()).toBe(false);
  });
});

const asNobody = ['--reuid=65534', '--regid=65534', '--clear-groups'];
const mayBecomeNobody = spawnSync('setpriv', [...asNobody, 'true']).status === 0;

test.skipIf(!mayBecomeNobody)('a file that is root’s is said before anything is asked', () => {
  const argv = [...asNobody, process.execPath, 'src/tributary.ts', 'setup'];
  const { status, stderr } = spawnSync('setpriv', argv, { encoding: 'utf8', input: '' });
  expect({ status, stderr }).toEqual({
    status: 77,
    stderr: expect.stringMatching(
      /^tributary: only root may write \/etc.*\n {2}> Run it with sudo: sudo tributary setup\. Or name/,
    ),
  });
});
