import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { advise } from '../../../src/cli/frame/advice.ts';
import { commandsElsewhere } from '../../../src/cli/frame/commands-elsewhere.ts';
import { type ErrorCode, errorKinds, TributaryError } from '../../../src/errors/codes.ts';
import { BrokenDocumentError } from '../../../src/system/state-file.ts';
import { readCommandLine } from '../../../tools/docs/program-help.ts';
import { createContext } from '../../unit/cli/run-command.ts';
import { makeDirectory } from '../reference-caller.ts';
import { createCommandWorld, runAs } from './command-world.ts';

const clock = { nowMs: 0 };

/** A configuration whose service is at this address, and a token for it. */
function makePlaces(baseUrl: string): readonly string[] {
  const directory = makeDirectory();
  const file = join(directory, 'tributary.yaml');
  writeFileSync(file, `# mine\nservice:\n  base_url: ${baseUrl}\n`);
  return ['--config', file, '--state-dir', directory];
}

/**
 * A web server that is no such service: with this status a page, or for a wrong method what
 * programs read.
 */
async function serve(status: number): Promise<string> {
  const server = createServer((_, response) => {
    const [type, body] = status === 405 ? ['application/json', '{}'] : ['text/html', '<html>'];
    response.writeHead(status, { 'Content-Type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a command that cannot reach its service', () => {
  test.each([
    ['login --code-file -', 405, 'If it is right, it lacks what tributary login needs.'],
    ['login --code-file -', 200, 'and that no sign-in page is in between.'],
    ['login --code-file -', 302, 'and that no sign-in page is in between.'],
    ['login --code-file -', undefined, "and this device's Internet connection."],
  ])('names its address, file and line: %s, answered with %s', async (line, status, advice) => {
    const baseUrl = status === undefined ? 'http://127.0.0.1:9' : await serve(status);
    const places = makePlaces(baseUrl);
    const { exitCode, stderr } = await runAs([...places, ...line.split(' ')], clock, {
      standardInput: 'CODE',
    });
    expect(exitCode).toBe(69);
    expect(stderr).toContain(`  > Check the address ${baseUrl} (service.base_url, ${places[1]}:3)`);
    expect(stderr).toContain(advice);
    expect(stderr).not.toMatch(/Nothing:|the agent/);
  });
});

describe('advice', () => {
  const codes = Object.keys(errorKinds) as (keyof typeof errorKinds)[];
  const commands = ['status', 'login', 'device add', 'config check', 'run', 'sandbox', 'stats'];

  test.each(codes)('of %s tells a person what to do now', async (code) => {
    const { context } = createContext('/nowhere/tributary.sock');
    for (const name of commands) {
      const error = await advise(
        new TributaryError(code, 'x'),
        { name, words: [], options: {} },
        context,
      );
      expect(error).toMatchObject({
        code,
        message: 'x',
        action: expect.stringMatching(/^[^{}]{8,}$/),
      });
      expect((error as TributaryError).action).not.toMatch(
        /^Nothing|the agent (goes on|asks again|keeps|enforces)/,
      );
    }
  });

  const denied = (code: ErrorCode) =>
    new TributaryError(code, 'reading x: EACCES: permission denied');
  const sudo = 'Run it with sudo: sudo tributary device list';

  test.each([
    ['an ordinary user, of state of another', 1000, denied('state-unreadable'), sudo],
    ['an ordinary user, of a folder of another', 1000, denied('state-unwritable'), sudo],
    [
      'an ordinary user, of a configuration of another',
      1000,
      denied('configuration-invalid'),
      sudo,
    ],
    [
      'an ordinary user, of a socket of another',
      1000,
      new TributaryError('not-allowed', 'x'),
      sudo,
    ],
    [
      'an ordinary user, of damaged state',
      1000,
      new BrokenDocumentError('x', 'y'),
      'If it is damaged, move it away',
    ],
    [
      'root, of what even root may not read',
      0,
      denied('state-unreadable'),
      'Check who owns the file: ls -la.',
    ],
    [
      'root, of what even root may not write',
      0,
      denied('state-unwritable'),
      'whether the disk is full (df -h).',
    ],
  ])('to %s, is sudo where rights are missing', async (_who, userId, failure, expected) => {
    vi.spyOn(process, 'geteuid').mockReturnValue(userId);
    onTestFinished(() => void vi.restoreAllMocks());
    const { context } = createContext('/nowhere/tributary.sock', ['device', 'list']);
    const error = await advise(failure, { name: 'device list', words: [], options: {} }, context);
    expect((error as TributaryError).action).toContain(expected);
  });

  test.each([
    [['provide', 'none'], 'sudo tributary provide none'],
    [['pause', '--for', '2h'], 'sudo tributary pause --for 2h'],
    [['cleanup', '--config', '/srv/a.yaml'], 'sudo tributary cleanup --config /srv/a.yaml'],
    [
      ['--state-dir', "/srv/its mother's", 'cleanup'],
      "sudo tributary --state-dir '/srv/its mother'\\''s' cleanup",
    ],
  ])('says all that was typed, as a shell takes it: %j', async (typed, command) => {
    const { context } = createContext('/nowhere/tributary.sock', typed);
    const failed = new TributaryError('not-allowed', 'x');
    const error = await advise(failed, { name: 'cleanup', words: [], options: {} }, context);
    expect((error as TributaryError).action).toMatch(new RegExp(`: ${RegExp.escape(command)}$`));
  });

  test('that the error brings is kept', async () => {
    const { context } = createContext('/nowhere/tributary.sock');
    const error = new TributaryError('usage-invalid', 'stopped', { action: '' });
    expect(await advise(error, { name: 'login', words: [], options: {} }, context)).toBe(error);
  });

  test('depends on the command: a refused share code is no outage', async () => {
    const { run } = await createCommandWorld();
    const { exitCode, stderr } = await run(['device', 'add', 'NOSUCHCODE', '--yes']);
    expect(exitCode).toBe(65);
    expect(stderr).toContain(
      '  > Check the code, or ask for a new one: each is used once and expires.\n',
    );
  });

  test.each([
    ['auth login', 'login'],
    ['auth logout', 'logout'],
    ['wallet', 'account wallets'],
    ['version', '--version'],
    ['device clients', 'device list'],
  ])('of a command that is elsewhere is where: %s', async (line, name) => {
    const { run } = await createCommandWorld();
    const { exitCode, stderr } = await run(line.split(' '));
    const word = line.split(' ').at(-1);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 64,
      stderr: `tributary: unknown command '${word}'\n  > Did you mean: tributary ${name}\n`,
    });
  });

  test('names only commands and options that there are', async () => {
    const program = await readCommandLine();
    const options = program.options.map(({ long }) => long);
    for (const name of Object.values(commandsElsewhere)) {
      if (options.includes(name)) continue;
      let command: Command | undefined = program;
      for (const word of name.split(' '))
        command = command?.commands.find((own) => own.name() === word);
      expect([name, command?.name()]).toEqual([name, name.split(' ').at(-1)]);
    }
  });

  test.each([
    ['device shre', "unknown command 'shre'", 'tributary device --help'],
    ['device share', "missing required argument 'client'", 'tributary device share --help'],
    ['device list --all-of-it', "unknown option '--all-of-it'", 'tributary device list --help'],
    ['logout CODE', 'too many arguments', 'tributary logout --help'],
    ['statu', "unknown command 'statu'", 'tributary --help'],
    [
      'service providers --count none',
      '--count none: it must be',
      'tributary service providers --help',
    ],
    ['stats --last', 'argument missing', 'tributary stats --help'],
  ])('of a wrong command line is the help of its command: %s', async (line, message, help) => {
    const { run } = await createCommandWorld();
    const { exitCode, stdout, stderr } = await run(line.split(' '));
    expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: '' });
    expect(stderr).toMatch(/^tributary: .*/);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split('\n').at(-1)).toBe(`  > See how it is used: ${help}`);
  });
});

