import { describe, expect, test } from 'vitest';
import { dayMs, GIB } from '../../src/lib/units.ts';
import type { Letter } from '../../src/reference-service/backend.ts';
import { openDatabase } from '../../src/reference-service/database.ts';
import { profileNames } from '../../src/service/profiles.ts';
import { call, claimsOf, makeDirectory, start, startAndLogIn } from './reference-caller.ts';

const refused = { error: { message: expect.stringMatching(/./) } };
const userAuth = 'me@example.org';
const password = 'correct horse';

/** A guest who became a network by an e-mail address and a password, and the letters that came. */
async function becomeOwner() {
  const letters: Letter[] = [];
  const clock = { nowMs: Date.now() };
  const service = await start({
    now: () => clock.nowMs,
    deliver: (letter) => letters.push(letter),
  });
  const post = async (path: string, body: unknown) =>
    (await call(service.baseUrl, path, { body })).body;
  const { network } = (
    await call(service.baseUrl, '/auth/upgrade-guest', {
      token: service.guestJwt,
      body: { user_auth: userAuth, network_name: 'home', password },
    })
  ).body;
  return {
    service,
    letters,
    clock,
    post,
    networkId: claimsOf(network.by_jwt).network_id,
    logIn: (with_ = password, user_auth = userAuth) =>
      post('/auth/login-with-password', { user_auth, password: with_ }),
    verify: (verify_code: string, user_auth = userAuth) =>
      post('/auth/verify', { user_auth, verify_code }),
  };
}

describe('a login with a password', () => {
  test('asks for a code until the address is verified, and then signs in', async () => {
    const { letters, logIn, verify, networkId } = await becomeOwner();
    expect(letters).toMatchObject([{ to: userAuth, purpose: 'verify' }]);
    expect(await logIn()).toEqual({ verification_required: { user_auth: userAuth } });
    const code = letters[0]?.code ?? '';
    const verified = await verify(code);
    expect(claimsOf(verified.network.by_jwt).network_id).toBe(networkId);
    expect(await verify(code)).toEqual(refused);
    const { network } = await logIn(password, 'ME@Example.org');
    expect(network.name).toBe('home');
    expect(claimsOf(network.by_jwt).network_id).toBe(networkId);
  });

  test('is refused alike for another password and for nobody', async () => {
    const { logIn, letters, verify } = await becomeOwner();
    await verify(letters[0]?.code ?? '');
    const answers = [await logIn('another one'), await logIn(password, 'you@example.org')];
    expect(answers).toEqual([refused, answers[0]]);
  });

  test('takes no code of another purpose, of another address or after its time', async () => {
    const { letters, post, verify, clock } = await becomeOwner();
    await post('/auth/password-reset', { user_auth: userAuth });
    const [verifying, resetting] = letters.map(({ code }) => code);
    expect(letters.map(({ purpose }) => purpose)).toEqual(['verify', 'reset']);
    expect(await verify(resetting ?? '')).toEqual(refused);
    expect(await verify(verifying ?? '', 'you@example.org')).toEqual(refused);
    clock.nowMs += 30 * 60_000;
    expect(await verify(verifying ?? '')).toEqual(refused);
  });

  test('takes the password that a reset code has set, and the former one no more', async () => {
    const { letters, logIn, post, verify } = await becomeOwner();
    await verify(letters[0]?.code ?? '');
    await post('/auth/password-reset', { user_auth: userAuth });
    const reset_code = letters[1]?.code;
    expect(await post('/auth/password-set', { reset_code, password: 'battery staple' })).toEqual(
      {},
    );
    expect(await logIn()).toEqual(refused);
    expect((await logIn('battery staple')).network.name).toBe('home');
  });

  test.each(['/auth/password-reset', '/auth/verify-send'])(
    '%s answers alike for nobody, who gets no letter',
    async (path) => {
      const { letters, post } = await becomeOwner();
      const nobody = { user_auth: 'nobody@example.org' };
      expect(await post(path, nobody)).toEqual(nobody);
      expect(await post(path, { user_auth: userAuth })).toEqual({ user_auth: userAuth });
      expect(letters.map(({ to }) => to)).toEqual([userAuth, userAuth]);
    },
  );
});

