import { expect, test } from 'vitest';
import type { Exec } from '../../../src/system/exec.ts';
import { observeWireGuard, observeWireGuardTraffic } from '../../../src/system/wg.ts';

const saying =
  (answers: Readonly<Record<string, string>>): Exec =>
  ({ args }) =>
    Promise.resolve(answers[args[2] ?? ''] ?? '');

test("wg's answers become an interface with its peers", async () => {
  const exec = saying({
    'public-key': 'own=\n',
    endpoints: 'a=\t198.51.100.1:51820\nb=\t(none)\n',
    'allowed-ips': 'a=\t0.0.0.0/0 ::/0\nb=\t(none)\n',
    'persistent-keepalive': 'a=\t25\nb=\toff\n',
  });
  expect(await observeWireGuard(exec, 'x')).toEqual({
    publicKey: 'own=',
    peers: [
      {
        publicKey: 'a=',
        endpoint: '198.51.100.1:51820',
        allowedIps: ['0.0.0.0/0', '::/0'],
        persistentKeepaliveSeconds: 25,
      },
      { publicKey: 'b=', endpoint: undefined, allowedIps: [], persistentKeepaliveSeconds: undefined },
    ],
  });
});

test('a new interface has neither key nor peers', async () => {
  expect(await observeWireGuard(saying({ 'public-key': '(none)\n' }), 'x')).toEqual({
    publicKey: undefined,
    peers: [],
  });
});

test('a peer that never answered has no handshake', async () => {
  const exec = saying({ 'latest-handshakes': 'a=\t1700000000\nb=\t0\n', transfer: 'a=\t10\t20\nb=\t0\t148\n' });
  expect(await observeWireGuardTraffic(exec, 'x')).toEqual([
    { publicKey: 'a=', lastHandshakeAt: 1_700_000_000, rxBytes: 10, txBytes: 20 },
    { publicKey: 'b=', lastHandshakeAt: undefined, rxBytes: 0, txBytes: 148 },
  ]);
});

test('nothing is asked that would print a private key', async () => {
  const asked: string[] = [];
  const exec: Exec = async ({ args }) => {
    asked.push(args.join(' '));
    return '';
  };
  await observeWireGuard(exec, 'x');
  await observeWireGuardTraffic(exec, 'x');
  expect(asked.filter((line) => /dump|showconf|private|preshared|^show x$/.test(line))).toEqual([]);
});
