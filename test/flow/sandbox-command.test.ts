import { once } from 'node:events';
import { expect, test } from 'vitest';
import { sandboxSamples } from '../../tools/docs/json-samples.ts';
import { call, claimsOf, makeDirectory } from './reference-caller.ts';
import { runSandbox, runService } from './sandbox-process.ts';

test('the first line says where it is, and SIGTERM ends it cleanly', async () => {
  const { process: child, line } = await runSandbox(
    '--data',
    makeDirectory(),
    '--profile',
    'production',
    '--json',
  );
  const first = JSON.parse(line);
  expect(Object.keys(first)).toEqual(Object.keys(sandboxSamples[0] ?? {}));
  expect([first.profile, first.wireguard.state]).toEqual(['production', 'off']);
  const login = await call(first.baseUrl, '/auth/code-login', {
    body: { auth_code: first.authCode },
  });
  expect(login.body.by_jwt).toEqual(expect.any(String));
  expect(claimsOf(first.guestJwt).guest_mode).toBe(true);
  expect((await call(first.baseUrl, '/account/wallets', { token: first.guestJwt })).status).toBe(
    200,
  );
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

test('everything that was answered survives kill -9', async () => {
  const directory = makeDirectory();
  const { baseUrl, authCode, kill } = await runService('--data', directory);
  const token = (await call(baseUrl, '/auth/code-login', { body: { auth_code: authCode } })).body
    .by_jwt;
  await call(baseUrl, '/network/auth-client', { token, body: { description: 'kept' } });
  const { auth_code } = (await call(baseUrl, '/auth/code-create', { token, body: {} })).body;
  await kill();
  const again = await runService('--data', directory);
  const { clients } = (await call(again.baseUrl, '/network/clients', { token })).body;
  expect(clients).toMatchObject([{ description: 'kept' }]);
  const logIn = async (code: string) =>
    (await call(again.baseUrl, '/auth/code-login', { body: { auth_code: code } })).body.by_jwt;
  expect(await logIn(authCode)).toBeUndefined();
  expect(await logIn(auth_code)).toEqual(expect.any(String));
});

test('a network has as many devices as --client-limit says', async () => {
  const { baseUrl, authCode } = await runService('--data', makeDirectory(), '--client-limit', '1');
  const token = (await call(baseUrl, '/auth/code-login', { body: { auth_code: authCode } })).body
    .by_jwt;
  const register = async () =>
    (await call(baseUrl, '/network/auth-client', { token, body: {} })).body.error;
  expect(await register()).toBeUndefined();
  expect(await register()).toMatchObject({ client_limit_exceeded: true });
});

test('without --json it speaks to people, and shows them no token', async () => {
  const directory = makeDirectory();
  const { line, more } = await runSandbox('--data', directory);
  expect(line).toMatch(/^Service {5}http:\/\/127\.0\.0\.1:\d+ /);
  const said: string[] = [];
  for await (const next of more) {
    said.push(next);
    if (next.startsWith('Ctrl-C')) break;
  }
  expect(said).toContain(`Guest JWT   tributary sandbox guest --data ${directory}`);
  expect(said.join('\n')).not.toContain('eyJ');
});