describe.each(profileNames)('wallets of an owner (%s)', (profile) => {
  const sol = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
  const matic = '0x52908400098527886E0F7030069857D2E4169EE7';

  test('are registered once each, chosen, and removed with the choice', async () => {
    const { get, post } = await startAndLogIn({ profile });
    const create = async (blockchain: string, wallet_address: string) =>
      (await post('/account/wallet', { blockchain, wallet_address })).body;
    const { wallet_id } = await create('SOL', sol);
    expect(await create('SOL', sol)).toEqual({ wallet_id });
    expect((await create('MATIC', matic)).wallet_id).not.toBe(wallet_id);
    expect((await post('/account/payout-wallet', { wallet_id })).body).toEqual({});
    expect((await post('/account/wallets/remove', { wallet_id })).body).toEqual({ success: true });
    expect((await post('/account/wallets/remove', { wallet_id })).body).toEqual(refused);
    expect((await get('/account/payout-wallet')).body).toEqual({});
    expect((await get('/account/wallets')).body.wallets).toMatchObject([
      { blockchain: 'MATIC', wallet_address: matic, wallet_type: 'external', active: true },
    ]);
  });

  test.each([
    ['SOL', sol, true],
    ['SOL', matic, false],
    ['SOL', sol.slice(2), false],
    ['SOL', `${sol.slice(0, -1)}0`, false],
    ['SOL', '1'.repeat(32), true],
    ['MATIC', matic, true],
    ['MATIC', sol, false],
    ['DOGE', matic, false],
    ['SOL', '', false],
    ['SOL', 'z'.repeat(10_000), false],
  ])('on %s the address %s can be one: %s', async (chain, address, valid) => {
    const { post, get } = await startAndLogIn({ profile });
    const answer = await post('/wallet/validate-address', { address, chain });
    expect(answer.body).toEqual({ valid });
    if (valid || chain === 'DOGE') return;
    const body = { blockchain: chain, wallet_address: address };
    expect((await post('/account/wallet', body)).body).toEqual(refused);
    expect((await get('/account/wallets')).body.wallets ?? []).toEqual([]);
  });
});

describe.each(profileNames)('payments (%s)', (profile) => {
  /** An owner whose device provided 3.5 GiB two weeks ago, and as much today. */
  async function provide() {
    const directory = makeDirectory();
    // A Wednesday.
    const nowMs = Date.UTC(2026, 2, 18, 12);
    const world = await startAndLogIn({ profile, directory, now: () => nowMs });
    await world.register();
    using database = openDatabase(directory);
    const add = database.prepare(
      `insert into usage_day (client, day, rx_bytes, tx_bytes, online_ms, sessions, searches)
       select sequence, ?, ?, 0, 0, 0, 0 from client`,
    );
    for (const ageDays of [0, 14, 15]) add.run(Math.floor(nowMs / dayMs) - ageDays, 3.5 * GIB);
    database.exec(`update network set provided_bytes = ${3 * 3.5 * GIB}`);
    const read = async (path: string) => (await world.get(path)).body;
    return { ...world, read };
  }

  test('are listed by weeks to the chosen wallet, and come to what is paid', async () => {
    const { service, post, read, token } = await provide();
    const none = profile === 'documented' ? [] : null;
    expect(await read('/account/payments')).toEqual({ account_payments: none });
    const walletAddress = 'home';
    const { walletId: wallet_id } = await service.admin.addWallet({ walletAddress });
    await post('/account/payout-wallet', { wallet_id });
    const { account_payments: payments } = await read('/account/payments');
    expect(payments).toEqual([
      {
        payment_id: expect.any(String),
        wallet_id,
        wallet_address: 'home',
        blockchain: 'SOL',
        payout_byte_count: 7 * GIB,
        payout_nano_cents: 35e9,
        token_type: 'USDC',
        token_amount: expect.closeTo(0.35),
        create_time: expect.stringMatching(/^2026-03-08T00:00:00/),
        payment_time: expect.stringMatching(/^2026-03-08T00:00:00/),
        complete_time: expect.stringMatching(/^2026-03-08T00:00:00/),
        completed: true,
        canceled: false,
      },
    ]);
    expect(await read('/transfer/stats')).toEqual({
      paid_bytes_provided: 7 * GIB,
      unpaid_bytes_provided: 3.5 * GIB,
    });
    expect((await read('/account/points')).network_points).toMatchObject([
      {
        event: 'payout',
        point_value: 7,
        account_payment_id: payments[0].payment_id,
        network_id: claimsOf(token).network_id,
      },
    ]);
  });
});
