import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { toIssuedTunnel } from '../../../src/identity/authenticate.ts';
import type { IssuedTunnel, Registration } from '../../../src/identity/registration-files.ts';
import { markDeviceSpec, readInstallId } from '../../../src/identity/registration-files.ts';
import { isSame, Secret } from '../../../src/lib/secret.ts';
import { operations } from '../../../src/service/operations.ts';
import { fromWire } from '../../../src/service/wire-case.ts';
import {
  createDisk,
  identity,
  installId,
  pending,
  registration,
  tunnel,
  writeAnything,
} from './fake-service.ts';

const whole: IssuedTunnel = {
  text: new Secret('[Interface]'),
  proxyHost: 'proxy.example',
  proxyPort: 51_820,
  proxyPublicKey: 'proxy=',
  privateKey: new Secret('private='),
  publicKey: 'public=',
  address: '10.1.2.3/32',
};
const wire = {
  proxy_host: 'proxy.example',
  wg_config: {
    config: '[Interface]',
    wg_proxy_port: 51_820,
    proxy_public_key: 'proxy=',
    client_private_key: 'private=',
    client_public_key: 'public=',
    client_ipv4: '10.1.2.3/32',
  },
};
const read = (answer: object) =>
  toIssuedTunnel(
    fromWire(operations.authClient.response.parse({ proxy_config_result: answer }))
      .proxyConfigResult,
  );

describe('an issued tunnel', () => {
  test('is every field of the answer, untouched', () => {
    expect(read(wire)).toEqual(whole);
    expect(read(wire)?.privateKey?.reveal()).toBe('private=');
  });

  test.each<[keyof IssuedTunnel, object]>([
    ['proxyHost', { proxy_host: '' }],
    ['proxyHost', { proxy_host: null }],
    ['proxyPort', { wg_config: { ...wire.wg_config, wg_proxy_port: 0 } }],
    ['proxyPublicKey', { wg_config: { ...wire.wg_config, proxy_public_key: '' } }],
    ['privateKey', { wg_config: { ...wire.wg_config, client_private_key: '' } }],
    ['publicKey', { wg_config: { ...wire.wg_config, client_public_key: '' } }],
    ['address', { wg_config: { ...wire.wg_config, client_ipv4: '' } }],
  ])('says nothing of %s where the answer has an empty value: %j', (field, change) => {
    expect(read({ ...wire, ...change })).toEqual({ ...whole, [field]: undefined });
  });

  test('is missing without a configuration text', () => {
    const { config: _, ...rest } = wire.wg_config;
    for (const answer of [
      {},
      { wg_config: null },
      { ...wire, wg_config: rest },
      { ...wire, wg_config: { ...rest, config: '' } },
    ]) {
      expect(read(answer)).toBeUndefined();
    }
    expect(toIssuedTunnel(undefined)).toBeUndefined();
  });

  test('equals its copy, and a missing tunnel equals a missing one', () => {
    expect(isSame(whole, structuredCloneOf(whole))).toBe(true);
    expect(isSame(tunnel, structuredCloneOf(tunnel))).toBe(true);
    expect(isSame(undefined, undefined)).toBe(true);
    expect(isSame(whole, undefined)).toBe(false);
    expect(isSame(undefined, whole)).toBe(false);
  });

  test.each<[keyof IssuedTunnel, IssuedTunnel]>([
    ['text', { ...whole, text: new Secret('other') }],
    ['proxyHost', { ...whole, proxyHost: 'other' }],
    ['proxyPort', { ...whole, proxyPort: 1 }],
    ['proxyPublicKey', { ...whole, proxyPublicKey: undefined }],
    ['privateKey', { ...whole, privateKey: new Secret('other') }],
    ['privateKey', { ...whole, privateKey: undefined }],
    ['publicKey', { ...whole, publicKey: 'other' }],
    ['address', { ...whole, address: '10.1.2.3' }],
  ])('differs from one with another %s', (_, other) => {
    expect([isSame(whole, other), isSame(other, whole)]).toEqual([false, false]);
  });
});

function structuredCloneOf(own: IssuedTunnel): IssuedTunnel {
  const copy = (secret: Secret) => new Secret(secret.reveal());
  return {
    ...own,
    text: copy(own.text),
    privateKey: own.privateKey === undefined ? undefined : copy(own.privateKey),
  };
}

