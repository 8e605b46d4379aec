import { describe, expect, test } from 'vitest';
import type { ReferenceServiceOptions } from '../../src/reference-service/server.ts';
import {
  call,
  claimsOf,
  createOwner,
  makeDirectory,
  start,
  startAndLogIn,
  withTunnel,
} from './reference-caller.ts';

const unknownCode = { error: { message: 'Invalid, expired or used code.' } };

/** Two networks of one service; the owner's has a device. */
async function open(options: Partial<ReferenceServiceOptions> = {}) {
  const owner = await startAndLogIn(options);
  const token = await createOwner(owner.service, 'aunt');
  const { clientId } = await owner.register();
  const share = async (deviceName = 'the shed') => {
    const answer = await owner.post('/device/create-share-code', {
      client_id: clientId,
      device_name: deviceName,
    });
    return String(answer.body.share_code);
  };
  return { owner, guest: createCaller(owner.service.baseUrl, token), clientId, share };
}

function createCaller(baseUrl: string, token: string) {
  return {
    token,
    post: async (path: string, body: unknown) => (await call(baseUrl, path, { token, body })).body,
    get: async (path: string) => (await call(baseUrl, path, { token })).body,
  };
}

describe.each(['documented', 'production'] as const)('in the %s profile', (profile) => {
  const none = profile === 'documented' ? [] : null;
  const nothing = {
    pending_adoption_devices: none,
    incoming_shared_devices: none,
    outgoing_shared_devices: none,
  };

  test('a device is shared, added and listed on both sides', async () => {
    const { owner, guest, clientId, share } = await open({ profile });
    const code = await share();
    const waiting = { pending: true, code, device_name: 'the shed', client_id: clientId };
    const associations = async () => (await owner.get('/device/associations')).body;
    expect(await associations()).toEqual({ ...nothing, outgoing_shared_devices: [waiting] });
    expect(await guest.get('/device/associations')).toEqual(nothing);

    const added = await guest.post('/device/add', { code });
    expect(added).toEqual({
      code_type: 'share',
      code,
      device_name: 'the shed',
      associated_network_name: 'sandbox',
      client_id: expect.not.stringContaining(clientId),
    });
    const { clients } = await guest.get('/network/clients');
    expect(clients).toMatchObject([
      {
        client_id: added.client_id,
        source_client_id: clientId,
        description: 'the shed',
        network_id: expect.any(String),
      },
    ]);
    if (profile === 'documented')
      expect(clients[0].network_id).toBe(claimsOf(guest.token).network_id);
    // There, its owner has to confirm the network first.
    const outgoing = { ...waiting, pending: profile === 'production', network_name: 'aunt' };
    expect(await associations()).toEqual({ ...nothing, outgoing_shared_devices: [outgoing] });
    const incoming = { ...outgoing, client_id: added.client_id, network_name: 'sandbox' };
    expect(await guest.get('/device/associations')).toEqual({
      ...nothing,
      incoming_shared_devices: [incoming],
    });
  });

  test('a device that was added can be authenticated by its new network, as its own client', async () => {
    const { owner, guest, share } = await open({ profile });
    const { client_id } = await guest.post('/device/add', { code: await share() });
    const answer = await guest.post('/network/auth-client', { ...withTunnel, client_id });
    expect(claimsOf(answer.by_client_jwt).client_id).toBe(client_id);
    const foreign = (await owner.post('/network/auth-client', { client_id })).body;
    expect(foreign).toEqual({ error: { message: 'Client does not exist.' } });
  });

  test('shared and added devices are there after a restart', async () => {
    const directory = makeDirectory();
    const { owner, guest, share } = await open({ profile, directory });
    const [added, waiting] = [await share('added'), await share('waiting')];
    await guest.post('/device/add', { code: added });
    const before = (await owner.get('/device/associations')).body;
    await owner.service.close();
    const { baseUrl } = await start({ profile, directory });
    expect(await createCaller(baseUrl, owner.token).get('/device/associations')).toEqual(before);
    expect(await createCaller(baseUrl, guest.token).post('/device/add', { code: added })).toEqual(
      unknownCode,
    );
    expect(await createCaller(baseUrl, guest.token).post('/device/add', { code: waiting })).toEqual(
      { error: { message: 'The device is shared with this network already.' } },
    );
  });

  test('one code sent many times at once adds one client', async () => {
    const { guest, share } = await open({ profile });
    const code = await share();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => guest.post('/device/add', { code })),
    );
    expect(answers.filter((answer) => answer.error === undefined)).toHaveLength(1);
    expect(answers.filter((answer) => answer.error !== undefined)).toEqual(
      Array(7).fill(unknownCode),
    );
    expect((await guest.get('/network/clients')).clients).toHaveLength(1);
  });

  test("another network's client cannot be shared, and is as unknown as one that never was", async () => {
    const { owner, guest, clientId } = await open({ profile });
    for (const client_id of [clientId, 'never-was']) {
      const answer = await guest.post('/device/create-share-code', {
        client_id,
        device_name: 'mine',
      });
      expect(answer).toEqual({ error: { message: 'Client does not exist.' } });
    }
    expect((await owner.get('/device/associations')).body).toEqual(nothing);
  });

  test('a device is handed over to the network that brings the code in time', async () => {
    const clock = { nowMs: Date.now() };
    const { owner, guest, clientId } = await open({ profile, now: () => clock.nowMs });
    const makeCode = async () =>
      (
        await owner.service.admin.createAdoptCode({
          clientId,
          deviceName: 'old shed',
          durationMinutes: 15,
        })
      ).adoptCode;
    const late = await makeCode();
    const waiting = { code: late, device_name: 'old shed', duration_minutes: 15 };
    const associations = async () => (await owner.get('/device/associations')).body;
    expect(await associations()).toEqual({ ...nothing, pending_adoption_devices: [waiting] });
    clock.nowMs += 15 * 60_000;
    expect(await associations()).toEqual(nothing);
    expect(await guest.post('/device/add', { code: late })).toEqual(unknownCode);

    const code = await makeCode();
    const [before] = (await owner.get('/network/clients')).body.clients;
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => guest.post('/device/add', { code })),
    );
    const added = { code_type: 'adopt', code, device_name: 'old shed' };
    expect(answers.filter((answer) => answer.error === undefined)).toEqual([added]);
    expect((await owner.get('/network/clients')).body.clients ?? []).toEqual([]);
    expect((await guest.get('/network/clients')).clients).toMatchObject([
      {
        client_id: clientId,
        description: 'old shed',
        proxy_client: before.proxy_client,
        create_time: before.create_time,
      },
    ]);
    expect([await associations(), await guest.get('/device/associations')]).toEqual([
      nothing,
      nothing,
    ]);
  });

  test('a full network adds nothing', async () => {
    const { guest, share } = await open({ profile, clientLimit: 1 });
    const codes = [await share(), await share()];
    expect(await guest.post('/device/add', { code: codes[0] })).toMatchObject({
      code_type: 'share',
    });
    const refused = { error: { message: 'The network has reached its maximum of 1 clients.' } };
    expect(await guest.post('/device/add', { code: codes[1] })).toEqual(refused);
    expect((await guest.get('/device/associations')).incoming_shared_devices).toHaveLength(1);
  });

  test('an unknown code, a used one and a very long one are answered alike, and one of the own network is not added', async () => {
    const { owner, guest, share } = await open({ profile });
    const code = await share();
    const own = (await owner.post('/device/add', { code })).body;
    expect(own).toEqual({ error: { message: "The code is of this network's own device." } });
    await guest.post('/device/add', { code });
    for (const bad of ['AAAAAAAAAA', '', code, 'x'.repeat(100_000)]) {
      expect(await guest.post('/device/add', { code: bad })).toEqual(unknownCode);
    }
  });
});
