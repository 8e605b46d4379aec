import { describe, expect, test } from 'vitest';
import { profileNames } from '../../src/service/profiles.ts';
import { call, claimsOf, createOwner, startAndLogIn } from './reference-caller.ts';

const refused = { error: { message: expect.stringMatching(/./) } };

/** A network with a device, and a neighbour. */
async function open(profile: (typeof profileNames)[number], clientLimit = 10) {
  const clock = { nowMs: Date.now() };
  const world = await startAndLogIn({ profile, clientLimit, now: () => clock.nowMs });
  const token = await createOwner(world.service, 'aunt');
  const ask = async (path: string, body?: unknown) =>
    (await call(world.service.baseUrl, path, { token, body })).body;
  const anybody = async (path: string, body: unknown) =>
    (await call(world.service.baseUrl, path, { body })).body;
  const own = async (path: string, body: unknown) => (await world.post(path, body)).body;
  return { ...world, ask, anybody, own, clock };
}

describe.each(profileNames)('a device (%s)', (profile) => {
  test('is renamed by its owner alone', async () => {
    const { get, own, ask, register } = await open(profile);
    await register();
    const list = async () => (await get('/network/clients')).body.clients[0];
    const { device_id } = await list();
    const body = { device_id, device_name: 'loft' };
    expect(await ask('/device/set-name', body)).toEqual(refused);
    expect(await own('/device/set-name', { ...body, device_name: 'a\nb' })).toEqual(refused);
    expect(await list()).toMatchObject({ description: 'shed', device_name: 'shed' });
    expect(await own('/device/set-name', body)).toEqual({});
    expect(await list()).toMatchObject({ description: 'shed', device_name: 'loft' });
  });

  test('is shared until either side ends it, and the client that stood for it goes', async () => {
    const { get, own, ask, register } = await open(profile);
    const { clientId: client_id } = await register();
    const share = async () => {
      const made = await own('/device/create-share-code', { client_id, device_name: 'shed' });
      await ask('/device/add', { code: made.share_code });
      return made.share_code;
    };
    const countTheirs = async () => ((await ask('/network/clients')).clients ?? []).length;
    for (const end of [own, ask]) {
      const code = await share();
      expect(await countTheirs()).toBe(1);
      expect(await end('/device/remove-association', { code })).toEqual({});
      expect(await end('/device/remove-association', { code })).toEqual(refused);
      expect(await countTheirs()).toBe(0);
    }
    const { outgoing_shared_devices: left } = (await get('/device/associations')).body;
    expect(left ?? []).toEqual([]);
    expect((await get('/network/clients')).body.clients).toHaveLength(1);
  });

  test('that is shared waits for its owner only where the service asks for that', async () => {
    const { get, own, ask, register } = await open(profile);
    const { clientId: client_id } = await register();
    const { share_code } = await own('/device/create-share-code', {
      client_id,
      device_name: 'shed',
    });
    const confirm = (name: string) =>
      own('/device/confirm-share', { share_code, associated_network_name: name });
    expect(await confirm('aunt')).toEqual(refused);
    await ask('/device/add', { code: share_code });
    const isPending = async () =>
      (await get('/device/associations')).body.outgoing_shared_devices[0].pending;
    expect(await isPending()).toBe(profile === 'production');
    expect(await confirm('uncle')).toEqual(refused);
    expect(await confirm('aunt')).toEqual({ associated_network_name: 'aunt' });
    expect(await isPending()).toBe(false);
  });

  test('is not handed over by a code that was withdrawn', async () => {
    const { service, own, ask, register } = await open(profile);
    const { clientId } = await register();
    const { adoptCode: code } = await service.admin.createAdoptCode({ clientId });
    expect(await own('/device/remove-association', { code })).toEqual({});
    expect(await ask('/device/add', { code })).toEqual(refused);
  });
});

describe.each(profileNames)('a device without a network (%s)', (profile) => {
  async function pair(clientLimit?: number) {
    const world = await open(profile, clientLimit);
    const device = { device_name: 'new shed', device_spec: 'pi 5' };
    const made = await world.anybody('/device/create-adopt-code', device);
    const { adopt_code, adopt_secret } = made;
    const status = () => world.anybody('/device/adopt-status', { adopt_code });
    const take = () => world.own('/device/add', { code: String(adopt_code).toLowerCase() });
    const confirm = (change: object = {}) =>
      world.anybody('/device/confirm-adopt', {
        adopt_code,
        adopt_secret,
        associated_network_name: 'sandbox',
        ...change,
      });
    return { ...world, made, adopt_code, status, take, confirm };
  }

  test('becomes a client of the network that takes its code, once it confirms', async () => {
    const { made, adopt_code, status, take, confirm, get, token } = await pair();
    expect(made).toEqual({
      adopt_code: expect.stringMatching(/^[A-Z2-9]{10}$/),
      adopt_secret: expect.stringMatching(/.{32}/),
      duration_minutes: 30,
    });
    expect(await status()).toEqual({ pending: true });
    expect(await confirm()).toEqual(refused);
    expect(await take()).toEqual({ code_type: 'adopt', code: adopt_code, device_name: 'new shed' });
    expect(await status()).toEqual({ pending: true, associated_network_name: 'sandbox' });
    expect((await get('/device/associations')).body.pending_adoption_devices).toMatchObject([
      { code: adopt_code, device_name: 'new shed' },
    ]);
    expect((await get('/network/clients')).body.clients ?? []).toEqual([]);
    const { by_client_jwt } = await confirm();
    expect(claimsOf(by_client_jwt).network_id).toBe(claimsOf(token).network_id);
    expect((await get('/network/clients')).body.clients).toMatchObject([
      {
        client_id: claimsOf(by_client_jwt).client_id,
        description: 'new shed',
        device_spec: 'pi 5',
      },
    ]);
    expect(await confirm()).toEqual(refused);
  });

  test('is nobody else’s: by another secret, for another network or after its time', async () => {
    const { ask, adopt_code, take, confirm, status, clock } = await pair();
    await take();
    expect(await ask('/device/add', { code: adopt_code })).toEqual(refused);
    expect(await confirm({ adopt_secret: 'guessed' })).toEqual(refused);
    expect(await confirm({ associated_network_name: 'aunt' })).toEqual(refused);
    clock.nowMs += 30 * 60_000;
    expect(await confirm()).toEqual(refused);
    expect(await status()).toEqual(refused);
  });

  test('can be given back by the network that took it', async () => {
    const { own, ask, adopt_code, take, status } = await pair();
    await take();
    expect(await own('/device/remove-association', { code: adopt_code })).toEqual({});
    expect(await status()).toEqual({ pending: true });
    expect((await ask('/device/add', { code: adopt_code })).device_name).toBe('new shed');
  });

  test('is taken by no network that is full', async () => {
    const { take, register } = await pair(1);
    await register();
    expect(await take()).toEqual({ error: { message: expect.stringContaining('maximum') } });
  });
});
