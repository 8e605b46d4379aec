import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { config } from '../../../src/cli/commands/set-up/config.ts';
import { renderJsonSchema } from '../../../src/config/json-schema.ts';
import { runCommand } from '../cli/run-command.ts';
import { makeFile, withService } from './config-fixture.ts';

const run = (path: string, ...args: readonly string[]) =>
  runCommand(config, '/unused', ['--config', path, 'config', ...args]);

test('check says ok, after the warnings', async () => {
  expect(await run(makeFile(withService()), 'check')).toMatchObject({
    stdout: '<green>ok</green>\n',
  });
  const { stdout } = await run(makeFile(withService('status: { listen: "0.0.0.0:1" }')), 'check');
  expect(stdout).toMatch(/^<yellow>warning: status\.listen: .*<\/yellow>\n<green>ok<\/green>\n$/);
});

test('check ends with every error, for scripts in one object too', async () => {
  const path = makeFile(withService('log: { level: loud }', 'report: { ledger: 5 }'));
  await expect(run(path, 'check')).rejects.toMatchObject({ code: 'configuration-invalid' });
  await expect(run(path, 'check')).rejects.toThrow(/level: found "loud".*\n.*ledger: found 5/);
});

test('check reads the files of denied destinations, and names each that is broken', async () => {
  const [good, bad] = [makeFile('192.0.2.0/24 ; fine\n'), makeFile('192.0.2.0/24\nhello\n')];
  const check = (...files: readonly string[]) =>
    run(
      makeFile(
        withService(
          `gateway: { deny_destinations: ${JSON.stringify(files.map((file) => `file:${file}`))} }`,
        ),
      ),
      'check',
    );
  expect((await check(good)).stdout).toContain('ok');
  const error = await check(good, bad, '/nowhere/drop.txt').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'configuration-invalid',
    message: expect.stringMatching(
      /^the configuration has 2 problems:\n.*gateway\.deny_destinations: .*:2: found "hello".*\n.*\/nowhere\/drop\.txt: there is no such file$/,
    ),
  });
});

test('check --json is one object', async () => {
  const { stdout } = await run(makeFile(withService()), 'check', '--json');
  expect(JSON.parse(stdout)).toEqual({ ok: true, problems: [], warnings: [] });
});

test('show --json has every key with its origin', async () => {
  const path = makeFile(withService('log: { level: warn }'));
  const shown = JSON.parse((await run(path, 'show', '--json')).stdout);
  expect(shown.file).toBe(path);
  expect(shown.keys).toContainEqual({
    key: 'log.level',
    value: 'warn',
    text: 'warn',
    from: 'file',
    place: `${path}:3`,
  });
});

test('show is a tree for people', async () => {
  const { stdout } = await run(makeFile(withService('log: { level: warn }')), 'show');
  expect(stdout).toMatch(/^service\n {2}base_url +https:\/\/service\.example /);
});

