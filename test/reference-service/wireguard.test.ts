import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/lib/secret.ts';
import { hasCode } from '../../src/reference-service/errors.ts';
import { createWireGuard, removeWireGuard } from '../../src/reference-service/wireguard.ts';
import { makeDirectory } from '../make-directory.ts';
import { createFakeNetwork } from './fake-network.ts';

const keys = { privateKey: new Secret('own-private'), publicKey: 'public of own-private' };

function prepare() {
  const directory = makeDirectory();
  const network = createFakeNetwork((privateKey) => `public of ${privateKey}`);
  const create = () =>
    createWireGuard(network.exec, { name: 'ref0', keys, port: 51_820, directory });
  return { directory, network, create };
}

describe('the WireGuard interface', () => {
  test('is made by the kernel, up, and leaves its key nowhere else', async () => {
    const { directory, network, create } = prepare();
    expect(await create()).toBe('kernel');
    const link = network.links.get('ref0');
    expect([link?.isUp, link?.port, link?.publicKey]).toEqual([true, 51_820, keys.publicKey]);
    expect(readdirSync(directory)).toEqual([]);
  });
  test('is made by wireguard-go where the kernel has none', async () => {
    const { network, create } = prepare();
    network.hasKernelWireGuard = false;
    expect(await create()).toBe('userspace');
    expect(network.links.get('ref0')?.isUp).toBe(true);
  });
  test('that a killed service left is replaced', async () => {
    const { network, create } = prepare();
    await create();
    network.links
      .get('ref0')
      ?.peers.set('stranger', { allowedIps: ['0.0.0.0/0'], handshakeAt: 0, rxBytes: 0 });
    await create();
    expect(network.links.get('ref0')?.peers.size).toBe(0);
  });
  test('of the same name that is not ours is left alone', async () => {
    const { network, create } = prepare();
    await network.exec({
      program: 'ip',
      args: ['link', 'add', 'ref0', 'type', 'wireguard'],
      doing: 'test',
    });
    await expect(create()).rejects.toSatisfy((error) => hasCode(error, 'tunnel-failed'));
    expect(network.links.has('ref0')).toBe(true);
  });
  test('never shows its private key on a command line', async () => {
    const { network, create } = prepare();
    await create();
    expect(network.ran.filter((line) => line.includes('own-private'))).toEqual([]);
  });
  test('is gone after it was removed', async () => {
    const { network, create } = prepare();
    await create();
    await removeWireGuard(network.exec, 'ref0');
    expect(network.links.size).toBe(0);
  });
});

test('where neither the kernel nor wireguard-go is there, the missing program is named', async () => {
  const { network, create } = prepare();
  network.hasKernelWireGuard = false;
  network.missing.add('wireguard-go');
  await expect(create()).rejects.toSatisfy((error) => hasCode(error, 'missing-program'));
});

test.each(['wg set', 'ip link set'])(
  'where %s fails, neither interface nor file is left',
  async (line) => {
    const { directory, network, create } = prepare();
    network.failing.add(line);
    await expect(create()).rejects.toSatisfy((error) => hasCode(error, 'command-failed'));
    expect(network.links.size).toBe(0);
    expect(readdirSync(directory)).toEqual([]);
  },
);
