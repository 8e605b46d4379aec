import { describe, expect, test, vi } from 'vitest';
import { TributaryError } from '../../../src/errors/codes.ts';
import { findTunnel } from '../../../src/identity/find-client.ts';
import type { LoadedDevice } from '../../../src/identity/load.ts';
import { recoverRegistration } from '../../../src/identity/registration.ts';
import { renew } from '../../../src/identity/renew.ts';
import { waitUntil } from '../../patience.ts';
import {
  type Answers,
  clientId,
  createDevice,
  identity,
  installId,
  marker,
  pending,
  proxyOnWire,
  registration,
  tunnel,
} from './fake-service.ts';

const otherMarker = '[tributary:00000000000000bb]';
const unnamed = { installId, clientId: undefined, isUncertain: false };
const uncertain = { ...unnamed, isUncertain: true };
const fresh: LoadedDevice = { identity: unnamed, registration: undefined, pending: undefined };
const row = {
  client_id: clientId,
  description: 'shed',
  device_spec: `pi ${marker}`,
  proxy_client: proxyOnWire,
};
const answer = {
  by_client_jwt: 'new.client.jwt',
  proxy_config_result: { keepalive_seconds: 30, ...proxyOnWire },
};
const list = (...clients: readonly object[]) => ({ clients });

const recover = async (loaded: LoadedDevice, answers: Answers) => {
  const device = await createDevice(answers);
  return { ...device, work: recoverRegistration(device.dependencies, loaded, device.signal) };
};

describe('a client that is looked for', () => {
  test('does not exist where the list shows none and no create was ever sent', async () => {
    const rows = [{ client_id: 'other', description: 'barn' }];
    const { work, names } = await recover(fresh, { clients: [list(...rows)] });
    expect(await work).toMatchObject({ kind: 'none', rows: [{ clientId: 'other' }] });
    expect(names()).toEqual(['clients']);
  });

  test('is taken up again: its id is on the disk before the service is asked for it', async () => {
    const device = await createDevice({ clients: [list(row)], authClient: [answer] });
    const { dependencies, files, signal } = device;
    const named: unknown[] = [];
    const { call } = dependencies.client;
    const client = {
      call: (async (...given: Parameters<typeof call>) => {
        if (given[0] === 'authClient') named.push(await files.identity.peek());
        return call(...given);
      }) as typeof call,
    };
    const recovery = await recoverRegistration({ ...dependencies, client }, fresh, signal);
    expect(recovery).toMatchObject({
      kind: 'recovered',
      registration: { clientId, renewSeconds: 30, tunnel },
    });
    expect(named).toEqual([identity]);
    expect(await files.registration.peek()).toMatchObject({ clientId, installId });
    expect(device.seen.at(-1)).toMatchObject({ request: { clientId }, token: 'network.jwt' });
  });

  test.each<[string, object, object | undefined]>([
    [
      'of the answer',
      { by_client_jwt: 'j', proxy_config_result: { ...proxyOnWire, proxy_host: 'new.example' } },
      row,
    ],
    [
      'of the list where the answer brings none',
      { by_client_jwt: 'j' },
      { ...row, proxy_client: { ...proxyOnWire, proxy_host: 'new.example' } },
    ],
  ])('has the tunnel %s', async (_, given, listed) => {
    const { work } = await recover(fresh, { clients: [list(listed ?? {})], authClient: [given] });
    expect(await work).toMatchObject({ registration: { tunnel: { proxyHost: 'new.example' } } });
  });

  test('keeps what was known of it before', async () => {
    const before = { ...registration, tunnel: undefined };
    const loaded = { identity, registration: before, pending: undefined };
    const { work } = await recover(loaded, {
      clients: [list(row)],
      authClient: [{ by_client_jwt: 'j' }],
    });
    expect(await work).toMatchObject({ registration: { renewSeconds: 45 } });
  });

  test('keeps its own id where it is certain, and takes the marker’s where it is not', async () => {
    const left = { ...row, device_spec: `pi ${otherMarker}` };
    const known = await recover(
      { ...fresh, identity },
      { clients: [list(left)], authClient: [answer] },
    );
    expect(await known.work).toMatchObject({ registration: { installId } });
    const lost = await recover(
      { ...fresh, identity: uncertain },
      { clients: [list(left)], authClient: [answer] },
    );
    expect(await lost.work).toMatchObject({ registration: { installId: '00000000000000bb' } });
    expect(await lost.files.identity.peek()).toEqual({
      installId: '00000000000000bb',
      clientId,
      isUncertain: false,
    });
  });

  test('whose re-authentication is refused while it is listed is refused', async () => {
    const { work, names } = await recover(fresh, {
      clients: [list(row)],
      authClient: [{ error: { message: 'No.' } }],
    });
    await expect(work).rejects.toMatchObject({ code: 'service-refused' });
    expect(names()).toEqual(['clients', 'authClient']);
  });
});

