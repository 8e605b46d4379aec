import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TributaryError } from '../../../../src/errors/codes.ts';
import { findControlSocket, observeTunnel } from '../../../../src/source/wireguard/observe.ts';
import type { Exec } from '../../../../src/system/exec.ts';
import type { Interface } from '../../../../src/system/ip.ts';

const link: Interface = {
  name: 'wg9',
  isUp: true,
  isLoopback: false,
  mtu: 1420,
  hardwareAddress: undefined,
  kind: 'wireguard',
  addresses: [
    { family: 4, address: '10.1.2.3', prefixLength: 32 },
    { family: 6, address: 'fe80::1', prefixLength: 64 },
    { family: 6, address: 'fd00::1', prefixLength: 128 },
  ],
};
const tun = { ...link, kind: 'tun' };
const others = [
  { ...link, name: 'wg90' },
  { ...link, name: 'eth0', kind: undefined },
];

async function createHost({ hasSocket = false, error = undefined as Error | undefined } = {}) {
  const controlDirectory = await mkdtemp(join(tmpdir(), 'tributary-observe-'));
  onTestFinished(() => rm(controlDirectory, { recursive: true, force: true }));
  if (hasSocket) await writeFile(join(controlDirectory, 'wg9.sock'), '');
  const exec: Exec = async ({ program, args }) => {
    if (error !== undefined) throw error;
    return `${program} ${args.slice(0, 2).join(' ')}` === 'wg show wg9' && args[2] === 'dump'
      ? 'x=\town=\t0\toff\n'
      : '';
  };
  return { exec, controlDirectory };
}

describe('the tunnel that is there', () => {
  test.each<[string, readonly Interface[], { readonly hasSocket?: boolean }, object]>([
    ['is none where no interface has its name', others, {}, { kind: 'absent' }],
    [
      'is the kernel’s',
      [...others, link],
      {},
      { backend: 'kernel', wireGuard: { publicKey: 'own=', peers: [] } },
    ],
    [
      'is that of wireguard-go while its socket is there',
      [tun],
      { hasSocket: true },
      { backend: 'userspace' },
    ],
    [
      'is nobody’s where wireguard-go has died',
      [tun],
      {},
      { backend: undefined, wireGuard: undefined },
    ],
    [
      'is nobody’s where another kind of interface has the name, whatever sockets there are',
      [{ ...link, kind: 'dummy' }],
      { hasSocket: true },
      { backend: undefined, wireGuard: undefined },
    ],
  ])('%s', async (_, interfaces, options, found) => {
    const observed = await observeTunnel(await createHost(options), 'wg9', interfaces);
    expect(observed).toMatchObject(found);
  });

  test('has its addresses without those that the kernel gives every interface', async () => {
    const observed = await observeTunnel(await createHost(), 'wg9', [
      { ...link, isUp: false, mtu: 1300 },
    ]);
    expect(observed).toMatchObject({
      kind: 'present',
      isUp: false,
      mtu: 1300,
      addresses: ['10.1.2.3', 'fd00::1'],
    });
  });

  test('answers nothing where wg cannot ask it, and is an error where there is no wg', async () => {
    const mute = await createHost({ error: new TributaryError('command-failed', 'no') });
    expect(await observeTunnel(mute, 'wg9', [link])).toMatchObject({
      backend: 'kernel',
      wireGuard: undefined,
    });
    const without = await createHost({ error: new TributaryError('missing-program', 'no wg') });
    await expect(observeTunnel(without, 'wg9', [link])).rejects.toMatchObject({
      code: 'missing-program',
    });
  });

  test('has its socket where wireguard-go makes it, whatever the namespace', () => {
    expect(findControlSocket({}, 'wg9')).toBe('/var/run/wireguard/wg9.sock');
  });
});
