import { describe, expect, test } from 'vitest';
import { type DocumentedOperation, documentedInterface } from './documented-interface.ts';
import { createOwner, given, messageOf, minuteMs, openWorld, register, signIn } from './world.ts';

async function open() {
  const world = await openWorld();
  return { ...world, world, ...(await createOwner(world, 'home')) };
}

describe('a login code', () => {
  const create = 'POST /auth/code-create';
  const logIn = 'POST /auth/code-login';

  test('is good for ten minutes and one login, where nothing else is asked for', async () => {
    const { client, token, world } = await open();
    const [first, second] = [
      await client.ask(create, { token }),
      await client.ask(create, { token }),
    ];
    expect(first).toEqual({
      auth_code: expect.stringMatching(/^[A-Za-z0-9]+$/),
      duration_minutes: 10,
      uses: 1,
    });
    await signIn(world, given(first, 'auth_code'));
    messageOf(await client.ask(logIn, { body: { auth_code: first.auth_code } }));
    world.pass(10 * minuteMs);
    messageOf(await client.ask(logIn, { body: { auth_code: second.auth_code } }));
  });

  test('is good as long and as often as it was asked for', async () => {
    const { client, token, world } = await open();
    const answer = await client.ask(create, { token, body: { duration_minutes: 30, uses: 3 } });
    expect(answer).toMatchObject({ duration_minutes: 30, uses: 3 });
    const auth_code = given(answer, 'auth_code');
    await signIn(world, auth_code);
    world.pass(29 * minuteMs);
    await signIn(world, auth_code);
    world.pass(minuteMs);
    messageOf(await client.ask(logIn, { body: { auth_code } }));
  });

  test('gives a token for the network that made it', async () => {
    const { client, token, world } = await open();
    const client_id = await register(world, token);
    const { auth_code } = await client.ask(create, { token });
    const other = await signIn(world, auth_code ?? '');
    expect((await client.ask('GET /network/clients', { token: other })).clients).toMatchObject([
      { client_id },
    ]);
  });

  test('is refused while too many wait, and made again once one was used', async () => {
    const { client, token, world } = await open();
    const codes: string[] = [];
    let refused = await client.ask(create, { token });
    while (typeof refused.auth_code === 'string' && codes.length < 1000) {
      codes.push(refused.auth_code);
      refused = await client.ask(create, { token });
    }
    expect(refused).toMatchObject({ error: { auth_code_limit_exceeded: true } });
    messageOf(refused);
    await signIn(world, codes[0] ?? '');
    given(await client.ask(create, { token }), 'auth_code');
  });

  test.each([{ duration_minutes: 0 }, { duration_minutes: -1 }, { uses: 0 }, { uses: -1 }])(
    'with %o is not issued',
    async (body) => {
      const { client, token } = await open();
      const answer = await client.ask(create, { token, body });
      messageOf(answer);
      expect(answer.error?.auth_code_limit_exceeded ?? false).toBe(false);
    },
  );
});

describe('a reset code', () => {
  const set = 'POST /auth/password-set';

  test('sets a password once', async () => {
    const { client, service, networkId } = await open();
    const { resetCode: reset_code } = await service.admin.createResetCode({ network: networkId });
    const body = { reset_code, password: 'correct horse battery' };
    expect(await client.ask(set, { body })).toEqual({});
    messageOf(await client.ask(set, { body }));
  });

  test('is not used up by a password that is refused', async () => {
    const { client, service } = await open();
    const { resetCode: reset_code } = await service.admin.createResetCode({});
    messageOf(await client.ask(set, { body: { reset_code, password: '' } }));
    expect(
      await client.ask(set, { body: { reset_code, password: 'correct horse battery' } }),
    ).toEqual({});
  });

  test('that is unknown says the same as one that came too late', async () => {
    const { client, service, world } = await open();
    const { resetCode, durationMinutes } = await service.admin.createResetCode({});
    world.pass(durationMinutes * minuteMs);
    const answers = ['never-was', resetCode].map((reset_code) =>
      client.ask(set, { body: { reset_code, password: 'correct horse battery' } }),
    );
    const [unknown, late] = (await Promise.all(answers)).map(messageOf);
    expect(unknown).toBe(late);
  });
});