describe('set', () => {
  const sample = () => makeFile(readFileSync('config/tributary.yaml', 'utf8'));

  test.each([
    ['service.base_url', 'https://other.example', 'https://other.example'],
    ['service.profile', 'production', 'production'],
    ['provide.cap.bytes', '500 GB', '500 GB'],
    ['gateway.blocked_ports', '[25, 26]', [25, 26]],
    ['gateway.blocked_ports', '25,465', [25, 465]],
    ['gateway.blocked_ports', ' mail, tcp/6660-6669 ', ['mail', 'tcp/6660-6669']],
    ['gateway.blocked_ports', '25', [25]],
    ['gateway.blocked_ports', '', []],
    ['gateway.allow_destinations', '192.168.1.9, fd00::/8', ['192.168.1.9', 'fd00::/8']],
    ['gateway.enabled', 'true', true],
    ['gateway.public_address.upnp', 'true', true],
    ['report.ledger', 'false', false],
  ])('writes %s, and every comment and every other key stays', async (key, text, value) => {
    const path = sample();
    const before = readFileSync(path, 'utf8');
    await run(path, 'set', key, text);
    const after = readFileSync(path, 'utf8');
    const [section = '', ...below] = key.split('.');
    const found = below.reduce<unknown>(
      (tree, name) => (tree as Record<string, unknown>)[name],
      parse(after)[section],
    );
    expect(found).toEqual(value);
    const comments = (yaml: string) =>
      yaml.split('\n').flatMap((line) => (/^ *#/.test(line) ? line : []));
    expect(comments(after)).toEqual(comments(before));
    expect({ ...parse(after), [section]: null }).toEqual({ ...parse(before), [section]: null });
  });

  test.each([
    ['public', /In public, anyone may come: strangers use your address/],
    ['stream', /In stream, anyone may come: strangers use your address/],
    ['default', /the service decides who comes/],
    ['friends', /^((?!strangers).)*$/s],
  ])('of the mode %s says what is risked', async (mode, said) => {
    expect((await run(sample(), 'set', 'provide.mode', mode)).stdout).toMatch(said);
  });

  test('begins a file, and keeps the rights of one', async () => {
    const path = makeFile('');
    chmodSync(path, 0o640);
    await run(path, 'set', 'service.base_url', 'https://service.example');
    expect(parse(readFileSync(path, 'utf8'))).toEqual({
      service: { base_url: 'https://service.example' },
    });
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  test.each([
    ['provide.mod', 'friends', 'usage-invalid', /did you mean provide\.mode/],
    ['provide.mode', 'everybody', 'usage-invalid', /provide\.mode: found "everybody"/],
    ['service', 'x', 'usage-invalid', /^service has keys below it: service\.base_url/],
  ])('refuses %s %s, and the file stays', async (key, text, code, message) => {
    const path = sample();
    const before = readFileSync(path, 'utf8');
    await expect(run(path, 'set', key, text)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  test('says where every key is listed', async () => {
    const action = 'All keys: tributary config show';
    await expect(run(sample(), 'set', 'provide.mod', 'friends')).rejects.toMatchObject({ action });
  });

  test.each([
    ['provide.cap.reset_day', '31', /cap\.bytes: missing/],
    ['service.base_url', 'http://example.org', /service\.base_url/],
    ['gateway.connections.half_open', '30', /half_open/],
  ])('writes nothing where %s %s would break a file that is right', async (key, text, message) => {
    const path = makeFile(withService('gateway: { connections: { per_consumer: 20 } }'));
    const before = readFileSync(path, 'utf8');
    await expect(run(path, 'set', key, text)).rejects.toMatchObject({
      code: 'configuration-invalid',
      message: expect.stringMatching(message),
      action: expect.stringMatching(/^Nothing was written\..*config edit/),
    });
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  test('writes into a file that is broken or not complete yet, and says that it is so', async () => {
    const path = makeFile('');
    expect((await run(path, 'set', 'provide.cap.reset_day', '31')).stdout).toContain(
      'cap.bytes: missing',
    );
    await run(path, 'set', 'service.base_url', 'https://service.example');
    await run(path, 'set', 'provide.cap.bytes', '500 GB');
    expect((await run(path, 'check')).stdout).toContain('ok');
  });

  test('says that a file is new: its name may be mistyped', async () => {
    const path = `${makeFile('')}.new`;
    expect((await run(path, 'set', 'provide.mode', 'none')).stdout).toContain(
      `now none, in ${path} (a new file)\n`,
    );
    expect((await run(path, 'set', 'provide.mode', 'none')).stdout).toContain(
      `now none, in ${path}\n`,
    );
  });

  test('names a folder that cannot be made, as a fault of the disk and not of the program', async () => {
    const path = `${makeFile('')}/folder/tributary.yaml`;
    await expect(run(path, 'set', 'provide.mode', 'none')).rejects.toMatchObject({
      code: 'state-unwritable',
      message: expect.stringContaining(`writing ${path}: `),
    });
  });

  test('does not touch a file that is no YAML', async () => {
    const path = makeFile('service: [');
    await expect(run(path, 'set', 'provide.mode', 'friends')).rejects.toMatchObject({
      code: 'configuration-invalid',
    });
    expect(readFileSync(path, 'utf8')).toBe('service: [');
  });
});

describe('get', () => {
  test.each([
    ['provide.mode', 'friends'],
    ['provide.cap.bytes', '500 GB'],
    ['provide.rate_limit.line', '20 Mbit/s'],
    ['gateway.blocked_ports', '[25]'],
    ['connect.unpaid_limit', '256 MiB'],
    ['status.listen', '127.0.0.1:9469'],
    ['device.description', 'attic, left'],
  ])('prints %s, and what it prints can be typed back', async (key, value) => {
    const path = makeFile(
      withService(
        'provide: { cap: { bytes: 500 GB }, rate_limit: { line: 20 Mbit/s } }',
        'device: { description: "attic, left" }',
      ),
    );
    const { stdout } = await run(path, 'get', key);
    expect(stdout).toBe(`${value}\n`);
    await run(path, 'set', key, value);
    expect((await run(path, 'get', key)).stdout).toBe(`${value}\n`);
  });

  test('says what is not set, and gives scripts where a value comes from', async () => {
    const path = makeFile(withService());
    expect((await run(path, 'get', 'provide.cap.bytes')).stdout).toBe('not set\n');
    expect(JSON.parse((await run(path, 'get', 'log.level', '--json')).stdout)).toEqual({
      key: 'log.level',
      value: 'info',
      text: 'info',
      from: 'default',
      place: null,
    });
  });

  test.each([
    ['provide.mod', 'unknown key provide.mod; did you mean provide.mode?'],
    ['cap', 'unknown key cap; did you mean provide.cap.bytes?'],
    ['provide.rate_limit', /^provide\.rate_limit has keys below it: provide\.rate_limit\.line/],
  ])('of %s says which key may be meant', async (key, message) => {
    await expect(run(makeFile(withService()), 'get', key)).rejects.toMatchObject({
      code: 'usage-invalid',
      message: expect.stringMatching(message),
    });
  });
});

describe('unset', () => {
  const written = `service:
  base_url: https://service.example
provide:
  # With whom.
  mode: public # for now
  cap:
    # As the provider counts.
    bytes: 500 GB
gateway:
  blocked_ports:
    - 25
    # Not this one either.
    - 26
log: { level: debug, format: json }
`;
  test.each([
    ['provide.mode', ['  mode: public # for now']],
    ['provide.cap.bytes', ['  cap:', '    bytes: 500 GB']],
    ['provide.cap', ['  cap:', '    bytes: 500 GB']],
    ['gateway.blocked_ports', ['  blocked_ports:', '    - 25', '    - 26']],
  ])('takes out %s, and every other line stays', async (key, lines) => {
    const path = makeFile(written);
    expect((await run(path, 'unset', key)).stdout).toBe(`${key} is no longer set in ${path}\n`);
    const left = written.split('\n').filter((line) => !lines.includes(line));
    expect(readFileSync(path, 'utf8')).toBe(left.join('\n'));
    expect((await run(path, 'check')).stdout).toContain('ok');
    expect((await run(path, 'unset', key)).stdout).toBe(`${key} was not set in ${path}\n`);
  });

  test('takes a key out of a section that is written on one line', async () => {
    const path = makeFile(written);
    await run(path, 'unset', 'log.level');
    expect(readFileSync(path, 'utf8')).toBe(written.replace('level: debug, ', ''));
  });

  test('takes out of the sample what was set, and leaves it as it was', async () => {
    const path = makeFile(readFileSync('config/tributary.yaml', 'utf8'));
    const before = readFileSync(path, 'utf8');
    await run(path, 'set', 'provide.cap.bytes', '500 GB');
    await run(path, 'unset', 'provide.cap.bytes');
    expect(parse(readFileSync(path, 'utf8'))).toEqual(parse(before));
  });

  test.each([
    ['service.base_url', 'usage-invalid', /base_url: missing/],
    ['provide.mod', 'usage-invalid', /did you mean/],
  ])('refuses %s, and the file stays', async (key, code, message) => {
    const path = makeFile(written);
    await expect(run(path, 'unset', key)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(readFileSync(path, 'utf8')).toBe(written);
  });

  test('makes no file', async () => {
    const path = `${makeFile('')}.new`;
    await run(path, 'unset', 'provide.mode');
    expect(existsSync(path)).toBe(false);
  });
});

test('schema is the one in the repository', async () => {
  expect((await run('/unused', 'schema')).stdout).toBe(renderJsonSchema());
});