test('a code that is typed as an argument is refused for what it is', async () => {
  const { run } = await createCommandWorld();
  expect(await run(['login', 'CODE'])).toEqual({
    exitCode: 64,
    stdout: '',
    stderr:
      'tributary: an auth code is never an argument: other users could see it\n' +
      '  > Type it when you are asked: sudo tributary login\n',
  });
});

test.each([
  [
    ['config', 'set', 'provide.cap.bytes', '500', 'GB'],
    'a value of several words is one argument',
    "Put the value in quotes: sudo tributary config set provide.cap.bytes '500 GB'",
  ],
  [['-v'], "unknown option '-v'", 'Did you mean: tributary --version'],
])('what is typed as %j is understood, and its right form is named', async (line, why, action) => {
  const { run } = await createCommandWorld();
  expect(await run(line)).toEqual({
    exitCode: 64,
    stdout: '',
    stderr: `tributary: ${why}\n  > ${action}\n`,
  });
});

describe('with --json, an error is one object', () => {
  test.each([
    ['device shre --json', 64],
    ['device --json', 64],
    ['device', 64],
    ['device share --json', 64],
    ['device list --all-of-it --json', 64],
    ['--no-such-option status --json', 64],
    ['service providers --count none --json', 64],
    ['status --json', 69],
    ['config check --json extra', 64],
    ['device add NOSUCHCODE --yes --json', 65],
    ['stats --client nobody --json', 64],
  ])('%s', async (line, expected) => {
    const { run } = await createCommandWorld();
    const { exitCode, stdout, stderr } = await run([
      ...line.split(' '),
      ...(line === 'device' ? ['--json'] : []),
    ]);
    expect({ exitCode, stdout }).toEqual({ exitCode: expected, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: { code: expect.any(String), message: expect.any(String), action: expect.any(String) },
    });
  });
});