describe('the marker in a device spec', () => {
  test('follows the owner’s text, and is found anywhere in it', () => {
    expect(markDeviceSpec('pi 5', installId)).toBe(`pi 5 [tributary:${installId}]`);
    expect(markDeviceSpec('', installId)).toBe(`[tributary:${installId}]`);
    expect(readInstallId(`a [tributary:${installId}] b`)).toBe(installId);
  });

  test.each([
    undefined,
    '',
    'pi',
    '[tributary:]',
    `[tributary:${installId}0]`,
    `[tributary:${installId.slice(1)}]`,
    '[tributary:00000000000000AA]',
  ])('is not found in %j', (spec) => {
    expect(readInstallId(spec)).toBeUndefined();
  });
});

describe('the documents', () => {
  test.each<[string, Registration]>([
    ['with everything', { ...registration, tunnel: whole, showsProduction: true }],
    ['with little', { ...registration, tunnel: undefined, renewSeconds: undefined }],
    ['with a tunnel that says little', registration],
    [
      'without a tunnel and without a reason',
      { ...registration, tunnel: undefined, unissued: { said: undefined, needsUpgrade: false } },
    ],
    [
      'without a tunnel and with a reason',
      { ...registration, tunnel: undefined, unissued: { said: 'Upgrade.', needsUpgrade: true } },
    ],
  ])('a registration %s is read back unchanged, with its secrets', async (_, own) => {
    const { files, path } = await createDisk();
    await files.registration.write(own);
    const back = await files.registration.peek();
    expect(back).toEqual(own);
    expect(back?.clientJwt.reveal()).toBe(own.clientJwt.reveal());
    expect(back?.tunnel?.text.reveal()).toBe(own.tunnel?.text.reveal());
    expect(back?.tunnel?.privateKey?.reveal()).toBe(own.tunnel?.privateKey?.reveal());
    const text = await readFile(path('registration'), 'utf8');
    expect(text).toContain(own.clientJwt.reveal());
    expect(text).not.toContain('[secret]');
  });

  test('identity and create come back as they were', async () => {
    const { files } = await createDisk();
    for (const own of [identity, { ...identity, clientId: undefined, isUncertain: true }]) {
      await files.identity.write(own);
      expect(await files.identity.peek()).toEqual(own);
    }
    for (const own of [
      pending,
      undefined,
      { ...pending, isAccepted: true, knownClientIds: ['a'] },
    ]) {
      await files.pendingCreate.write({ pending: own });
      expect(await files.pendingCreate.peek()).toEqual({ pending: own });
    }
  });

  test.each<[string, object]>([
    ['no id', { ...identity, installId: '' }],
    ['an id that is too long', { ...identity, installId: `${installId}0` }],
    ['an id of other letters', { ...identity, installId: '0'.repeat(15).concat('g') }],
    ['an empty name', { ...identity, clientId: '' }],
    ['no word on its certainty', { ...identity, isUncertain: undefined }],
  ])('an identity with %s is broken', async (_, own) => {
    const { files } = await createDisk();
    await writeAnything(files.identity as never, own);
    await expect(files.identity.peek()).rejects.toMatchObject({ code: 'state-unreadable' });
  });

  test.each<[string, object]>([
    ['an empty name', { clientId: '' }],
    ['an empty token', { clientJwt: new Secret('') }],
    ['an empty tunnel text', { tunnel: { ...whole, text: new Secret('') } }],
    ['an id of another form', { installId: 'x' }],
  ])('a registration with %s is broken', async (_, change) => {
    const { files } = await createDisk();
    await writeAnything(files.registration as never, { ...registration, ...change });
    await expect(files.registration.peek()).rejects.toMatchObject({ code: 'state-unreadable' });
  });

  test('report that one was set aside, for each of the three', async () => {
    for (const name of ['identity', 'registration', 'pendingCreate'] as const) {
      const { files } = await createDisk();
      expect(await files.hasSetAside()).toBe(false);
      await writeFile(files[name].path, 'torn');
      expect(await files.hasSetAside()).toBe(false);
      await files[name].readOrSetAside();
      expect(await files.hasSetAside()).toBe(true);
    }
  });

  test('a registration from before it was known of production does not show it', async () => {
    const { files } = await createDisk();
    const { showsProduction: _, ...older } = registration;
    await writeAnything(files.registration as never, older);
    expect((await files.registration.peek())?.showsProduction).toBe(false);
  });
});