describe('a guest', () => {
  const upgrade = 'POST /auth/upgrade-guest';
  const wish = {
    user_auth: 'ada@example.com',
    network_name: 'ada',
    password: 'correct horse battery',
  };

  test('becomes a network of its own, and keeps its devices', async () => {
    const { client, service, world } = await open();
    const token = service.guestJwt;
    const client_id = await register(world, token);
    const answer = await client.ask(upgrade, { token, body: wish });
    expect(answer).toEqual({
      network: { by_jwt: expect.any(String) },
      verification_required: { user_auth: 'ada@example.com' },
    });
    const permanent = given(given(answer, 'network'), 'by_jwt');
    expect((await client.ask('GET /network/clients', { token: permanent })).clients).toMatchObject([
      { client_id },
    ]);
    given(await client.ask('POST /auth/code-create', { token: permanent }), 'auth_code');
  });

  test('is upgraded once', async () => {
    const { client, service } = await open();
    const token = service.guestJwt;
    await client.ask(upgrade, { token, body: wish });
    messageOf(await client.ask(upgrade, { token, body: { ...wish, network_name: 'ada2' } }));
  });

  test.each([
    ['with a name that is taken', { network_name: 'Home' }],
    ['without a name', { network_name: '' }],
    ['without a password or a third party', { password: undefined }],
    ['with a user_auth that is neither e-mail nor phone', { user_auth: 'ada' }],
  ])('%s stays a guest', async (_, wrong) => {
    const { client, service } = await open();
    const token = service.guestJwt;
    messageOf(await client.ask(upgrade, { token, body: { ...wish, ...wrong } }));
    given(await client.ask(upgrade, { token, body: wish }), 'network');
  });

  test('is what an owner no longer is', async () => {
    const { client, token } = await open();
    messageOf(await client.ask(upgrade, { token, body: wish }));
  });
});

describe('a payout wallet', () => {
  const choose = 'POST /account/payout-wallet';
  const chosen = 'GET /account/payout-wallet';

  test('is chosen among the registered ones, and read back', async () => {
    const { client, service, token, networkId } = await open();
    for (const walletAddress of ['first', 'second']) {
      await service.admin.addWallet({ network: networkId, walletAddress });
    }
    const { wallets } = await client.ask('GET /account/wallets', { token });
    expect(wallets).toMatchObject([
      { wallet_address: 'first', active: true, network_id: networkId },
      { wallet_address: 'second' },
    ]);
    expect((await client.ask(chosen, { token })).wallet_id ?? undefined).toBeUndefined();
    for (const wallet of wallets ?? []) {
      const { wallet_id } = wallet;
      expect(await client.ask(choose, { token, body: { wallet_id } })).toEqual({});
      expect(await client.ask(chosen, { token })).toEqual({ wallet_id });
    }
  });

  test("is neither another network's, nor an unknown one, nor one that is not active", async () => {
    const { client, service, token, networkId, world } = await open();
    const aunt = await createOwner(world, 'aunt');
    const order = { network: networkId, walletAddress: 'home' };
    const { walletId: good } = await service.admin.addWallet(order);
    const { walletId: idle } = await service.admin.addWallet({ ...order, isActive: false });
    const { walletId: strange } = await service.admin.addWallet({
      ...order,
      network: aunt.networkId,
    });
    await client.ask(choose, { token, body: { wallet_id: good } });
    for (const wallet_id of [idle, strange, 'never-was']) {
      messageOf(await client.ask(choose, { token, body: { wallet_id } }));
    }
    expect(await client.ask(chosen, { token })).toEqual({ wallet_id: good });
    const { wallets } = await client.ask('GET /account/wallets', { token });
    expect(wallets).toMatchObject([
      { wallet_id: good, active: true },
      { wallet_id: idle, active: false },
    ]);
  });
});

test('a token is asked for where the document shows one, and only there', async () => {
  const { client } = await open();
  for (const operation of Object.keys(documentedInterface) as DocumentedOperation[]) {
    const without = await client.askForStatus(operation);
    const wrong = await client.askForStatus(operation, { token: 'a.b.c' });
    const expected = documentedInterface[operation].token === 'none' ? [200, 200] : [401, 401];
    expect([operation, without, wrong]).toEqual([operation, ...expected]);
  }
});
