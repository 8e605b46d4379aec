import { describe, expect, onTestFinished, test } from 'vitest';
import type { ProfileName } from '../../../src/service/profiles.ts';
import { type Behaviour, inTurn, sendJson, sendText, startNastyService } from '../nasty-service.ts';
import { createOwner, goldenNow } from './command-world.ts';

/** An owner of a service that answers each path as it is told, and any other with 404. */
async function createOwnerOf(
  answers: Readonly<Record<string, Behaviour>>,
  profile: ProfileName = 'documented',
) {
  const service = await startNastyService((request, response) => {
    const behave = answers[request.path] ?? sendText('404 page not found', 404);
    behave(request, response);
  });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const owner = await createOwner(service.baseUrl, profile, 'a.token.here', { nowMs: goldenNow });
  return { ...owner, service };
}

const shed = { client_id: 'c1', device_name: 'shed' };
const clients = sendJson({ clients: [shed] });

describe('a mode that is set', () => {
  test.each<[string, Record<string, unknown>, string | null, string]>([
    ['and applied differently', { provide_mode: 4 }, 'public', 'but the service applied public'],
    ['and not echoed', {}, null, 'but the service did not say which mode it applied'],
    [
      'and echoed as a number that no mode has',
      { provide_mode: 99 },
      null,
      'did not say which mode',
    ],
  ])('%s is warned of, and ends with 1', async (_, answer, provideMode, warning) => {
    const { run } = await createOwnerOf({
      '/network/clients': clients,
      '/device/set-provide': sendJson(answer),
    });
    const { exitCode, stdout } = await run(['device', 'provide', 'shed', 'none']);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 1,
      stdout: expect.stringMatching(/^warning: asked for mode none for shed, but the service /),
    });
    expect(stdout).toContain(warning);
    const { stdout: json } = await run(['device', 'provide', 'shed', 'none', '--json']);
    expect(JSON.parse(json)).toMatchObject({ requestedMode: 'none', provideMode });
  });
});

describe('a payout wallet that is chosen', () => {
  const wallets = sendJson({ wallets: [{ wallet_id: 'w1', active: false }, {}] });

  test('that differs afterwards is an error', async () => {
    const { run } = await createOwnerOf({
      '/account/wallets': wallets,
      '/account/payout-wallet': inTurn(
        sendJson({ wallet_id: 'w2' }),
        sendJson({}),
        sendJson({ wallet_id: 'w2' }),
      ),
    });
    const { exitCode, stderr } = await run(['account', 'payout-wallet', 'w1', '--yes']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 69,
      stderr: expect.stringContaining('the service took it, and still says w2'),
    });
  });

  test.each([
    [
      'is not among those of the network',
      'w2',
      'Payouts go to wallet w2, which is not among yours.\n',
    ],
    ['is not active', 'w1', 'It is not active: nothing is paid to it.\n'],
  ])('and %s is shown for that', async (_, walletId, text) => {
    const { run } = await createOwnerOf({
      '/account/wallets': wallets,
      '/account/payout-wallet': sendJson({ wallet_id: walletId }),
    });
    expect((await run(['account', 'payout-wallet'])).stdout).toContain(text);
  });
});

test('a payout wallet that is named too shortly is not chosen', async () => {
  const { run } = await createOwnerOf({
    '/account/wallets': sendJson({ wallets: [{ wallet_id: 'w1' }, { wallet_id: 'w2' }] }),
    '/account/payout-wallet': sendJson({}),
  });
  expect(await run(['account', 'payout-wallet', 'w', '--yes'])).toEqual({
    exitCode: 64,
    stdout: '',
    stderr: 'tributary: w matches several wallets: w1, w2\n  > Type more of the id.\n',
  });
});

