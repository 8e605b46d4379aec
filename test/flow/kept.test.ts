import { expect, test } from 'vitest';
import { type AdminCommandName, administer } from '../../src/reference-service/admin-commands.ts';
import { profileNames } from '../../src/service/profiles.ts';
import { call, claimsOf, makeDirectory, withTunnel } from './reference-caller.ts';
import { runService } from './sandbox-process.ts';

const password = 'long enough for anybody';

test.each(profileNames)(
  'whatever a %s service answered outlives kill -9, and what was used up stays so',
  async (profile) => {
    const directory = makeDirectory();
    const arguments_ = ['--data', directory, '--profile', profile];
    const first = await runService(...arguments_);
    let { baseUrl } = first;
    const post = async (path: string, body: unknown, token?: string) =>
      (await call(baseUrl, path, { token, body })).body;
    const logIn = async (code: string) =>
      (await post('/auth/code-login', { auth_code: code })).by_jwt;
    const token = await logIn(first.authCode);
    const guest = first.guestJwt;
    const command = (name: AdminCommandName, request: unknown) =>
      administer(directory, name, request);

    // Everything that changes something, each answered.
    const clientId = claimsOf(
      (await post('/network/auth-client', withTunnel, token)).by_client_jwt,
    ).client_id;
    if (profile === 'documented')
      await post('/device/set-provide', { client_id: clientId, provide_mode: 3 }, token);
    const unused = (await post('/auth/code-create', {}, token)).auth_code;
    const { resetCode } = await command('createResetCode', {});
    expect(await post('/auth/password-set', { reset_code: resetCode, password })).toEqual({});
    const upgrade = { user_auth: 'ada@example.org', network_name: 'Ada', password };
    // A production service makes no permanent network of a guest's.
    const canUpgrade = profile === 'documented';
    const ada = canUpgrade
      ? (await post('/auth/upgrade-guest', upgrade, guest)).network.by_jwt
      : (await command('createNetwork', { networkName: 'Ada' })).networkJwt;
    const { walletId } = await command('addWallet', {
      walletAddress: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
    });
    expect(await post('/account/payout-wallet', { wallet_id: walletId }, token)).toEqual({});
    const share = { client_id: clientId, device_name: 'shed' };
    const { share_code: pending } = await post('/device/create-share-code', share, token);
    const { share_code: used } = await post('/device/create-share-code', share, token);
    expect((await post('/device/add', { code: used }, ada)).client_id).toEqual(expect.any(String));
    await command('createAdoptCode', { clientId: String(clientId), deviceName: 'shed' });

    const read = async () => {
      const get = async (path: string, by = token) =>
        (await call(baseUrl, path, { token: by })).body;
      // Who is connected is not kept: nobody is, to a service that does not run.
      const lasting = ({ clients }: { clients: readonly Record<string, unknown>[] }) =>
        clients.map(({ connections, resident, ...rest }) => rest);
      return {
        clients: lasting(await get('/network/clients')),
        added: lasting(await get('/network/clients', ada)),
        wallets: await get('/account/wallets'),
        payoutWallet: await get('/account/payout-wallet'),
        shared: await get('/device/associations'),
        received: await get('/device/associations', ada),
      };
    };
    const before = await read();
    expect(before.payoutWallet).toEqual({ wallet_id: walletId });
    expect(before.shared.outgoing_shared_devices).toHaveLength(2);
    expect(before.shared.pending_adoption_devices).toHaveLength(1);

    await first.kill();
    ({ baseUrl } = await runService(...arguments_));
    expect(await read()).toEqual(before);
    expect(
      (await post('/auth/password-set', { reset_code: resetCode, password })).error,
    ).toBeDefined();
    if (canUpgrade)
      expect(
        (await post('/auth/upgrade-guest', { ...upgrade, network_name: 'Eve' }, guest)).error,
      ).toBeDefined();
    expect((await post('/device/add', { code: used }, ada)).error).toBeDefined();
    expect((await post('/device/add', { code: pending }, ada)).error.message).toMatch(/already/);
    expect([await logIn(first.authCode), await logIn(unused), await logIn(unused)]).toEqual([
      undefined,
      expect.any(String),
      undefined,
    ]);
  },
);
