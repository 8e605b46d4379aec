import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { call, makeDirectory } from './reference-caller.ts';

const script = `import { Command } from 'commander';
import { registerSandbox } from './src/cli/sandbox.ts';
const program = new Command();
registerSandbox(program);
await program.parseAsync();`;

/** The command in a process of its own, and its first line. */
async function run(...args: string[]): Promise<{ readonly process: ChildProcess; readonly line: string }> {
  const command = ['--input-type=module', '--eval', script, '--', 'sandbox', '--wireguard', 'off', ...args];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const lines = createInterface(child.stdout);
  const [line] = await once(lines, 'line');
  return { process: child, line };
}

test('the first line says where it is, and SIGTERM ends it cleanly', async () => {
  const { process: child, line } = await run('--data', makeDirectory(), '--profile', 'production', '--json');
  const first = JSON.parse(line);
  expect(Object.keys(first)).toEqual(['baseUrl', 'authCode', 'profile', 'wireguard']);
  expect([first.profile, first.wireguard.state]).toEqual(['production', 'off']);
  const login = await call(first.baseUrl, '/auth/code-login', { body: { auth_code: first.authCode } });
  expect(login.body.by_jwt).toEqual(expect.any(String));
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

test('what was answered survives kill -9', async () => {
  const directory = makeDirectory();
  const { process: child, line } = await run('--data', directory, '--json');
  const { baseUrl, authCode } = JSON.parse(line);
  const token = (await call(baseUrl, '/auth/code-login', { body: { auth_code: authCode } })).body.by_jwt;
  const ended = once(child, 'exit');
  await call(baseUrl, '/network/auth-client', { token, body: { description: 'kept' } });
  child.kill('SIGKILL');
  await ended;
  const again = JSON.parse((await run('--data', directory, '--json')).line);
  const { clients } = (await call(again.baseUrl, '/network/clients', { token })).body;
  expect(clients).toMatchObject([{ description: 'kept' }]);
  const spent = await call(again.baseUrl, '/auth/code-login', { body: { auth_code: authCode } });
  expect(spent.body.by_jwt).toBeUndefined();
});

test('without --json it speaks to people', async () => {
  expect((await run('--data', makeDirectory())).line).toMatch(/^Service {5}http:\/\/127\.0\.0\.1:\d+ /);
});
