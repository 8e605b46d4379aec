import { describe, expect, test } from 'vitest';
import { TributaryError } from '../../../src/errors/codes.ts';
import { ensureRegistration } from '../../../src/identity/registration.ts';
import {
  type Answers,
  clientId,
  createDevice,
  identity,
  installId,
  makeJwt,
  marker,
  pending,
  proxyOnWire,
  registration,
  tunnel,
} from './fake-service.ts';

const unnamed = { installId, clientId: undefined, isUncertain: false };
const empty = { clients: [] };
const issued = { proxy_config_result: { keepalive_seconds: 30, ...proxyOnWire } };
const named = { by_client_jwt: makeJwt({ client_id: clientId }), ...issued };
const row = {
  client_id: clientId,
  description: 'shed',
  device_spec: `pi ${marker}`,
  proxy_client: proxyOnWire,
};

/** A device that has its id and nothing else. */
async function createUnregistered(answers: Answers) {
  const device = await createDevice(answers);
  await device.files.identity.write(unnamed);
  return { ...device, ensure: () => ensureRegistration(device.dependencies, device.signal) };
}

const readPending = async ({ files }: Awaited<ReturnType<typeof createUnregistered>>) =>
  (await files.pendingCreate.peek())?.pending;

describe('a registration that is there', () => {
  test('asks nobody, and leaves no create under way', async () => {
    const { dependencies, files, names, signal } = await createDevice();
    await files.identity.write(identity);
    await files.registration.write(registration);
    await files.pendingCreate.write({ pending });
    expect(await ensureRegistration(dependencies, signal)).toEqual(registration);
    expect(await files.pendingCreate.peek()).toEqual({ pending: undefined });
    expect(names()).toEqual([]);
  });

  test('without a tunnel is asked for again, and not made again', async () => {
    const { dependencies, files, names, signal } = await createDevice({
      clients: [{ clients: [row] }],
      authClient: [{ by_client_jwt: 'j' }],
    });
    await files.identity.write(identity);
    await files.registration.write({ ...registration, tunnel: undefined });
    expect(await ensureRegistration(dependencies, signal)).toMatchObject({ clientId, tunnel });
    expect(names()).toEqual(['clients', 'authClient']);
  });
});

describe('a registration without a tunnel, where no source wants one', () => {
  const desired = { description: 'shed', spec: 'pi', wantsTunnel: false, proxy: {} };

  test('that is there asks nobody', async () => {
    const { dependencies, files, names, signal } = await createDevice({}, { desired });
    await files.identity.write(identity);
    const known = { ...registration, tunnel: undefined };
    await files.registration.write(known);
    expect(await ensureRegistration(dependencies, signal)).toEqual(known);
    expect(names()).toEqual([]);
  });

  test('that is made is looked for in no list', async () => {
    const { dependencies, files, names, signal } = await createDevice(
      { clients: [empty], authClient: [{ by_client_jwt: makeJwt({ client_id: clientId }) }] },
      { desired },
    );
    await files.identity.write(unnamed);
    expect(await ensureRegistration(dependencies, signal)).toMatchObject({ clientId });
    expect(names()).toEqual(['clients', 'authClient']);
  });
});