describe('after a create that may have been lost', () => {
  const waiting = { ...fresh, pending };
  const unclear = { ...fresh, pending: { ...pending, isUnclear: true as const } };

  test('the list is asked again and again before the client counts as none', async () => {
    const { work, names } = await recover(unclear, {
      clients: [list(), list({ client_id: 'late' })],
    });
    expect(await work).toMatchObject({ kind: 'none', rows: [{ clientId: 'late' }] });
    expect(names()).toEqual(Array.from({ length: 8 }, () => 'clients'));
  });

  test('a client that shows late is taken up', async () => {
    const { work, names } = await recover(waiting, {
      clients: [list(), list(row)],
      authClient: [answer],
    });
    expect(await work).toMatchObject({ kind: 'recovered', registration: { clientId } });
    expect(names()).toEqual(['clients', 'clients', 'authClient']);
  });

  test('one that shows at once is not asked for twice', async () => {
    const { work, names } = await recover(waiting, { clients: [list(row)], authClient: [answer] });
    await work;
    expect(names()).toEqual(['clients', 'authClient']);
  });

  test('a known client is not asked for twice: a re-authentication tells', async () => {
    const { work, names } = await recover(
      { ...waiting, identity },
      { clients: [list()], authClient: [answer] },
    );
    await work;
    expect(names()).toEqual(['clients', 'authClient']);
  });

  test('the second look comes five seconds later, the last one after five minutes', async () => {
    vi.useFakeTimers();
    const { client, names, dependencies, signal } = await createDevice({ clients: [list()] });
    const { settleMs: _, ...patient } = { ...dependencies, client };
    const work = recoverRegistration(patient, unclear, signal);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(names()).toEqual(['clients']);
    await vi.advanceTimersByTimeAsync(1);
    expect(names()).toEqual(['clients', 'clients']);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(names()).toHaveLength(7);
    await vi.advanceTimersByTimeAsync(15_000);
    await work;
    expect(names()).toHaveLength(8);
    vi.useRealTimers();
  });

  test('an abort ends the wait without a second look', async () => {
    const { dependencies, names } = await createDevice({ clients: [list()] }, { settleMs: 60_000 });
    const controller = new AbortController();
    const work = recoverRegistration(dependencies, waiting, controller.signal);
    await waitUntil(() => expect(names()).toEqual(['clients']));
    controller.abort();
    await expect(work).rejects.toMatchObject({ name: 'AbortError' });
    expect(names()).toEqual(['clients']);
  });
});

describe('nothing is registered', () => {
  const two = [
    { client_id: 'a', description: 'shed' },
    { client_id: 'b', description: 'shed' },
  ];

  test.each<[string, LoadedDevice, object, RegExp]>([
    [
      'where one of several may be ours',
      { ...fresh, pending },
      list(...two),
      /it may be one of a, b$/,
    ],
    [
      'where the identity was lost and none is surely ours',
      { ...fresh, identity: uncertain },
      list(...two),
      /none of the clients is surely ours/,
    ],
    [
      'where the service took a create and does not list it',
      { ...fresh, pending: { ...pending, isAccepted: true } },
      list(),
      /registered this device without naming its client, and does not list it/,
    ],
  ])('%s', async (_, loaded, clients, message) => {
    const { work, names, files } = await recover(loaded, { clients: [clients] });
    await expect(work).rejects.toMatchObject({
      code: 'client-lost',
      message: expect.stringMatching(message),
    });
    expect(names()).not.toContain('authClient');
    expect(await files.identity.peek()).toBeUndefined();
  });
});

describe('a client that we know and the list leaves out', () => {
  const known = { ...fresh, identity, registration: { ...registration, tunnel: undefined } };

  test('becomes active by a re-authentication', async () => {
    const { work, names, files } = await recover(known, {
      clients: [list()],
      authClient: [answer],
    });
    expect(await work).toMatchObject({
      kind: 'recovered',
      registration: { clientId, tunnel },
    });
    expect(names()).toEqual(['clients', 'authClient']);
    expect(await files.registration.peek()).toMatchObject({ clientId });
  });

  test('whose answer brings no tunnel is looked for in the list again', async () => {
    const { work, names } = await recover(known, {
      clients: [list(), list(row)],
      authClient: [{ by_client_jwt: 'j' }],
    });
    expect(await work).toMatchObject({ registration: { tunnel } });
    expect(names()).toEqual(['clients', 'authClient', 'clients']);
  });

  test('counts as lost where the service refuses it and two more lists do not show it', async () => {
    const refused = { error: { message: 'Client does not exist.' } };
    const { work, names } = await recover(known, {
      clients: [list({ client_id: 'other' })],
      authClient: [refused],
    });
    await expect(work).rejects.toMatchObject({
      code: 'client-lost',
      message: expect.stringMatching(
        /no longer lists this device's client client-1 in your network \(.*Client does not exist\.\)$/,
      ),
      cause: expect.objectContaining({ code: 'service-refused' }),
    });
    expect(names()).toEqual(['clients', 'authClient', 'clients', 'clients']);
  });
});

describe('a renewal of our own client', () => {
  const refused = { error: { message: 'Busy.' } };

  test.each<[string, Answers, readonly string[]]>([
    [
      'is refused while it is listed',
      { authClient: [refused], clients: [list(row)] },
      ['authClient', 'clients'],
    ],
    [
      'is refused where only one list leaves it out',
      { authClient: [refused], clients: [list(), list(row)] },
      ['authClient', 'clients', 'clients'],
    ],
  ])('%s', async (_, answers, asked) => {
    const { dependencies, signal, names } = await createDevice(answers);
    await expect(renew(dependencies, registration, signal)).rejects.toMatchObject({
      code: 'service-refused',
    });
    expect(names()).toEqual(asked);
  });

  test.each(['service-unreachable', 'not-authorized', 'client-limit-exceeded'] as const)(
    'that fails otherwise (%s) does not mean that the client is lost',
    async (code) => {
      const error = new TributaryError(code, 'x');
      const { dependencies, signal, names } = await createDevice({ authClient: [error] });
      await expect(renew(dependencies, registration, signal)).rejects.toBe(error);
      expect(names()).toEqual(['authClient']);
    },
  );
});

test('a tunnel is taken from our own row, and is missing without one', async () => {
  const { dependencies, signal } = await createDevice({
    clients: [list({ ...row, client_id: 'other' }), list(row)],
  });
  expect(await findTunnel(dependencies, identity, signal)).toBeUndefined();
  expect(await findTunnel(dependencies, identity, signal)).toEqual(tunnel);
});
