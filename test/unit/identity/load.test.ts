import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TributaryError } from '../../../src/errors/codes.ts';
import { loadDevice, startNewDevice } from '../../../src/identity/load.ts';
import type {
  Identity,
  PendingCreate,
  Registration,
} from '../../../src/identity/registration-files.ts';
import { emptyNetworkJwtState } from '../../../src/identity/registration-files.ts';
import { Secret } from '../../../src/lib/secret.ts';
import {
  clientId,
  createDisk,
  identity,
  installId,
  pending,
  registration,
} from './fake-service.ts';

const otherId = '00000000000000bb';
const unnamed = { installId, clientId: undefined, isUncertain: false };

interface Disk {
  /** `broken`: a document that cannot be read; undefined: none. */
  readonly identity?: Identity | 'broken';
  readonly registration?: Registration | 'broken';
  readonly pending?: PendingCreate | 'broken';
}

async function createWith(on: Disk) {
  const disk = await createDisk();
  const { files, path } = disk;
  if (on.identity === 'broken') await writeFile(path('identity'), 'torn');
  else if (on.identity !== undefined) await files.identity.write(on.identity);
  if (on.registration === 'broken') await writeFile(path('registration'), 'torn');
  else if (on.registration !== undefined) await files.registration.write(on.registration);
  if (on.pending === 'broken') await writeFile(path('pending-create'), 'torn');
  else if (on.pending !== undefined) await files.pendingCreate.write({ pending: on.pending });
  return disk;
}

const anyId = expect.stringMatching(/^[0-9a-f]{16}$/);

describe('a device that is loaded', () => {
  test.each<[string, Disk, object]>([
    [
      'with nothing on the disk is new, and certain',
      {},
      { identity: { installId: anyId, clientId: undefined, isUncertain: false } },
    ],
    ['is the one that is there', { identity }, { identity }],
    [
      'and has its registration',
      { identity, registration },
      { identity, registration: { clientId } },
    ],
    [
      'takes its name from the registration',
      { identity: unnamed, registration },
      { identity, registration: { clientId } },
    ],
    [
      'takes the name that the registration has, where the two differ',
      { identity: { ...identity, clientId: 'older' }, registration },
      { identity },
    ],
    [
      'that lost its identity is known from its registration',
      { registration },
      { identity, registration: { clientId } },
    ],
    [
      'that lost its identity is known from a create that is under way',
      { pending },
      { identity: unnamed, pending },
    ],
    [
      'is rather known from its registration than from a create',
      { registration, pending: { ...pending, installId: otherId } },
      { identity, pending: undefined },
    ],
    [
      'has no part in the registration of an earlier device',
      { identity, registration: { ...registration, installId: otherId, clientId: 'theirs' } },
      { identity, registration: undefined },
    ],
    [
      'has no part in a create of an earlier device',
      { identity, pending: { ...pending, installId: otherId } },
      { identity, pending: undefined },
    ],
    [
      'stays uncertain',
      { identity: { ...unnamed, isUncertain: true } },
      { identity: { ...unnamed, isUncertain: true } },
    ],
    [
      'whose identity is broken is known from its registration, and certain',
      { identity: 'broken', registration },
      { identity },
    ],
    [
      'whose identity is broken is known from a create, and certain',
      { identity: 'broken', pending },
      { identity: unnamed },
    ],
    [
      'whose identity is broken, and nothing else tells, is uncertain',
      { identity: 'broken' },
      { identity: { installId: anyId, clientId: undefined, isUncertain: true } },
    ],
    [
      'that left nothing but a broken registration is uncertain',
      { registration: 'broken' },
      { identity: { isUncertain: true } },
    ],
    [
      'that left nothing but a broken create is uncertain',
      { pending: 'broken' },
      { identity: { isUncertain: true } },
    ],
    [
      'whose registration is broken is the same one, and certain',
      { identity, registration: 'broken' },
      { identity, registration: undefined },
    ],
  ])('%s, at the second start too', async (_, on, expected) => {
    const { files } = await createWith(on);
    const loaded = await loadDevice(files);
    expect(loaded).toMatchObject(expected);
    expect(await files.identity.peek()).toEqual(loaded.identity);
    expect(await loadDevice(files)).toEqual(loaded);
  });

  test('is certain again once what was set aside is gone, and uncertain while it is there', async () => {
    const { files, directory, setAside } = await createWith({ registration: 'broken' });
    expect((await loadDevice(files)).identity.isUncertain).toBe(true);
    await rm(`${directory}/identity.json`);
    expect((await loadDevice(files)).identity.isUncertain).toBe(true);
    expect(setAside).toEqual([`${directory}/registration.json`]);
  });

  test('writes nothing where nothing is new', async () => {
    const { files, path } = await createWith({ identity, registration });
    const before = await stat(path('identity'));
    await loadDevice(files);
    expect((await stat(path('identity'))).ino).toBe(before.ino);
    await files.identity.write(unnamed);
    const unknown = await stat(path('identity'));
    await loadDevice(files);
    expect((await stat(path('identity'))).ino).not.toBe(unknown.ino);
  });
});

