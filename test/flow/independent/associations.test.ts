import { describe, expect, test } from 'vitest';
import { createOwner, given, messageOf, minuteMs, openWorld, register } from './world.ts';

const add = 'POST /device/add';
const associations = 'GET /device/associations';
const nothing = {
  pending_adoption_devices: [],
  incoming_shared_devices: [],
  outgoing_shared_devices: [],
};

/** A home with a device, and an aunt without one. */
async function open() {
  const world = await openWorld();
  const [home, aunt] = [await createOwner(world, 'home'), await createOwner(world, 'aunt')];
  const client_id = await register(world, home.token, {
    description: 'shed',
    proxy_config: { enable_wg: true },
  });
  return { ...world, world, home, aunt, client_id };
}

describe('a share code', () => {
  test('shows a device to another network, as a client of its own', async () => {
    const { client, home, aunt, client_id } = await open();
    const body = { client_id, device_name: 'our shed' };
    const code = given(
      await client.ask('POST /device/create-share-code', { token: home.token, body }),
      'share_code',
    );
    expect(code).toMatch(/^[A-Za-z0-9]+$/);
    const waiting = { pending: true, code, device_name: 'our shed', client_id };
    expect(await client.ask(associations, home)).toEqual({
      ...nothing,
      outgoing_shared_devices: [waiting],
    });

    const added = await client.ask(add, { token: aunt.token, body: { code } });
    expect(added).toMatchObject({
      code_type: 'share',
      code,
      device_name: 'our shed',
      associated_network_name: 'home',
    });
    const assigned = given(added, 'client_id');
    expect(assigned).not.toBe(client_id);
    expect((await client.ask('GET /network/clients', aunt)).clients).toMatchObject([
      { client_id: assigned },
    ]);
    expect((await client.ask('GET /network/clients', home)).clients).toMatchObject([{ client_id }]);
    const outgoing = { ...waiting, pending: false, network_name: 'aunt' };
    expect(await client.ask(associations, home)).toEqual({
      ...nothing,
      outgoing_shared_devices: [outgoing],
    });
    const incoming = { ...outgoing, client_id: assigned, network_name: 'home' };
    expect(await client.ask(associations, aunt)).toEqual({
      ...nothing,
      incoming_shared_devices: [incoming],
    });
  });

  test('is valid once, and not for the network that made it', async () => {
    const { client, world, home, aunt, client_id } = await open();
    const body = { client_id, device_name: 'our shed' };
    const { share_code: code } = await client.ask('POST /device/create-share-code', {
      token: home.token,
      body,
    });
    messageOf(await client.ask(add, { token: home.token, body: { code } }));
    given(await client.ask(add, { token: aunt.token, body: { code } }), 'client_id');
    const { token } = await createOwner(world, 'uncle');
    messageOf(await client.ask(add, { token, body: { code } }));
    expect(await client.ask(associations, { token })).toEqual(nothing);
  });

  test("is not made for another network's device, nor without a name", async () => {
    const { client, home, aunt, client_id } = await open();
    const make = 'POST /device/create-share-code';
    messageOf(
      await client.ask(make, { token: aunt.token, body: { client_id, device_name: 'mine' } }),
    );
    messageOf(await client.ask(make, { token: home.token, body: { client_id, device_name: '' } }));
    expect(await client.ask(associations, home)).toEqual(nothing);
  });
});

describe('an adopt code', () => {
  test('hands a device over, with its tunnel and under a new name', async () => {
    const { client, service, home, aunt, client_id } = await open();
    const [before] = (await client.ask('GET /network/clients', home)).clients ?? [];
    const order = {
      network: home.networkId,
      clientId: client_id,
      deviceName: 'old shed',
      durationMinutes: 15,
    };
    const { adoptCode: code } = await service.admin.createAdoptCode(order);
    const waiting = { code, device_name: 'old shed', duration_minutes: 15 };
    expect(await client.ask(associations, home)).toEqual({
      ...nothing,
      pending_adoption_devices: [waiting],
    });

    const added = await client.ask(add, { token: aunt.token, body: { code } });
    // What is adopted stays, so no time limit is named.
    const { duration_minutes: _codeIsGoodFor, ...device } = waiting;
    expect(added).toEqual({ code_type: 'adopt', ...device });
    expect((await client.ask('GET /network/clients', home)).clients ?? []).toEqual([]);
    const proxy_client = before?.proxy_client;
    expect((await client.ask('GET /network/clients', aunt)).clients).toMatchObject([
      { client_id, network_id: aunt.networkId, description: 'old shed', proxy_client },
    ]);
    expect(await client.ask(associations, home)).toEqual(nothing);
    expect(await client.ask(associations, aunt)).toEqual(nothing);
    messageOf(await client.ask(add, { token: home.token, body: { code } }));
    given(
      await client.ask('POST /network/auth-client', { token: aunt.token, body: { client_id } }),
      'by_client_jwt',
    );
  });

  test('ends with its time', async () => {
    const { client, service, world, home, aunt, client_id } = await open();
    const order = {
      network: home.networkId,
      clientId: client_id,
      deviceName: 'old shed',
      durationMinutes: 15,
    };
    const { adoptCode: code } = await service.admin.createAdoptCode(order);
    world.pass(15 * minuteMs);
    expect(await client.ask(associations, home)).toEqual(nothing);
    const late = messageOf(await client.ask(add, { token: aunt.token, body: { code } }));
    expect(
      messageOf(await client.ask(add, { token: aunt.token, body: { code: 'NEVERWAS22' } })),
    ).toBe(late);
    expect((await client.ask('GET /network/clients', home)).clients).toMatchObject([{ client_id }]);
  });
});
