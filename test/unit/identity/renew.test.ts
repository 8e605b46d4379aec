import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RegistrationDependencies } from '../../../src/identity/authenticate.ts';
import type { Registration } from '../../../src/identity/registration-files.ts';
import { renew as askAgain } from '../../../src/identity/renew.ts';
import { Secret } from '../../../src/lib/secret.ts';
import { createDisk, failWith } from '../../faults/disk.ts';
import {
  type Answers,
  clientId,
  createDevice,
  installId,
  marker,
  proxyOnWire,
  registration,
  tunnel,
} from './fake-service.ts';

const dayMs = 86_400_000;
const storedMs = Date.parse(registration.storedAt);
const row = {
  client_id: clientId,
  description: 'shed',
  device_spec: `pi ${marker}`,
  proxy_client: proxyOnWire,
};
const bare = { by_client_jwt: 'new.client.jwt' };
const moved = { ...proxyOnWire, proxy_host: 'new.example' };

beforeEach(() => void vi.useFakeTimers({ now: storedMs + 60_000, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/**
 * A renewal of the stored registration: what it returned, what is on the disk, and whether that
 * was written.
 */
async function renew(answers: Answers, more: Partial<RegistrationDependencies> = {}) {
  const device = await createDevice(answers, more);
  await device.files.registration.write(registration);
  const before = await stat(device.path('registration'));
  const renewed = await askAgain(device.dependencies, registration, device.signal);
  const after = await stat(device.path('registration'));
  return {
    ...device,
    renewed,
    stored: await device.files.registration.peek(),
    isWritten: before.ino !== after.ino,
  };
}

describe('a renewal', () => {
  test('takes the fresh token and leaves the disk in peace', async () => {
    const { renewed, stored, isWritten, names } = await renew({ authClient: [bare] });
    expect(renewed).toEqual({ ...registration, clientJwt: new Secret('new.client.jwt') });
    expect([stored, isWritten, names()]).toEqual([registration, false, ['authClient']]);
  });

  test.each<[string, object, object]>([
    ['interval', { proxy_config_result: { keepalive_seconds: 30 } }, { renewSeconds: 30, tunnel }],
    [
      'tunnel',
      { proxy_config_result: moved },
      { tunnel: { proxyHost: 'new.example' }, renewSeconds: 45 },
    ],
  ])('that brings another %s writes it to the disk with the token', async (_, answer, expected) => {
    const { renewed, stored, isWritten } = await renew({ authClient: [{ ...bare, ...answer }] });
    expect(renewed).toMatchObject({
      ...expected,
      storedAt: new Date(storedMs + 60_000).toISOString(),
    });
    expect(stored).toEqual(renewed);
    expect(isWritten).toBe(true);
  });

  test('with the same tunnel and interval writes nothing', async () => {
    const same = { proxy_config_result: { keepalive_seconds: 45, ...proxyOnWire } };
    expect((await renew({ authClient: [{ ...bare, ...same }] })).isWritten).toBe(false);
  });

  test.each([
    [dayMs - 1, false],
    [dayMs, true],
    [dayMs + 1, true],
    [-dayMs + 1, false],
    // A clock that was set back by days: the token is written, so that its age is known again.
    [-dayMs, true],
  ])('%i ms after the token was written writes it: %s', async (ageMs, isWritten) => {
    vi.setSystemTime(storedMs + ageMs);
    const { renewed, stored, ...rest } = await renew({ authClient: [bare] });
    expect(rest.isWritten).toBe(isWritten);
    if (isWritten) expect(stored?.clientJwt.reveal()).toBe('new.client.jwt');
  });

  test('of a registration whose age makes no sense writes it', async () => {
    const { dependencies, files, signal } = await createDevice({ authClient: [bare] });
    await askAgain(dependencies, { ...registration, storedAt: 'long ago' }, signal);
    expect((await files.registration.peek())?.clientJwt.reveal()).toBe('new.client.jwt');
  });

  test('of a registration that is no longer on the disk writes it again', async () => {
    const { dependencies, files, signal } = await createDevice({
      authClient: [{ ...bare, proxy_config_result: moved }],
    });
    const renewed = await askAgain(dependencies, registration, signal);
    expect(await files.registration.peek()).toEqual(renewed);
  });
});

test('a new key is taken at once where the disk takes nothing, and written with the next renewal that it takes', async () => {
  const answer = { ...bare, proxy_config_result: moved };
  const { dependencies, files, signal, path } = await createDevice({
    authClient: [answer, answer],
  });
  await files.registration.write(registration);
  using disk = await createDisk(dirname(path('registration')));
  disk.meddle(failWith('ENOSPC'));
  const renewed = await askAgain(dependencies, registration, signal);
  expect(renewed.tunnel?.proxyHost).toBe('new.example');
  expect(await files.registration.peek()).toEqual(registration);
  disk.meddle(undefined);
  await askAgain(dependencies, renewed, signal);
  expect((await files.registration.peek())?.tunnel?.proxyHost).toBe('new.example');
});

test('a new key is in use before the disk has it, and a disk that takes minutes holds up no later renewal', async () => {
  const later = { ...proxyOnWire, proxy_host: 'later.example' };
  const device = await createDevice({
    authClient: [
      { ...bare, proxy_config_result: moved },
      { ...bare, proxy_config_result: later },
    ],
  });
  const { dependencies, files, signal, path } = device;
  await files.registration.write(registration);
  using disk = await createDisk(dirname(path('registration')));
  const { promise: isWell, resolve: recover } = Promise.withResolvers<void>();
  disk.meddle((act) => (act === 'sync' ? isWell : undefined));
  const issued: (string | undefined)[] = [];
  const onIssued = ({ tunnel: used }: Registration) => void issued.push(used?.proxyHost);
  const asking = { ...dependencies, onIssued };
  const renewed = await askAgain(asking, registration, signal);
  await askAgain(asking, renewed, signal);
  expect(issued).toEqual(['new.example', 'later.example']);
  expect((await files.registration.peek())?.tunnel?.proxyHost).toBe('proxy.example');
  recover();
  await expect.poll(() => files.renewed.isBehind()).toBe(false);
  expect((await files.registration.peek())?.tunnel?.proxyHost).toBe('later.example');
});

describe('a tunnel that was never issued', () => {
  const unissued = { said: 'Invalid location', needsUpgrade: false };
  const known = { ...registration, tunnel: undefined, unissued };
  const refused = { ...bare, error: { message: 'Invalid location' } };
  /** A renewal of a registration without a tunnel. */
  const renewBare = async (answers: Answers, more: Partial<RegistrationDependencies> = {}) => {
    const device = await createDevice(answers, more);
    await device.files.registration.write(known);
    const before = await stat(device.path('registration'));
    const renewed = await askAgain(device.dependencies, known, device.signal);
    const isWritten = (await stat(device.path('registration'))).ino !== before.ino;
    return { ...device, renewed, isWritten };
  };

  test('is taken from the list where the answer brings none', async () => {
    const { renewed, files, names } = await renewBare({
      authClient: [bare],
      clients: [{ clients: [row] }],
    });
    expect(renewed).toMatchObject({ clientId, tunnel, unissued: undefined });
    expect(await files.registration.peek()).toEqual(renewed);
    expect(names()).toEqual(['authClient', 'clients']);
  });

  test('is looked for in no list where no source wants it', async () => {
    const desired = { description: 'shed', spec: 'pi', wantsTunnel: false, proxy: {} };
    const { names } = await renewBare({ authClient: [bare] }, { desired });
    expect(names()).toEqual(['authClient']);
  });

  test('costs a write only where the service says something else', async () => {
    const empty = { clients: [{ clients: [] }] };
    expect((await renewBare({ authClient: [refused], ...empty })).isWritten).toBe(false);
    const other = { ...bare, error: { message: 'Upgrade.', upgrade_required: true } };
    const { isWritten, files } = await renewBare({ authClient: [other], ...empty });
    expect(isWritten).toBe(true);
    expect((await files.registration.peek())?.unissued).toEqual({
      said: 'Upgrade.',
      needsUpgrade: true,
    });
  });
});

describe('a tunnel that is of no use', () => {
  const mended = { clients: [{ ...row, proxy_client: moved }] };

  test('is looked for in the list where the answer brings none', async () => {
    const { renewed, names, stored } = await renew(
      { authClient: [bare], clients: [mended] },
      { needsTunnel: true },
    );
    expect(renewed.tunnel?.proxyHost).toBe('new.example');
    expect(stored?.tunnel?.proxyHost).toBe('new.example');
    expect(names()).toEqual(['authClient', 'clients']);
  });

  test('is not looked for where the answer brings one', async () => {
    const { renewed, names } = await renew(
      { authClient: [{ ...bare, proxy_config_result: moved }] },
      { needsTunnel: true },
    );
    expect([renewed.tunnel?.proxyHost, names()]).toEqual(['new.example', ['authClient']]);
  });

  test('stays where the list has none either', async () => {
    const { renewed } = await renew(
      { authClient: [bare], clients: [{ clients: [] }] },
      { needsTunnel: true },
    );
    expect(renewed.tunnel).toEqual(tunnel);
  });

  test('is taken from the row with our own id, whatever its marker says', async () => {
    const strange = {
      clients: [
        { ...row, device_spec: 'pi' },
        { client_id: 'other', device_spec: `[tributary:${installId}]` },
      ],
    };
    const { renewed } = await renew(
      { authClient: [bare], clients: [strange] },
      { needsTunnel: true },
    );
    expect(renewed.tunnel).toEqual(tunnel);
  });
});

test('a client that the service lost is found out by a refusal and two lists', async () => {
  const { dependencies, signal, names } = await createDevice({
    authClient: [{ error: { message: 'Client does not exist.' } }],
    clients: [{ clients: [] }],
  });
  await expect(askAgain(dependencies, registration, signal)).rejects.toMatchObject({
    code: 'client-lost',
  });
  expect(names()).toEqual(['authClient', 'clients', 'clients']);
});