describe('the id beside the sign-in', () => {
  const signedIn = { ...emptyNetworkJwtState, token: new Secret('network.jwt') };

  test('is written once, and leaves the sign-in as it is', async () => {
    const { files, path } = await createWith({ identity });
    await files.networkJwt.write(signedIn);
    await loadDevice(files);
    expect(await files.networkJwt.peek()).toEqual({ ...signedIn, installId });
    const before = await stat(path('network-jwt'));
    await loadDevice(files);
    expect((await stat(path('network-jwt'))).ino).toBe(before.ino);
  });

  test('makes no file where there is no sign-in', async () => {
    const { files } = await createWith({ identity });
    await loadDevice(files);
    expect(await files.networkJwt.peek()).toBeUndefined();
  });

  test.each<[string, Disk, object]>([
    ['tells who a device is that lost the rest', {}, unnamed],
    [
      'tells less than an identity',
      { identity: { ...unnamed, installId: otherId } },
      { installId: otherId },
    ],
    [
      'tells less than a registration',
      { registration: { ...registration, installId: otherId } },
      { installId: otherId },
    ],
    [
      'tells less than a create',
      { pending: { ...pending, installId: otherId } },
      { installId: otherId },
    ],
    [
      'leaves a doubt where the identity was broken',
      { identity: 'broken' },
      { ...unnamed, isUncertain: true },
    ],
  ])('%s', async (_, on, expected) => {
    const { files } = await createWith(on);
    await files.networkJwt.write({ ...signedIn, installId });
    const { identity: found } = await loadDevice(files);
    expect(found).toMatchObject(expected);
    expect((await files.networkJwt.peek())?.installId).toBe(found.installId);
  });

  test('becomes the new device’s, although the identity is lost before it is loaded', async () => {
    const { files, path } = await createWith({ identity, registration });
    await files.networkJwt.write({ ...signedIn, installId });
    await startNewDevice(files);
    const made = (await files.identity.peek())?.installId;
    await rm(path('identity'));
    await rm(path('registration'));
    expect((await loadDevice(files)).identity).toMatchObject({ installId: made });
    expect(made).not.toBe(installId);
  });

  test('does not prevent loading where the disk cannot be written', async () => {
    const { files } = await createWith({ identity });
    await files.networkJwt.write(signedIn);
    const write = async () => {
      throw new TributaryError('state-unwritable', 'full');
    };
    const full = { ...files, networkJwt: { ...files.networkJwt, write } };
    expect((await loadDevice(full)).identity).toEqual(identity);
  });
});

test('a new device has another id, no name and no doubt', async () => {
  const { files, directory } = await createWith({
    identity: { ...identity, isUncertain: true },
    registration,
    pending,
  });
  await startNewDevice(files);
  const loaded = await loadDevice(files);
  expect(loaded).toEqual({
    identity: { installId: anyId, clientId: undefined, isUncertain: false },
    registration: undefined,
    pending: undefined,
  });
  expect(loaded.identity.installId).not.toBe(installId);
  // What was left stays under other names, each for its owner alone.
  const kept = (await readdir(directory)).filter((name) => name.includes('.left-'));
  expect(kept.map((name) => name.replace(/\d+$/, '')).toSorted()).toEqual([
    'identity.json.left-',
    'registration.json.left-',
  ]);
  for (const name of kept) expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
});