describe('a create', () => {
  test('is noted before it is sent, with the clients that could be taken for it', async () => {
    const rows = [
      { client_id: 'twin', description: 'shed', device_spec: 'pi' },
      { client_id: 'barn', description: 'barn' },
    ];
    const device = await createUnregistered({
      clients: [{ clients: rows }],
      authClient: [new Error('crash')],
    });
    await expect(device.ensure()).rejects.toThrow('crash');
    expect(await readPending(device)).toEqual({
      installId,
      description: 'shed',
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      knownClientIds: ['twin'],
      isAccepted: false,
    });
    const request = { clientId: undefined, deviceSpec: `pi ${marker}` };
    expect(device.seen.at(-1)).toMatchObject({ token: 'network.jwt', request });
  });

  test('is sent although another row of the list is strange', async () => {
    const device = await createUnregistered({
      clients: [{ clients: [], unread: 2 }],
      authClient: [new Error('crash'), named],
    });
    await expect(device.ensure()).rejects.toThrow('crash');
    expect(await readPending(device)).toMatchObject({ unreadRows: 2 });
    expect(device.notices).toContain('left out');
    // No more is left out of the list than before, so our client is not among it.
    expect(await device.ensure()).toMatchObject({ clientId });
  });

  test('is not sent again while a strange row that came meanwhile may be its client', async () => {
    const device = await createUnregistered({
      clients: [empty, { clients: [], unread: 1 }],
      authClient: [new Error('crash'), named],
    });
    await expect(device.ensure()).rejects.toThrow('crash');
    await expect(device.ensure()).rejects.toMatchObject({ code: 'answer-invalid' });
    expect(device.names().filter((name) => name === 'authClient')).toHaveLength(1);
  });

  test('that names its client is stored whole', async () => {
    const device = await createUnregistered({ clients: [empty], authClient: [named] });
    expect(await device.ensure()).toMatchObject({
      clientId,
      installId,
      tunnel,
      renewSeconds: 30,
    });
    expect(await device.files.identity.peek()).toEqual(identity);
    expect(await device.files.registration.peek()).toMatchObject({ clientId });
    expect(await readPending(device)).toBeUndefined();
    expect(device.names()).toEqual(['clients', 'authClient']);
    expect(device.notices).toEqual([]);
  });

  test.each<[string, object | Error, string, 'kept' | 'cleared']>([
    [
      'surely had no effect',
      new TributaryError('service-unreachable', 'x', { maybeSent: false }),
      'service-unreachable',
      'cleared',
    ],
    [
      'may have had one',
      new TributaryError('service-unreachable', 'x', { maybeSent: true }),
      'service-unreachable',
      'kept',
    ],
    [
      'says nothing of its effect',
      new TributaryError('service-failed', 'x'),
      'service-failed',
      'kept',
    ],
    ['was refused', { error: { message: 'No.' } }, 'service-refused', 'cleared'],
    [
      'was refused and named a client',
      { error: { message: 'No.' }, client_id: clientId },
      'service-refused',
      'kept',
    ],
    ['says nothing', {}, 'answer-invalid', 'kept'],
  ])(
    'that %s fails with its reason, and stays under way only where it may have had an effect: %s',
    async (_, answer, code, then) => {
      const device = await createUnregistered({ clients: [empty], authClient: [answer] });
      await expect(device.ensure()).rejects.toMatchObject({ code });
      expect((await readPending(device)) === undefined).toBe(then === 'cleared');
      expect(await device.files.registration.peek()).toBeUndefined();
      expect(await device.files.identity.peek()).toEqual(unnamed);
    },
  );

  test('with an error beside its token made a client, and the error becomes a notice', async () => {
    const device = await createUnregistered({
      clients: [empty],
      authClient: [{ ...named, error: { message: 'Invalid location' } }],
    });
    expect(await device.ensure()).toMatchObject({ clientId });
    expect(device.notices.join()).toContain('Invalid location');
    const { onNotice: _, ...silent } = device.dependencies;
    const quiet = await createUnregistered({
      clients: [empty],
      authClient: [{ ...named, error: { message: 'x' } }],
    });
    expect(
      await ensureRegistration(
        { ...silent, client: quiet.client, files: quiet.files },
        quiet.signal,
      ),
    ).toMatchObject({
      clientId,
    });
  });

  test('without a tunnel takes it from the list', async () => {
    const device = await createUnregistered({
      clients: [empty, { clients: [row] }],
      authClient: [{ by_client_jwt: makeJwt({ client_id: clientId }) }],
    });
    expect(await device.ensure()).toMatchObject({ clientId, tunnel });
    expect(device.names()).toEqual(['clients', 'authClient', 'clients']);
  });

  test('without a tunnel anywhere is a registration all the same', async () => {
    const device = await createUnregistered({
      clients: [empty],
      authClient: [
        {
          by_client_jwt: makeJwt({ client_id: clientId }),
          error: { message: 'Invalid location' },
        },
      ],
    });
    const unissued = { said: 'Invalid location', needsUpgrade: false };
    expect(await device.ensure()).toMatchObject({ clientId, tunnel: undefined, unissued });
    expect(await device.files.registration.peek()).toMatchObject({ clientId, unissued });
    expect(await readPending(device)).toBeUndefined();
    expect(await device.ensure()).toMatchObject({ clientId, unissued });
    const created = device.seen.filter(({ name }) => name === 'authClient');
    expect(created.map(({ request }) => (request as { clientId?: string }).clientId)).toEqual([
      undefined,
      clientId,
    ]);
  });

  test('is a registration on the disk before the list is asked for its tunnel', async () => {
    const device = await createUnregistered({
      clients: [empty, new Error('crash'), { clients: [row] }],
      authClient: [{ by_client_jwt: makeJwt({ client_id: clientId }) }],
    });
    await expect(device.ensure()).rejects.toThrow('crash');
    const stored = await device.files.registration.peek();
    expect([stored?.clientId, stored?.tunnel]).toEqual([clientId, undefined]);
    expect(await device.ensure()).toMatchObject({ clientId, tunnel });
    const created = device.seen.filter(({ name }) => name === 'authClient');
    expect(created.at(-1)).toMatchObject({ request: { clientId } });
  });

  test('that names no client takes the new row of the list', async () => {
    const device = await createUnregistered({
      clients: [empty, { clients: [row] }],
      authClient: [{ by_client_jwt: 'opaque', ...issued }],
    });
    expect(await device.ensure()).toMatchObject({ clientId, tunnel });
    expect(await device.files.identity.peek()).toEqual(identity);
    expect(await readPending(device)).toBeUndefined();
  });

  test('that names no client and is not listed is noted as accepted, and is not sent again', async () => {
    const device = await createUnregistered({
      clients: [empty],
      authClient: [{ by_client_jwt: 'opaque', ...issued }],
    });
    await expect(device.ensure()).rejects.toMatchObject({
      code: 'client-lost',
      message: 'the service registered this device without naming its client',
    });
    expect(await readPending(device)).toMatchObject({ installId, isAccepted: true });
    await expect(device.ensure()).rejects.toMatchObject({ code: 'client-lost' });
    expect(device.names().filter((name) => name === 'authClient')).toHaveLength(1);
  });
});