describe('an upgrade that has only begun', () => {
  test("keeps the guest's token, and says so", async () => {
    const { run, store } = await createOwnerOf({
      '/auth/upgrade-guest': sendJson({ verification_required: {} }),
    });
    const line = ['account', 'upgrade', '--user-auth', '+49 30 1234567', '--name', 'Ada', '--yes'];
    const { exitCode, stdout } = await run(line, { standardInput: 'in the dark' });
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout:
        'The network Ada is not permanent yet.\n' +
        "The service gave no new token: the guest's stays in use.\n" +
        'Verify +49 30 1234567: the service sent instructions there.\n',
    });
    expect((await store.peek())?.token?.reveal()).toBe('a.token.here');
  });
});

test.each<[string, readonly string[], Record<string, Behaviour>]>([
  [
    'share code',
    ['device', 'share', 'shed'],
    { '/network/clients': clients, '/device/create-share-code': sendJson({}) },
  ],
  ['device', ['device', 'add', 'x', '--yes'], { '/device/add': sendJson({}) }],
  ['auth code', ['auth', 'code'], { '/auth/code-create': sendJson({ duration_minutes: 10 }) }],
  [
    'new token',
    ['account', 'upgrade', '--user-auth', 'a@b.c', '--name', 'Ada', '--yes'],
    { '/auth/upgrade-guest': sendJson({}) },
  ],
])('an answer without the %s that was asked for is an error', async (_, line, answers) => {
  const { run } = await createOwnerOf(answers);
  const { exitCode, stdout, stderr } = await run(line, { standardInput: 'in the dark' });
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 69,
    stdout: '',
    stderr: expect.stringContaining('the answer holds neither'),
  });
});

test('an auth code that is good for ever has no end', async () => {
  const { run } = await createOwnerOf({
    '/auth/code-create': sendJson({ auth_code: 'abc', duration_minutes: 1e300 }),
  });
  const { stdout } = await run(['auth', 'code', '--json']);
  expect(JSON.parse(stdout)).toEqual({
    authCode: 'abc',
    durationMinutes: 1e300,
    uses: null,
    expiresAt: null,
  });
});

test.each<[string, string]>([
  ['-7WQ2M4XZP', '  tributary device add -- -7WQ2M4XZP\n'],
  ['$(reboot)', '  tributary device add\n'],
  ['a\u001b[2Jb', '  tributary device add\n'],
])('the share code %j is never an order to the shell or the terminal', async (code, line) => {
  const { run } = await createOwnerOf({
    '/network/clients': clients,
    '/device/create-share-code': sendJson({ share_code: code }),
  });
  const { stdout } = await run(['device', 'share', 'shed']);
  expect(stdout.endsWith(`\n${line}`)).toBe(true);
  expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});

describe('nulls in every place', () => {
  const empty = {
    '/stats/providers': sendJson({ providers: [{}] }),
    '/account/payout-wallet': sendJson({}),
  };

  test.each<[string, readonly string[], Record<string, Behaviour>, RegExp]>([
    [
      'devices',
      ['device', 'list'],
      { '/network/clients': sendJson({ clients: [{}, { client_id: 'c1' }] }) },
      /c1 +- +- +never/,
    ],
    [
      'wallets',
      ['account', 'wallets'],
      { '/account/wallets': sendJson({ wallets: [{}] }) },
      /- +- +- +- +- +- +-/,
    ],
    [
      'associations',
      ['device', 'associations'],
      {
        '/device/associations': sendJson({
          pending_adoption_devices: [{}],
          incoming_shared_devices: [{}],
        }),
      },
      /- +- +- +- +-/,
    ],
    [
      'an added device',
      ['device', 'add', 'x', '--yes'],
      { '/device/add': sendJson({ code_type: 'share' }) },
      /^Added the device\.\n/,
    ],
  ])('are unknown in %s', async (_, line, answers, expected) => {
    const { run } = await createOwnerOf({ ...empty, ...answers });
    expect(await run(line)).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(expected) });
    const { stdout } = await run([...line, '--json']);
    expect(stdout).toContain('null');
  });
});
