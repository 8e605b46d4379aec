import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/reference-service/database.ts';
import type { ReferenceService } from '../../src/reference-service/server.ts';
import {
  call,
  claimsOf,
  createAuthCode,
  logIn,
  makeDirectory,
  start,
  startAndLogIn,
} from './reference-caller.ts';

const profiles = ['documented', 'production'] as const;
const refused = { error: { message: expect.stringMatching(/./) } };

/** The owner's caller of a new service, with a clock that only the test moves. */
async function open(profile: (typeof profiles)[number], directory = makeDirectory()) {
  const clock = { nowMs: Date.now() };
  const opened = await startAndLogIn({ profile, directory, now: () => clock.nowMs });
  return { ...opened, clock, directory };
}

function callers(service: ReferenceService, token?: string) {
  return {
    post: async (path: string, body: unknown) =>
      (await call(service.baseUrl, path, { token, body })).body,
    get: async (path: string) => (await call(service.baseUrl, path, { token })).body,
  };
}

describe.each(profiles)('in the %s profile', (profile) => {
  const most = profile === 'documented' ? { minutes: 1440, uses: 100 } : { minutes: 10, uses: 1 };

  describe('a login code of code-create', () => {
    test('is good once for ten minutes, and says so', async () => {
      const { service, post, clock, token } = await open(profile);
      const { body } = await post('/auth/code-create', {});
      expect(body).toEqual({ auth_code: expect.any(String), duration_minutes: 10, uses: 1 });
      expect(body.auth_code).toMatch(
        profile === 'documented' ? /^[A-Za-z0-9]{20,}$/ : /^[\w-]{20,684}$/,
      );
      const own = await logIn(service, body.auth_code);
      expect(claimsOf(own).network_id).toBe(claimsOf(token).network_id);
      expect(await logIn(service, body.auth_code)).toBeUndefined();
      const late = (await post('/auth/code-create', {})).body.auth_code;
      clock.nowMs += 600_000;
      expect(await logIn(service, late)).toBeUndefined();
    });

    test('is valid for the time and the uses that were confirmed', async () => {
      const { service, post, clock } = await open(profile);
      const { body } = await post('/auth/code-create', {
        duration_minutes: most.minutes,
        uses: most.uses,
      });
      expect(body).toMatchObject({ duration_minutes: most.minutes, uses: most.uses });
      clock.nowMs += most.minutes * 60_000 - 1;
      const tries = Array.from({ length: most.uses + 5 }, () => logIn(service, body.auth_code));
      expect((await Promise.all(tries)).filter((jwt) => jwt !== undefined)).toHaveLength(most.uses);
    });

    const outOfBounds: readonly (readonly [string, unknown])[] = [
      ['no time', { duration_minutes: 0 }],
      ['a negative time', { duration_minutes: -1 }],
      ['a time above the most', { duration_minutes: most.minutes + 0.1 }],
      ...(profile === 'documented'
        ? []
        : [['a time below the least', { duration_minutes: 0.999 }] as const]),
      ['no use', { uses: 0 }],
      ['a negative number of uses', { uses: -1 }],
      ['uses above the most', { uses: most.uses + 1 }],
    ];
    test.each(outOfBounds)('is not issued for %s', async (_, body) => {
      const { post } = await open(profile);
      expect((await post('/auth/code-create', body)).body).toEqual(refused);
    });

    test('is one of at most ten that are still good', async () => {
      const { service, post, clock } = await open(profile);
      const create = async () => (await post('/auth/code-create', {})).body;
      const codes = (await Promise.all(Array.from({ length: 10 }, create))).map(
        (body) => body.auth_code,
      );
      expect(new Set(codes).size).toBe(10);
      const limit = { error: { auth_code_limit_exceeded: true, message: expect.any(String) } };
      expect(await create()).toEqual(limit);
      // The service itself is held by no limit, but what it issued counts.
      const own = await createAuthCode(service);
      await logIn(service, codes[0]);
      expect(await create()).toEqual(limit);
      await logIn(service, own);
      expect((await create()).auth_code).toEqual(expect.any(String));
      expect(await create()).toEqual(limit);
      clock.nowMs += 600_000;
      expect((await create()).auth_code).toEqual(expect.any(String));
    });

    test('counts for its own network only', async () => {
      const { service, post } = await open(profile);
      for (let index = 0; index < 10; index += 1) await post('/auth/code-create', {});
      const { networkJwt } = await service.admin.createNetwork({ networkName: 'neighbour' });
      const { auth_code } = await callers(service, networkJwt).post('/auth/code-create', {});
      expect(auth_code).toEqual(expect.any(String));
    });
  });

  describe('a password', () => {
    const set = (service: ReferenceService, reset_code: string, password = 'correct horse') =>
      callers(service).post('/auth/password-set', { reset_code, password });

    test('is set with a reset code, once', async () => {
      const { service } = await open(profile);
      const { resetCode } = await service.admin.createResetCode({});
      expect(await set(service, resetCode)).toEqual({});
      expect(await set(service, resetCode)).toEqual(refused);
    });

    test('is set once by one code that is sent many times at once', async () => {
      const { service } = await open(profile);
      const { resetCode } = await service.admin.createResetCode({});
      const answers = await Promise.all(Array.from({ length: 6 }, () => set(service, resetCode)));
      expect(answers.filter((answer) => answer.error === undefined)).toEqual([{}]);
    });

    test('is not set with a code that is unknown, expired, used or a login code, and all look alike', async () => {
      const { service, clock } = await open(profile);
      const create = async () =>
        (await service.admin.createResetCode({ durationMinutes: 1 })).resetCode;
      const [used, expired] = [await create(), await create()];
      await set(service, used);
      clock.nowMs += 60_000;
      const answers = [];
      for (const code of ['never-was', '', expired, used, await createAuthCode(service)]) {
        answers.push(JSON.stringify(await set(service, code)));
      }
      expect(new Set(answers).size).toBe(1);
      expect(JSON.parse(answers[0] ?? '')).toEqual(refused);
    });

    test('that is too short uses no code up', async () => {
      const { service } = await open(profile);
      const { resetCode } = await service.admin.createResetCode({});
      expect(await set(service, resetCode, 'short')).toEqual(refused);
      expect(await set(service, resetCode)).toEqual({});
    });
  });

  // A production service makes no permanent network of a guest's.
  describe.runIf(profile === 'documented')('a guest', () => {
    const wish = { user_auth: 'me@example.org', network_name: 'home', password: 'correct horse' };
    const authJwt = ['{"alg":"none"}', '{"sub":"me"}', 'signature']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.');

    test('becomes a permanent network, and keeps everything', async () => {
      const { service } = await open(profile);
      const guest = callers(service, service.guestJwt);
      expect(claimsOf(service.guestJwt).guest_mode).toBe(true);
      await guest.post('/network/auth-client', { description: 'shed' });
      const before = await guest.get('/network/clients');
      const answer = await guest.post('/auth/upgrade-guest', wish);
      expect(answer).toEqual({
        network: { by_jwt: expect.any(String) },
        verification_required: { user_auth: 'me@example.org' },
      });
      const claims = claimsOf(answer.network.by_jwt);
      expect(claims).toMatchObject({
        network_id: claimsOf(service.guestJwt).network_id,
        network_name: 'home',
      });
      expect(claims.guest_mode).toBeUndefined();
      expect(before.clients).toHaveLength(1);
      for (const token of [answer.network.by_jwt, service.guestJwt]) {
        expect(await callers(service, token).get('/network/clients')).toEqual(before);
      }
    });

    test('is upgraded once, also by two requests at once', async () => {
      const { service } = await open(profile);
      const guest = callers(service, service.guestJwt);
      const upgrade = (network_name: string) =>
        guest.post('/auth/upgrade-guest', { ...wish, network_name });
      const answers = await Promise.all(['one', 'two', 'three'].map(upgrade));
      expect(answers.filter((answer) => answer.error === undefined)).toHaveLength(1);
      expect(await upgrade('four')).toEqual(refused);
    });

    const wallet_auth = {
      wallet_address: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
      wallet_message: 'let me in',
      wallet_signature: 'c2lnbmVk',
      blockchain: 'solana',
    };

    test('is vouched for by the signature of a wallet, without a password, and verifies nothing', async () => {
      const { service } = await open(profile);
      const body = { ...wish, password: null, wallet_auth };
      const answer = await callers(service, service.guestJwt).post('/auth/upgrade-guest', body);
      expect(answer).toEqual({ network: { by_jwt: expect.any(String) } });
    });

    test.each([
      ['e-mail address', {}],
      ['e-mail address, in capitals', { user_auth: 'ME@Example.org' }],
      ['wallet', { user_auth: 'you@example.org', password: null, wallet_auth }],
    ])('with the %s of a network stays a guest', async (_, change) => {
      const { service } = await open(profile);
      const owner = callers(service, service.guestJwt);
      expect((await owner.post('/auth/upgrade-guest', { ...wish, wallet_auth })).error).toBe(
        undefined,
      );
      const { guestJwt } = await service.admin.createGuest({});
      const guest = callers(service, guestJwt);
      const body = { ...wish, network_name: 'other', ...change };
      expect(await guest.post('/auth/upgrade-guest', body)).toEqual({
        error: { message: expect.stringContaining('owns another network already') },
      });
      expect(
        (
          await guest.post('/auth/upgrade-guest', {
            ...body,
            user_auth: '+49 30 1234',
            wallet_auth: null,
            password: wish.password,
          })
        ).error,
      ).toBe(undefined);
    });

    test('is vouched for by a third party without a password, and then has nothing to verify', async () => {
      const { service } = await open(profile);
      const body = {
        ...wish,
        password: undefined,
        auth_jwt: authJwt,
        auth_jwt_type: 'google',
      };
      const answer = await callers(service, service.guestJwt).post('/auth/upgrade-guest', body);
      expect(answer).toEqual({ network: { by_jwt: expect.any(String) } });
    });

    test.each(['+49 (30) 123456', '0301234567', 'a.b+c@mail.example.org'])(
      'may be reached at %s',
      async (user_auth) => {
        const { service } = await open(profile);
        const answer = await callers(service, service.guestJwt).post('/auth/upgrade-guest', {
          ...wish,
          user_auth,
        });
        expect(answer.verification_required).toEqual({ user_auth });
      },
    );

    const impossible: readonly (readonly [string, object])[] = [
      ['nobody to reach', { user_auth: '' }],
      ['an address without a host', { user_auth: 'me@' }],
      ['an address of two lines', { user_auth: 'me@example.org\nyou@example.org' }],
      ['a number that is too short', { user_auth: '12345' }],
      ['no name', { network_name: '' }],
      ['a name that is too long', { network_name: 'x'.repeat(64) }],
      ['the name of another network, in capitals', { network_name: 'NEIGHBOUR' }],
      ['a short password', { password: 'short' }],
      ['a password of blanks', { password: ' '.repeat(8) }],
      [
        'a wallet without a signature',
        { password: undefined, wallet_auth: { wallet_address: 'x' } },
      ],
      ['neither password nor third party', { password: undefined }],
      ['a third party that is not named', { auth_jwt: authJwt }],
      ['a third party without its token', { auth_jwt_type: 'google' }],
      [
        'a third party without a JWT',
        { password: undefined, auth_jwt: 'no.jwt.here', auth_jwt_type: 'apple' },
      ],
    ];
    test.each(impossible)('stays a guest with %s', async (_, change) => {
      const { service } = await open(profile);
      await service.admin.createNetwork({ networkName: 'neighbour' });
      const guest = callers(service, service.guestJwt);
      expect(await guest.post('/auth/upgrade-guest', { ...wish, ...change })).toEqual(refused);
      expect((await guest.post('/auth/upgrade-guest', wish)).error).toBeUndefined();
    });

    test('is what no permanent network is', async () => {
      const { post, token, get } = await open(profile);
      expect((await post('/auth/upgrade-guest', wish)).body).toEqual(refused);
      expect(claimsOf(token).guest_mode).toBeUndefined();
      expect((await get('/account/payout-wallet')).body).toEqual({});
    });

    test('is replaced at the next start after an upgrade', async () => {
      const { service, directory } = await open(profile);
      await service.close();
      const second = await start({ profile, directory });
      expect(claimsOf(second.guestJwt).network_id).toBe(claimsOf(service.guestJwt).network_id);
      await callers(second, second.guestJwt).post('/auth/upgrade-guest', wish);
      await second.close();
      const third = await start({ profile, directory });
      expect(claimsOf(third.guestJwt).network_id).not.toBe(claimsOf(service.guestJwt).network_id);
      expect(claimsOf(third.guestJwt).guest_mode).toBe(true);
    });
  });

  describe('wallets', () => {
    test('are listed, oldest first, with what is known of them', async () => {
      const { service, get, clock, token } = await open(profile);
      expect((await get('/account/wallets')).body).toEqual({
        wallets: profile === 'documented' ? [] : null,
      });
      const first = await service.admin.addWallet({ walletAddress: 'So11', blockchain: 'SOL' });
      clock.nowMs += 1000;
      const second = await service.admin.addWallet({
        walletAddress: '0x52',
        blockchain: 'MATIC',
        walletType: 'managed',
        isActive: false,
      });
      const common = { network_id: claimsOf(token).network_id, default_token_type: 'USDC' };
      expect((await get('/account/wallets')).body.wallets).toEqual([
        {
          ...common,
          wallet_id: first.walletId,
          wallet_type: 'external',
          blockchain: 'SOL',
          wallet_address: 'So11',
          active: true,
          create_time: expect.stringMatching(/^\d{4}-.*Z$/),
        },
        {
          ...common,
          wallet_id: second.walletId,
          managed_wallet_id: expect.any(String),
          wallet_type: 'managed',
          blockchain: 'MATIC',
          wallet_address: '0x52',
          active: false,
          create_time: expect.stringMatching(profile === 'documented' ? /\.\d{3}Z$/ : /\.\d{9}Z$/),
        },
      ]);
    });

    test('one of them is paid: the last that was chosen', async () => {
      const { service, get, post } = await open(profile);
      expect((await get('/account/payout-wallet')).body).toEqual({});
      for (const walletAddress of ['one', 'two']) {
        const { walletId } = await service.admin.addWallet({ walletAddress });
        expect((await post('/account/payout-wallet', { wallet_id: walletId })).body).toEqual({});
        expect((await get('/account/payout-wallet')).body).toEqual({ wallet_id: walletId });
      }
    });

    test("another network's, an inactive and an unknown one cannot be chosen, and look alike", async () => {
      const { service, get, post } = await open(profile);
      await service.admin.createNetwork({ networkName: 'neighbour' });
      const foreign = await service.admin.addWallet({
        network: 'neighbour',
        walletAddress: 'theirs',
      });
      const inactive = await service.admin.addWallet({ walletAddress: 'old', isActive: false });
      const own = await service.admin.addWallet({ walletAddress: 'mine' });
      await post('/account/payout-wallet', { wallet_id: own.walletId });
      const answers = [];
      for (const wallet_id of [foreign.walletId, inactive.walletId, 'never-was', '']) {
        answers.push((await post('/account/payout-wallet', { wallet_id })).body);
      }
      expect(answers[0]).toEqual(refused);
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect((await get('/account/payout-wallet')).body).toEqual({ wallet_id: own.walletId });
      const wallets: { wallet_address: string }[] = (await get('/account/wallets')).body.wallets;
      expect(wallets.map((wallet) => wallet.wallet_address)).toEqual(['old', 'mine']);
    });
  });

  describe('the leaderboard', () => {
    test('is empty where nobody has provided anything', async () => {
      const { post } = await open(profile);
      expect((await post('/stats/leaderboard', {})).body).toEqual({
        earners: profile === 'documented' ? [] : null,
      });
    });

    test('has the hundred networks that provided the most; it tells public names only, and no guests', async () => {
      const { service, directory, token } = await open(profile);
      const { networkId: secretId } = await service.admin.createNetwork({
        networkName: 'secret neighbour',
      });
      const { networkId: publicId } = await service.admin.createNetwork({
        networkName: 'fuck',
        isPublic: true,
      });
      await service.close();
      const database = openDatabase(directory);
      const provide = database.prepare(
        'update network set provided_bytes = ? where network_id = ?',
      );
      database.exec(`with recursive small (bytes) as (values (1) union all select bytes + 1 from small limit 110)
        insert into network (network_id, network_name, user_id, created_ms, provided_bytes)
        select 'id ' || bytes, 'small ' || bytes, 'user', 0, bytes from small`);
      provide.run(2 ** 30, secretId);
      provide.run(1.5 * 2 ** 20, publicId);
      provide.run(2 ** 40, String(claimsOf(service.guestJwt).network_id));
      database.close();
      const again = await start({ profile, directory });
      const { earners } = await callers(again, token).post('/stats/leaderboard', {});
      expect(earners).toHaveLength(100);
      expect(earners.slice(0, 2)).toEqual([
        {
          network_id: secretId,
          network_name: 's•••••••',
          net_mib_count: 1024,
          is_public: false,
          contains_profanity: false,
        },
        {
          network_id: publicId,
          network_name: 'fuck',
          net_mib_count: 1.5,
          is_public: true,
          contains_profanity: true,
        },
      ]);
      expect(JSON.stringify(earners)).not.toMatch(/secret|small|guest/);
    });
  });

  test('a restart keeps codes, the password and the wallets', async () => {
    const { service, directory, clock, post, token } = await open(profile);
    const { auth_code: code } = (await post('/auth/code-create', {})).body;
    const { resetCode } = await service.admin.createResetCode({});
    const { walletId } = await service.admin.addWallet({ walletAddress: 'mine' });
    await post('/account/payout-wallet', { wallet_id: walletId });
    await service.close();
    const again = await start({ profile, directory, now: () => clock.nowMs });
    expect(claimsOf(await logIn(again, code)).network_id).toBe(claimsOf(token).network_id);
    expect(
      await callers(again).post('/auth/password-set', {
        reset_code: resetCode,
        password: 'another one',
      }),
    ).toEqual({});
    expect(await callers(again, token).get('/account/payout-wallet')).toEqual({
      wallet_id: walletId,
    });
  });
});

test('a restart keeps the upgrade of a guest', async () => {
  const { service, directory, clock } = await open('documented');
  const wish = { user_auth: 'me@example.org', network_name: 'home', password: 'correct horse' };
  const upgraded = await callers(service, service.guestJwt).post('/auth/upgrade-guest', wish);
  await service.close();
  const again = await start({ directory, now: () => clock.nowMs });
  const home = callers(again, upgraded.network.by_jwt);
  expect(await home.post('/auth/upgrade-guest', { ...wish, network_name: 'new' })).toEqual(refused);
  await expect(again.admin.createNetwork({ networkName: 'Home' })).rejects.toThrow(/taken/);
});
