import { describe, expect, test } from 'vitest';
import { createOwner, given, messageOf, minuteMs, openWorld, register } from './world.ts';

const authClient = 'POST /network/auth-client';
const clientsOf = 'GET /network/clients';

async function open(options = {}) {
  const world = await openWorld(options);
  return { ...world, world, ...(await createOwner(world, 'home')) };
}

describe('a registration', () => {
  test("makes a client of the caller's network, with what was said of it", async () => {
    const { client, token, networkId } = await open();
    const answer = await client.ask(authClient, {
      token,
      body: { description: 'shed', device_spec: 'pi 5' },
    });
    expect(given(answer, 'by_client_jwt')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    const { clients } = await client.ask(clientsOf, { token });
    expect(clients).toMatchObject([
      { description: 'shed', device_spec: 'pi 5', network_id: networkId },
    ]);
  });

  test('of an existing client makes no other, and takes what is said of it now', async () => {
    const { client, token, world } = await open();
    const client_id = await register(world, token, { description: 'shed' });
    const before = (await client.ask(clientsOf, { token })).clients?.[0];
    world.pass(5 * minuteMs);
    const answer = await client.ask(authClient, {
      token,
      body: { client_id, description: 'barn' },
    });
    given(answer, 'by_client_jwt');
    const { clients } = await client.ask(clientsOf, { token });
    expect(clients).toMatchObject([
      { client_id, description: 'barn', create_time: before?.create_time },
    ]);
    const [earlier, later] = [before, clients?.[0]].map((device) =>
      Date.parse(device?.auth_time ?? ''),
    );
    expect((later ?? 0) - (earlier ?? 0)).toBeGreaterThanOrEqual(5 * minuteMs);
  });

  test('names its source, where it has one', async () => {
    const { client, token, world } = await open();
    const source = await register(world, token);
    await register(world, token, { source_client_id: source });
    const { clients } = await client.ask(clientsOf, { token });
    expect(clients?.map((device) => device.source_client_id ?? undefined)).toEqual([
      undefined,
      source,
    ]);
  });

  test('beyond the maximum of devices is refused by name', async () => {
    const { client, token, world } = await open({ clientLimit: 2 });
    const first = await register(world, token);
    await register(world, token);
    const refused = await client.ask(authClient, { token });
    expect([refused.by_client_jwt ?? undefined, refused.error?.client_limit_exceeded]).toEqual([
      undefined,
      true,
    ]);
    expect(
      (await client.ask(authClient, { token, body: { client_id: first } })).error ?? undefined,
    ).toBeUndefined();
  });

  test("of another network's client fails, and no limit is named", async () => {
    const { client, token, world } = await open();
    const { token: strange } = await createOwner(world, 'aunt');
    const client_id = await register(world, token);
    const answer = await client.ask(authClient, { token: strange, body: { client_id } });
    expect(messageOf(answer)).not.toContain(client_id);
    expect(answer.error?.client_limit_exceeded ?? false).toBe(false);
    expect((await client.ask(clientsOf, { token: strange })).clients ?? []).toEqual([]);
  });
});

describe('the proxy', () => {
  test('comes with WireGuard where that was asked for, and is remembered', async () => {
    const { client, token } = await open();
    const answer = await client.ask(authClient, {
      token,
      body: { proxy_config: { enable_wg: true } },
    });
    const result = given(answer, 'proxy_config_result');
    const tunnel = given(result, 'wg_config');
    const text = given(tunnel, 'config');
    const lines = Object.fromEntries(text.split('\n').map((line) => line.split(' = ', 2)));
    expect(lines).toMatchObject({
      PrivateKey: tunnel.client_private_key,
      Address: tunnel.client_ipv4,
      PublicKey: tunnel.proxy_public_key,
      Endpoint: `${result.proxy_host}:${tunnel.wg_proxy_port}`,
    });
    expect(tunnel.client_ipv4).toMatch(/^\d+\.\d+\.\d+\.\d+\/\d+$/);
    expect(given(result, 'keepalive_seconds')).toBeGreaterThanOrEqual(0);
    const { clients } = await client.ask(clientsOf, { token });
    expect(clients?.[0]?.proxy_client?.wg_config).toEqual(tunnel);
    expect(clients?.[0]?.proxy_client?.instance_id).toBe(result.instance_id);
  });

  test('comes without WireGuard where that was not asked for', async () => {
    const { client, token } = await open();
    const answer = await client.ask(authClient, {
      token,
      body: { proxy_config: { enable_wg: false } },
    });
    expect(given(answer, 'proxy_config_result').wg_config ?? undefined).toBeUndefined();
  });

  test('comes with a token where one is required, and only there', async () => {
    const { client, token } = await open();
    const tokens = [true, false].map(async (https_require_auth) => {
      const answer = await client.ask(authClient, {
        token,
        body: { proxy_config: { https_require_auth } },
      });
      return typeof given(answer, 'proxy_config_result').auth_token;
    });
    expect(await Promise.all(tokens)).toEqual(['string', 'undefined']);
  });

  test('gives every device keys and an address of its own', async () => {
    const { client, token } = await open();
    const issued = [1, 2, 3].map(async () => {
      const answer = await client.ask(authClient, {
        token,
        body: { proxy_config: { enable_wg: true } },
      });
      return given(given(answer, 'proxy_config_result'), 'wg_config');
    });
    const tunnels = await Promise.all(issued);
    for (const name of ['client_private_key', 'client_public_key', 'client_ipv4'] as const) {
      expect(new Set(tunnels.map((tunnel) => tunnel[name])).size).toBe(3);
    }
  });
});

describe('the provide mode', () => {
  test.each([0, 1, 2, 3, 4, 5])(
    '%i is echoed, and shown among the clients',
    async (provide_mode) => {
      const { client, token, world } = await open();
      const client_id = await register(world, token);
      const answer = await client.ask('POST /device/set-provide', {
        token,
        body: { client_id, provide_mode },
      });
      expect(answer).toEqual({ provide_mode });
      const { clients } = await client.ask(clientsOf, { token });
      expect(clients).toMatchObject([{ client_id, provide_mode }]);
    },
  );

  test.each([-1, 6])('%i does not exist, and changes nothing', async (provide_mode) => {
    const { client, token, world } = await open();
    const client_id = await register(world, token);
    await client.ask('POST /device/set-provide', { token, body: { client_id, provide_mode: 2 } });
    messageOf(
      await client.ask('POST /device/set-provide', { token, body: { client_id, provide_mode } }),
    );
    expect((await client.ask(clientsOf, { token })).clients).toMatchObject([{ provide_mode: 2 }]);
  });

  test("of another network's client cannot be set", async () => {
    const { client, token, world } = await open();
    const { token: strange } = await createOwner(world, 'aunt');
    const client_id = await register(world, token);
    const [before] = (await client.ask(clientsOf, { token })).clients ?? [];
    messageOf(
      await client.ask('POST /device/set-provide', {
        token: strange,
        body: { client_id, provide_mode: 4 },
      }),
    );
    expect((await client.ask(clientsOf, { token })).clients).toMatchObject([
      { provide_mode: before?.provide_mode },
    ]);
  });
});
