import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { addCommand } from '../../src/cli/frame/add-command.ts';
import { toExitCode } from '../../src/cli/frame/exit-code.ts';
import { loadSandbox } from '../../src/cli/sandbox.ts';
import { toFailure } from '../../src/reference-service/commands/failure.ts';
import { createSandboxProgram } from '../../src/reference-service/commands/program.ts';
import { SandboxError, sandboxErrorCodes } from '../../src/reference-service/errors.ts';
import { createContext } from '../unit/cli/run-command.ts';
import { call, claimsOf, makeDirectory } from './reference-caller.ts';

const folder = 'src/reference-service';
const { bin } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
const file = `${folder}/${bin['tributary-sandbox']}`;

/** The program as an owner of a clone starts it. */
function start(...args: string[]) {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function run(...args: string[]) {
  const child = start(...args);
  const ended = once(child, 'exit');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr, exitCode: (await ended)[0] };
}

test('a world is made, a network and its code are made, and the service knows them', async () => {
  const directory = makeDirectory();
  const seeded = await run('seed', '--clients', '3', '--days', '1', '--data', directory, '--json');
  expect(JSON.parse(seeded.stdout)).toMatchObject({ clients: 3, networks: 1, days: 1 });
  const made = await run('network', 'neighbour', '--public', '--data', directory);
  expect(made.stdout).toMatch(/^Network {5}[-0-9a-f]{36}\nName {8}neighbour\n/);
  const code = await run('auth-code', '--network', 'neighbour', '--data', directory, '--json');
  const child = start('--data', directory, '--wireguard', 'off', '--json');
  const [line] = await once(createInterface(child.stdout), 'line');
  const body = { auth_code: JSON.parse(code.stdout).authCode };
  const answer = await call(JSON.parse(line).baseUrl, '/auth/code-login', { body });
  expect(claimsOf(answer.body.by_jwt).network_name).toBe('neighbour');
  const again = await run('--data', directory, '--wireguard', 'off');
  expect(again.exitCode).toBe(75);
  expect(again.stderr).toContain('> Stop the other sandbox');
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

test('a command line that cannot be obeyed ends with 64 and says how it is used', async () => {
  const lines = [
    ['guest'],
    ['nonsense', '--data', 'nowhere'],
    ['auth-code', '--minutes', 'soon', '--data', 'nowhere'],
    ['network', 'a', '--data', 'nowhere', '--json', '--no-such-option'],
    ['--data', 'nowhere', '--client-limit', '1', '--client-limit', '2'],
  ];
  for (const line of lines) {
    const { stdout, stderr, exitCode } = await run(...line);
    expect({ stdout, exitCode }, line.join(' ')).toEqual({ stdout: '', exitCode: 64 });
    expect(stderr).toContain('tributary-sandbox --help');
  }
  const { stderr } = await run('guest', '--json');
  expect(JSON.parse(stderr).error.code).toBe('usage-invalid');
});

test('its help has the commands and options of `tributary sandbox`', async () => {
  const parent = new Command('tributary');
  addCommand(parent, createContext('').context, await loadSandbox());
  const [theirs] = parent.commands;
  const own = createSandboxProgram({ write: () => undefined });
  const describe = (command: Command) => ({
    usage: command.usage(),
    description: command.description(),
    options: command.options
      .filter(({ hidden, long }) => !hidden && long !== '--version')
      .map(({ flags, description, defaultValue }) => [flags, description, defaultValue]),
  });
  expect(own.commands.length).toBeGreaterThan(5);
  expect(describe(own)).toEqual(describe(theirs ?? own));
  expect(own.commands.map(describe)).toEqual(theirs?.commands.map(describe));
  expect((await run('locate', '--help')).stdout).toContain('tributary-sandbox locate 9daace15');
});

test.each(sandboxErrorCodes)('%s ends both programs with the same code', (code) => {
  const error = new SandboxError(code, 'no');
  expect(toFailure(error)?.exitCode).toBe(toExitCode(error));
});

test('an unknown error is a bug in both', () => {
  expect(toFailure(new RangeError('no'))?.exitCode).toBe(toExitCode(new RangeError('no')));
});
